package workflow

import (
	"crypto/rand"
	"fmt"
	"strconv"
	"strings"

	"github.com/previdence/previdence/reporters/escape"
)

const (
	// MaxAnnotations is how many annotations one step may make: GitHub shows ten
	// of each level and drops the others without a word.
	MaxAnnotations = 10
	// maxMessage is where the runner cuts a message, in characters. Bytes are
	// counted here, which are never fewer.
	maxMessage = 4096
)

// A Level is how loud an annotation is.
type Level string

// The levels.
const (
	Notice  Level = "notice"
	Warning Level = "warning"
	Error   Level = "error"
)

// An Annotation is a message of a step, beside a line if it names one.
type Annotation struct {
	Level     Level
	Path      string // "": beside no file
	StartLine int    // from 1; 0: none
	EndLine   int
	Title     string
	Message   string
}

// Annotate shows an annotation unless [MaxAnnotations] are shown already, and
// reports whether it did.
func (r *Runner) Annotate(a Annotation) bool {
	if r.shown >= MaxAnnotations {
		return false
	}
	r.shown++
	var properties []string
	add := func(key, value string) {
		if value != "" {
			properties = append(properties, key+"="+escapeProperty(value))
		}
	}
	add("title", oneLine(a.Title))
	add("file", a.Path)
	if a.Path != "" && a.StartLine > 0 {
		add("line", strconv.Itoa(a.StartLine))
		add("endLine", strconv.Itoa(max(a.StartLine, a.EndLine)))
	}
	r.command(string(a.Level), strings.Join(properties, ","), cut(visibleLines(a.Message), maxMessage))
	return true
}

// Mask makes the runner hide a secret wherever it would show it.
func (r *Runner) Mask(secret string) {
	if strings.TrimSpace(secret) != "" {
		r.command("add-mask", "", secret)
	}
}

// Text writes a text that may hold names of a repository, folded under a title of
// this program. No line of it is a command, whatever it holds.
func (r *Runner) Text(title, text string) {
	word := rand.Text()
	r.command("group", "", title)
	r.command("stop-commands", "", word)
	fmt.Fprint(r.log, strings.TrimSuffix(text, "\n")+"\n")
	fmt.Fprintf(r.log, "::%s::\n", word)
	r.command("endgroup", "", "")
}

// command writes one command of the runner.
func (r *Runner) command(name, properties, message string) {
	if properties != "" {
		properties = " " + properties
	}
	fmt.Fprintf(r.log, "::%s%s::%s\n", name, properties, escapeData(message))
}

// dataEscapes are what the runner takes back in a message.
var dataEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")

// propertyEscapes are what it takes back in a property, whose end a colon or a
// comma would be.
var propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")

func escapeData(s string) string { return dataEscapes.Replace(s) }

func escapeProperty(s string) string { return propertyEscapes.Replace(s) }

// oneLine is a text without anything that moves, hides or reverses.
func oneLine(s string) string { return cut(escape.Visible(s), 255) }

// visibleLines is [oneLine] for each line of a message.
func visibleLines(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = escape.Visible(l)
	}
	return strings.Join(lines, "\n")
}

// cut keeps at most limit bytes of a text, whole characters, and marks the end.
func cut(s string, limit int) string {
	if len(s) <= limit {
		return s
	}
	const mark = "…"
	end := limit - len(mark)
	for end > 0 && s[end]&0xC0 == 0x80 {
		end--
	}
	return s[:end] + mark
}
