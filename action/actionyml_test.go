package action_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"

	"github.com/previdence/previdence/action/workflow"
)

// An actionFile is action.yml as far as it is looked at.
type actionFile struct {
	Inputs  map[string]struct{ Description, Default string }
	Outputs map[string]struct{ Description, Value string }
	Runs    struct {
		Using string
		Steps []struct {
			ID, Shell, Run, Uses string
			Env                  map[string]string
		}
	}
}

func readAction(t *testing.T) actionFile {
	t.Helper()
	text, err := os.ReadFile("../action.yml")
	if err != nil {
		t.Fatal(err)
	}
	var f actionFile
	if err := yaml.Unmarshal(text, &f); err != nil {
		t.Fatal(err)
	}
	if len(f.Inputs) == 0 || len(f.Outputs) == 0 || len(f.Runs.Steps) != 2 {
		t.Fatalf("read %d inputs, %d outputs, %d steps", len(f.Inputs), len(f.Outputs), len(f.Runs.Steps))
	}
	return f
}

// installing are the inputs that scripts/action-install reads.
var installing = []string{"version", "build-from-source", "attestation"}

func TestEveryInputReachesTheProgramAndNoOther(t *testing.T) {
	f := readAction(t)
	run := f.Runs.Steps[1]
	for _, name := range workflow.InputNames() {
		if got, want := run.Env[workflow.Variable(name)], "${{ inputs."+name+" }}"; got != want {
			t.Errorf("%s is %q, want %q", workflow.Variable(name), got, want)
		}
		if _, ok := f.Inputs[name]; !ok {
			t.Errorf("action.yml has no input %s", name)
		}
	}
	for name := range f.Inputs {
		if !slices.Contains(workflow.InputNames(), name) && !slices.Contains(installing, name) {
			t.Errorf("nobody reads the input %s", name)
		}
		if slices.Contains(installing, name) && !strings.Contains(f.Runs.Steps[0].Env[workflow.Variable(name)], "inputs."+name) {
			t.Errorf("the input %s does not reach the installation", name)
		}
	}
	if want := len(workflow.InputNames()) + 1; len(run.Env) != want {
		t.Errorf("the step has %d variables, want %d", len(run.Env), want)
	}
}

// A default in action.yml that the program would not read the same way would make
// the documentation wrong.
func TestDefaultsMeanTheSameInBothPlaces(t *testing.T) {
	f := readAction(t)
	given, err := workflow.ReadInputs(func(key string) string {
		for name, input := range f.Inputs {
			if workflow.Variable(name) == key && name != "token" {
				return input.Default
			}
		}
		return ""
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	unset, err := workflow.ReadInputs(func(string) string { return "" }, nil)
	if err != nil {
		t.Fatal(err)
	}
	if given.Mode != unset.Mode || given.Budget != unset.Budget || given.Comment != unset.Comment || given.Check != unset.Check ||
		given.Annotations != unset.Annotations || given.SARIF != unset.SARIF || given.HTML != unset.HTML || given.NoConfig != unset.NoConfig || given.FailOn != nil {
		t.Errorf("action.yml means %+v, nothing means %+v", given, unset)
	}
}

// No step that runs a script has an expression in it, here and in our workflows: it
// would put what somebody else wrote into a shell.
func TestNoExpressionStandsInAScript(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	checked := 0
	for _, file := range append(files, "../action.yml") {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		var document yaml.Node
		if err := yaml.Unmarshal(text, &document); err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		var visit func(n *yaml.Node)
		visit = func(n *yaml.Node) {
			for i, child := range n.Content {
				visit(child)
				if n.Kind != yaml.MappingNode || i%2 == 1 || child.Value != "run" || n.Content[i+1].Kind != yaml.ScalarNode {
					continue
				}
				checked++
				if script := n.Content[i+1].Value; strings.Contains(script, "${{") {
					t.Errorf("%s: line %d: %s", file, child.Line, script)
				}
			}
		}
		visit(&document)
	}
	if checked < 5 {
		t.Errorf("only %d scripts were found", checked)
	}
}

// Our own workflows name other actions by commit: a tag can be moved.
func TestOurWorkflowsPinActionsByCommit(t *testing.T) {
	files, err := filepath.Glob("../.github/workflows/*.yml")
	if err != nil || len(files) == 0 {
		t.Fatal(err, files)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for line := range strings.Lines(string(text)) {
			_, uses, found := strings.Cut(line, "uses: ")
			if !found || strings.HasPrefix(uses, "./") {
				continue
			}
			_, commit, _ := strings.Cut(uses, "@")
			if id, _, _ := strings.Cut(commit, " #"); len(id) != 40 || strings.Trim(id, "0123456789abcdef") != "" {
				t.Errorf("%s: %s", file, strings.TrimSpace(line))
			}
		}
	}
}
