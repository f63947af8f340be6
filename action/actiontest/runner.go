package actiontest

import (
	"regexp"
	"strings"
	"testing"
)

// What follows reads a log and a file of outputs as the runner of GitHub Actions
// does. It is written from the source of that (ActionCommand.cs,
// FileCommandManager.cs), not from what writes them here.

// A Command is one that the runner finds in a log.
type Command struct {
	Name       string
	Properties map[string]string
	Message    string
}

var (
	commandV2 = regexp.MustCompile(`^::([A-Za-z-]+)( [^:]*(?::[^:]+)*?)?::(.*)$`)
	commandV1 = regexp.MustCompile(`##\[([A-Za-z-]+)( [^\]]*)?\](.*)$`)
)

var unescapeData = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%25", "%")

var unescapeProperty = strings.NewReplacer("%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",", "%25", "%")

// ReadLog returns the commands of a log in their order, and the lines that are
// shown.
func ReadLog(t testing.TB, log string) (commands []Command, shown []string) {
	t.Helper()
	stopped := ""
	for _, line := range strings.FieldsFunc(log, func(c rune) bool { return c == '\n' || c == '\r' }) {
		if stopped != "" {
			if strings.TrimSpace(line) == "::"+stopped+"::" {
				stopped = ""
			} else {
				shown = append(shown, line)
			}
			continue
		}
		m := commandV2.FindStringSubmatch(strings.TrimLeft(line, " \t"))
		if m == nil {
			m = commandV1.FindStringSubmatch(line)
		}
		if m == nil {
			shown = append(shown, line)
			continue
		}
		c := Command{Name: m[1], Properties: map[string]string{}, Message: unescapeData.Replace(m[3])}
		for _, pair := range strings.Split(strings.TrimSpace(m[2]), ",") {
			if key, value, ok := strings.Cut(pair, "="); ok {
				c.Properties[key] = unescapeProperty.Replace(value)
			}
		}
		if c.Name == "stop-commands" {
			stopped = c.Message
		}
		commands = append(commands, c)
	}
	if stopped != "" {
		t.Errorf("commands are never started again")
	}
	return commands, shown
}

// ReadOutputs returns the outputs in a file of them.
func ReadOutputs(t testing.TB, text string) map[string]string {
	t.Helper()
	outputs := map[string]string{}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	for i := 0; i < len(lines); i++ {
		name, delimiter, heredoc := strings.Cut(lines[i], "<<")
		if equals := strings.Index(lines[i], "="); equals >= 0 && (!heredoc || equals < len(name)) {
			outputs[lines[i][:equals]] = lines[i][equals+1:]
			continue
		}
		if !heredoc {
			t.Errorf("line %q is no output", lines[i])
			continue
		}
		var value []string
		for i++; i < len(lines) && lines[i] != delimiter; i++ {
			value = append(value, lines[i])
		}
		if i == len(lines) {
			t.Errorf("output %s has no end", name)
		}
		outputs[name] = strings.Join(value, "\n")
	}
	return outputs
}
