package manifest

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"sort"
	"strings"

	"go.yaml.in/yaml/v4"
	"golang.org/x/mod/modfile"
)

// ErrTooLarge means that a manifest is larger than [MaxSize].
var ErrTooLarge = errors.New("manifest too large")

// ErrFormat means that a manifest is not what its name says.
var ErrFormat = errors.New("unreadable manifest")

func unreadable(err error) error { return fmt.Errorf("%w: %w", ErrFormat, err) }

func readGoMod(data []byte) (declared, error) {
	f, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	if f.Go != nil {
		d.add("", "go", f.Go.Version)
	}
	if f.Toolchain != nil {
		d.add("", "toolchain", f.Toolchain.Name)
	}
	for _, r := range f.Require {
		version := r.Mod.Version
		if r.Indirect {
			version += " // indirect"
		}
		d.add("", r.Mod.Path, version)
	}
	for _, r := range f.Replace {
		d.add("replace", strings.TrimSpace(r.Old.Path+" "+r.Old.Version), strings.TrimSpace(r.New.Path+" "+r.New.Version))
	}
	for _, x := range f.Exclude {
		d.add("exclude", x.Mod.Path+" "+x.Mod.Version, "")
	}
	for _, t := range f.Tool {
		d.add("tool", t.Path, "")
	}
	return d, nil
}

// packageParts are the fields of package.json that hold dependencies.
var packageParts = map[string]string{
	"dependencies": "", "devDependencies": "dev", "peerDependencies": "peer", "optionalDependencies": "optional",
	"engines": "engine", "resolutions": "resolution",
}

func readPackageJSON(data []byte) (declared, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &fields); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	for field, part := range packageParts {
		var values map[string]any
		if raw, ok := fields[field]; !ok || json.Unmarshal(raw, &values) != nil {
			continue // npm takes other shapes of engines and old fields without a word
		}
		for name, v := range values {
			if version, ok := v.(string); ok {
				d.add(part, name, version)
			}
		}
	}
	var manager string
	if json.Unmarshal(fields["packageManager"], &manager) == nil && manager != "" {
		version, _, _ := strings.Cut(manager, "+")
		name, version, _ := strings.Cut(version, "@")
		d.add("package manager", name, version)
	}
	return d, nil
}

// pyproject is the part of pyproject.toml that declares dependencies.
type pyproject struct {
	Project struct {
		RequiresPython       string              `toml:"requires-python"`
		Dependencies         []string            `toml:"dependencies"`
		OptionalDependencies map[string][]string `toml:"optional-dependencies"`
	} `toml:"project"`
	BuildSystem struct {
		Requires []string `toml:"requires"`
	} `toml:"build-system"`
	Groups map[string][]any `toml:"dependency-groups"`
	Tool   struct {
		Poetry struct {
			Dependencies map[string]any `toml:"dependencies"`
			Dev          map[string]any `toml:"dev-dependencies"`
			Group        map[string]struct {
				Dependencies map[string]any `toml:"dependencies"`
			} `toml:"group"`
		} `toml:"poetry"`
	} `toml:"tool"`
}

func readPyproject(data []byte) (declared, error) {
	var p pyproject
	if err := readTOML(data, &p); err != nil {
		return nil, err
	}
	d := declared{}
	if p.Project.RequiresPython != "" {
		d.add("", "python", p.Project.RequiresPython)
	}
	d.requirements("", p.Project.Dependencies)
	for group, list := range p.Project.OptionalDependencies {
		d.requirements(group, list)
	}
	d.requirements("build", p.BuildSystem.Requires)
	for group, list := range p.Groups {
		for _, v := range list {
			switch v := v.(type) {
			case string:
				d.requirements(group, []string{v})
			case map[string]any:
				d.add(group, "include-group", text(v["include-group"]))
			}
		}
	}
	d.table("", p.Tool.Poetry.Dependencies)
	d.table("dev", p.Tool.Poetry.Dev)
	for group, g := range p.Tool.Poetry.Group {
		d.table(group, g.Dependencies)
	}
	return d, nil
}

// requirements adds lines such as "requests[socks] >= 2.0; python_version < '3'".
func (d declared) requirements(part string, list []string) {
	for _, line := range list {
		name, rest := cutRequirement(line)
		if name != "" {
			d.add(part, name, rest)
		}
	}
}

// cutRequirement takes the name off a requirement, extras included. Python reads
// names without regard to case, dashes and dots.
func cutRequirement(line string) (name, rest string) {
	line = strings.TrimSpace(line)
	end := strings.IndexAny(line, " \t<>=!~;@(")
	if b := strings.IndexByte(line, '['); b > 0 && (end < 0 || b < end) {
		if c := strings.IndexByte(line, ']'); c > b {
			end = c + 1
		}
	}
	if end < 0 || end > len(line) {
		end = len(line)
	}
	name = strings.ToLower(strings.NewReplacer("_", "-", ".", "-").Replace(line[:end]))
	return name, strings.TrimSpace(line[end:])
}

// table adds dependencies written as name = "version" or name = {version = …}.
func (d declared) table(part string, values map[string]any) {
	for name, v := range values {
		d.add(part, name, text(v))
	}
}

// text writes a value of a table in one line, keys in order.
func text(v any) string { return textTo(v, 8) }

func textTo(v any, depth int) string {
	if depth == 0 {
		return "…"
	}
	switch v := v.(type) {
	case string:
		return v
	case map[string]any:
		if version, ok := v["version"].(string); ok && len(v) == 1 {
			return version
		}
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		sort.Strings(keys)
		for i, k := range keys {
			keys[i] = k + " = " + textTo(v[k], depth-1)
		}
		return "{" + strings.Join(keys, ", ") + "}"
	case []any:
		parts := make([]string, len(v))
		for i, e := range v {
			parts[i] = textTo(e, depth-1)
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case nil:
		return ""
	}
	return fmt.Sprint(v)
}

func readRequirements(data []byte) (declared, error) {
	d := declared{}
	text := strings.ReplaceAll(strings.ReplaceAll(string(data), "\r\n", "\n"), "\\\n", " ")
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if i := strings.Index(line, " #"); i >= 0 {
			line = line[:i]
		}
		if i := strings.Index(line, " --hash"); i >= 0 {
			line = line[:i] // hashes belong to the version
		}
		switch {
		case line == "" || line[0] == '#':
		case line[0] == '-':
			option, value, _ := strings.Cut(strings.Replace(line, "=", " ", 1), " ")
			d.add("option", option+" "+strings.TrimSpace(value), "")
		default:
			d.requirements("", []string{line})
		}
	}
	return d, nil
}

// setupParts are the keys of setup.cfg that hold lists of requirements.
var setupParts = map[string]string{"install_requires": "", "setup_requires": "build", "tests_require": "tests", "python_requires": ""}

func readSetupCfg(data []byte) (declared, error) {
	d := declared{}
	section, key := "", ""
	for line := range strings.Lines(string(data)) {
		trimmed := strings.TrimSpace(line)
		indented := strings.HasPrefix(line, " ") || strings.HasPrefix(line, "\t")
		switch {
		case trimmed == "" || trimmed[0] == '#' || trimmed[0] == ';':
			continue
		case !indented && trimmed[0] == '[':
			section, key = strings.Trim(trimmed, "[]"), ""
			continue
		case !indented:
			name, value, ok := strings.Cut(trimmed, "=")
			if !ok {
				return nil, unreadable(fmt.Errorf("line %.40q is no setting", trimmed))
			}
			key, trimmed = strings.TrimSpace(name), strings.TrimSpace(value)
		}
		d.setting(section, key, trimmed)
	}
	return d, nil
}

// setting adds one line of a setting's value.
func (d declared) setting(section, key, value string) {
	if value == "" {
		return
	}
	part, known := setupParts[key]
	switch {
	case section == "options" && key == "python_requires":
		d.add(part, "python", value)
	case section == "options" && known:
		d.requirements(part, []string{value})
	case section == "options.extras_require" && key != "":
		d.requirements(key, []string{value})
	}
}

// cargo is the part of Cargo.toml that declares dependencies.
type cargo struct {
	cargoParts
	Target    map[string]cargoParts `toml:"target"`
	Workspace struct {
		Dependencies map[string]any `toml:"dependencies"`
	} `toml:"workspace"`
	Package struct {
		Edition any `toml:"edition"`
		Rust    any `toml:"rust-version"`
	} `toml:"package"`
	Patch map[string]map[string]any `toml:"patch"`
}

type cargoParts struct {
	Dependencies map[string]any `toml:"dependencies"`
	Dev          map[string]any `toml:"dev-dependencies"`
	Build        map[string]any `toml:"build-dependencies"`
}

func readCargo(data []byte) (declared, error) {
	var c cargo
	if err := readTOML(data, &c); err != nil {
		return nil, err
	}
	d := declared{}
	d.cargo("", c.cargoParts)
	for target, parts := range c.Target {
		d.cargo(target, parts)
	}
	d.table("workspace", c.Workspace.Dependencies)
	for source, values := range c.Patch {
		d.table("patch "+source, values)
	}
	if c.Package.Edition != nil {
		d.add("", "edition", text(c.Package.Edition))
	}
	if c.Package.Rust != nil {
		d.add("", "rust-version", text(c.Package.Rust))
	}
	return d, nil
}

func (d declared) cargo(target string, p cargoParts) {
	part := func(name string) string { return strings.TrimSpace(target + " " + name) }
	d.table(part(""), p.Dependencies)
	d.table(part("dev"), p.Dev)
	d.table(part("build"), p.Build)
}

// readWorkflow collects what a workflow or action runs from elsewhere.
func readWorkflow(data []byte) (declared, error) {
	var root yaml.Node
	if err := yaml.Unmarshal(data, &root); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	d.uses(&root, 0)
	return d, nil
}

// maxDepth is deeper than any workflow. Aliases are not followed: what they
// stand for is read where it is written.
const maxDepth = 64

func (d declared) uses(n *yaml.Node, depth int) {
	if depth > maxDepth {
		return
	}
	if n.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Value != "uses" || value.Kind != yaml.ScalarNode {
				continue
			}
			name, version, _ := strings.Cut(value.Value, "@")
			d.add("", name, pinnedVersion(version, value.LineComment))
		}
	}
	for _, c := range n.Content {
		d.uses(c, depth+1)
	}
}

// pinnedVersion is the version of an action as a reader knows it: for a pinned
// commit with a comment "v4.0.0 at 0123456789ab" from "# v4.0.0 of May", else
// what stands there.
func pinnedVersion(version, comment string) string {
	if len(version) < 40 || strings.Trim(version, "0123456789abcdef") != "" {
		return version
	}
	words := strings.Fields(strings.TrimLeft(comment, "# "))
	if len(words) == 0 || !strings.ContainsAny(words[0], "0123456789") {
		return version
	}
	return words[0] + " at " + version[:12]
}
