package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
)

// A client is a program that can start the server, and how it wants to be told.
type client struct {
	name    string
	snippet func(command []string) (string, error)
	place   string // the file that the snippet goes into
	command string // that adds it instead; %s is the command line of the server; "" if there is none
}

// clients lists the clients by name. Their formats are those of their manuals of
// November 2026.
var clients = []client{
	{"claude-code", jsonUnder("mcpServers", true), ".mcp.json in the top folder of a repository, to share it", "claude mcp add --scope user previdence -- %s"},
	{"claude-desktop", jsonUnder("mcpServers", false), "claude_desktop_config.json: Settings > Developer > Edit Config opens it; start the program again afterwards", ""},
	{"codex", codexTable, "~/.codex/config.toml, or .codex/config.toml in a trusted repository", "codex mcp add previdence -- %s"},
	{"cursor", jsonUnder("mcpServers", true), "~/.cursor/mcp.json, or .cursor/mcp.json in a repository", ""},
	{"gemini", jsonUnder("mcpServers", false), "~/.gemini/settings.json, or .gemini/settings.json in a repository", "gemini mcp add --scope user previdence %s"},
	{"vscode", jsonUnder("servers", true), ".vscode/mcp.json in a workspace; MCP: Open User Configuration opens the one for all", ""},
}

func newMCPConfig(a *app) *cobra.Command {
	var names []string
	for _, client := range clients {
		names = append(names, client.name)
	}
	c := &cobra.Command{
		Use:   "config CLIENT",
		Short: "Print what adds the server to a client",
		Long: "Config prints what tells a client to start the server, on stdout, and where that goes,\non stderr. If the file exists, merge the two. The clients are\n" +
			strings.Join(names, ", ") + ".\n\nThe command is the path of this program, since clients with a window do not have the\nPATH of your shell. In a file that is shared, write the name alone with --command.",
		Example:   "  previdence mcp config claude-code --command previdence > .mcp.json",
		Args:      operands("CLIENT"),
		ValidArgs: names,
	}
	command := c.Flags().String("command", "", "`COMMAND` that starts previdence (default: the path of this program)")
	c.RunE = func(_ *cobra.Command, args []string) error {
		at := slices.Index(names, args[0])
		if at < 0 {
			return usage(fmt.Errorf("no client %q", args[0]), "name one of "+strings.Join(names, ", "))
		}
		return a.configure(clients[at], *command)
	}
	return c
}

// configure prints how to add the server to one client. A state folder that was
// named for this command is named for the server.
func (a *app) configure(c client, program string) error {
	if program == "" {
		var err error
		if program, err = os.Executable(); err != nil {
			return err
		}
	}
	command := []string{program}
	if a.stateDir != "" {
		command = append(command, "--"+stateFlag, a.stateDir)
	}
	command = append(command, "mcp")
	snippet, err := c.snippet(command)
	if err != nil {
		return err
	}
	fmt.Fprintln(a.Err, "goes into "+c.place)
	if c.command != "" {
		fmt.Fprintln(a.Err, "or run: "+inert(fmt.Sprintf(c.command, shellLine(command))))
	}
	_, err = fmt.Fprint(a.Out, snippet)
	return err
}

// jsonUnder writes the entry of a server under a key, with or without its type:
// some clients want it, and some refuse what they do not know.
func jsonUnder(key string, withType bool) func([]string) (string, error) {
	type entry struct {
		Type    string   `json:"type,omitempty"`
		Command string   `json:"command"`
		Args    []string `json:"args"`
	}
	return func(command []string) (string, error) {
		e := entry{Command: command[0], Args: command[1:]}
		if withType {
			e.Type = "stdio"
		}
		var b strings.Builder
		enc := json.NewEncoder(&b)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", "  ")
		err := enc.Encode(map[string]map[string]entry{key: {"previdence": e}})
		return b.String(), err
	}
}

// codexTable writes the entry as TOML, whose basic strings are escaped as those of
// Go are, for what is printed here.
func codexTable(command []string) (string, error) {
	var args []string
	for _, arg := range command[1:] {
		args = append(args, tomlString(arg))
	}
	return fmt.Sprintf("[mcp_servers.previdence]\ncommand = %s\nargs = [%s]\n", tomlString(command[0]), strings.Join(args, ", ")), nil
}

func tomlString(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		default:
			fmt.Fprintf(&b, `\U%08X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// shellLine writes a command so that a POSIX shell reads it back.
func shellLine(command []string) string {
	plain := func(r rune) bool {
		return r < 0x80 && (strings.ContainsRune("-_./:=@%+,", r) || r >= '0' && r <= '9' || r >= 'A' && r <= 'Z' || r >= 'a' && r <= 'z')
	}
	var words []string
	for _, word := range command {
		if word == "" || strings.ContainsFunc(word, func(r rune) bool { return !plain(r) }) {
			word = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}
