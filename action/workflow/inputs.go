package workflow

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// ErrInput means that an input has a value that means nothing here.
var ErrInput = errors.New("bad input")

// A Mode says which part of the work a step does.
type Mode string

// The modes.
const (
	Auto    Mode = "auto" // what the event calls for
	Analyze Mode = "analyze"
	Publish Mode = "publish"
	Cleanup Mode = "cleanup"
)

// How SARIF is made.
const (
	SARIFNever  = "false"
	SARIFFile   = "true"   // written, for another step
	SARIFUpload = "upload" // written, and given to code scanning
)

// The sizes of a comment that can be asked for, in bytes. A smaller one has no
// room for what must not be left out, a larger one is refused by GitHub under
// some reading of its limits.
const (
	LeastBudget = 4_000
	MostBudget  = 60_000
)

// maxCoverageFiles is how many files coverage-files may name.
const maxCoverageFiles = 50

// Inputs are what the user wrote under "with:".
type Inputs struct {
	Mode          Mode
	Token         string
	Path          string   // of the checkout, below the workspace; "": the workspace itself
	Base          string   // revision to compare with; "": what the event says
	Budget        int      // bytes of the comment
	FailOn        []string // rules; nil: those of the configuration
	Comment       string   // auto, always or never
	Check         bool     // make a check run
	Annotations   bool     // beside lines, in the check run or else in the log
	SARIF         string   // one of the SARIF constants
	Review        bool     // also comment beside changed lines
	Key           string   // tells several steps for one pull request apart; "": there is one
	HTML          bool
	CoverageFiles []string // slash-separated, inside the workspace
	NoConfig      bool     // do not read .previdence.yml of the merge base
}

// An input is one of them: its name in action.yml, its value where nothing is
// given, and how it is read.
type input struct {
	name, unset string
	set         func(in *Inputs, value string, rules []string) error
}

var inputs = []input{
	{"mode", "auto", func(in *Inputs, v string, _ []string) error {
		in.Mode = Mode(v)
		return oneOf(v, "auto", "analyze", "publish", "cleanup")
	}},
	{"token", "", func(in *Inputs, v string, _ []string) error {
		in.Token = v
		if strings.ContainsFunc(v, func(c rune) bool { return c <= ' ' || c > '~' }) {
			return errors.New("it holds characters that no token has")
		}
		return nil
	}},
	{"path", "", func(in *Inputs, v string, _ []string) error {
		in.Path = filepath.FromSlash(v)
		if v != "" && !filepath.IsLocal(in.Path) {
			return errors.New("it does not stay inside the workspace")
		}
		return nil
	}},
	{"base", "", func(in *Inputs, v string, _ []string) error {
		in.Base = v
		return nil // whether it names a commit shows when it is looked up
	}},
	{"budget", strconv.Itoa(MostBudget), func(in *Inputs, v string, _ []string) (err error) {
		if in.Budget, err = strconv.Atoi(v); err != nil || in.Budget < LeastBudget || in.Budget > MostBudget {
			return fmt.Errorf("want a number of bytes from %d to %d", LeastBudget, MostBudget)
		}
		return nil
	}},
	{"fail-on", "", readFailOn},
	{"comment", "auto", func(in *Inputs, v string, _ []string) error {
		in.Comment = v
		return oneOf(v, "auto", "always", "never")
	}},
	{"check", "true", func(in *Inputs, v string, _ []string) error { return boolean(&in.Check, v) }},
	{"annotations", "true", func(in *Inputs, v string, _ []string) error { return boolean(&in.Annotations, v) }},
	{"sarif", SARIFNever, func(in *Inputs, v string, _ []string) error {
		in.SARIF = v
		return oneOf(v, SARIFNever, SARIFFile, SARIFUpload)
	}},
	{"review-comments", "false", func(in *Inputs, v string, _ []string) error { return boolean(&in.Review, v) }},
	{"key", "", func(in *Inputs, v string, _ []string) error {
		in.Key = v
		if v != "" && !keyForm.MatchString(v) {
			return errors.New("want at most 40 of a-z, 0-9 and -, none of them a - in front")
		}
		return nil
	}},
	{"html", "false", func(in *Inputs, v string, _ []string) error { return boolean(&in.HTML, v) }},
	{"coverage-files", "", readCoverageFiles},
	{"config", "base", func(in *Inputs, v string, _ []string) error {
		in.NoConfig = v == "none"
		if err := oneOf(v, "base", "none"); err != nil {
			return fmt.Errorf("%w: a pull request is judged by .previdence.yml of its merge base, or by no such file", err)
		}
		return nil
	}},
}

// keyForm is that of a key: it is a part of the comment's first line.
var keyForm = regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`)

// InputNames returns the names of all inputs that the program reads.
func InputNames() []string {
	names := make([]string, len(inputs))
	for i, one := range inputs {
		names[i] = one.name
	}
	return names
}

// Variable is the one that carries an input: the steps of a composite action do
// not get their inputs by themselves, so action.yml hands each of them over.
func Variable(input string) string {
	return "PREVIDENCE_" + strings.ToUpper(strings.ReplaceAll(input, "-", "_"))
}

// ReadInputs reads all inputs. Rules are the names that fail-on may have. The
// error names the input, never what a token is.
func ReadInputs(env Env, rules []string) (Inputs, error) {
	var in Inputs
	for _, one := range inputs {
		value := strings.TrimSpace(env(Variable(one.name)))
		if value == "" {
			value = one.unset
		}
		err := one.set(&in, value, rules)
		switch {
		case err != nil && one.name == "token":
			return in, fmt.Errorf("%w: %s: %w", ErrInput, one.name, err)
		case err != nil:
			return in, fmt.Errorf("%w: %s is %q: %w", ErrInput, one.name, value, err)
		}
	}
	return in, nil
}

func oneOf(value string, allowed ...string) error {
	if slices.Contains(allowed, value) {
		return nil
	}
	return fmt.Errorf("want one of %s", strings.Join(allowed, ", "))
}

// boolean reads what YAML 1.2 takes for one, as GitHub's own actions do.
func boolean(to *bool, value string) error {
	switch value {
	case "true", "True", "TRUE":
		*to = true
	case "false", "False", "FALSE":
		*to = false
	default:
		return errors.New("want true or false")
	}
	return nil
}

// readFailOn reads a list of rules, or the word never.
func readFailOn(in *Inputs, value string, rules []string) error {
	names := list(value)
	if slices.Equal(names, []string{"never"}) {
		in.FailOn = []string{}
		return nil
	}
	for _, name := range names {
		if !slices.Contains(rules, name) {
			return fmt.Errorf("no rule %q; want never, or some of %s", name, strings.Join(rules, ", "))
		}
	}
	in.FailOn = names
	return nil
}

func readCoverageFiles(in *Inputs, value string, _ []string) error {
	in.CoverageFiles = list(value)
	if len(in.CoverageFiles) > maxCoverageFiles {
		return fmt.Errorf("more than %d files", maxCoverageFiles)
	}
	for _, file := range in.CoverageFiles {
		if !filepath.IsLocal(filepath.FromSlash(file)) {
			return fmt.Errorf("%q does not stay inside the workspace", file)
		}
	}
	return nil
}

// list reads names between commas or line ends; nil if there is none.
func list(value string) []string {
	var names []string
	for name := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == ',' || c == '\n' }) {
		if name = strings.TrimSpace(name); name != "" {
			names = append(names, name)
		}
	}
	return names
}
