package manifest

import (
	"bytes"
	"encoding/json"
	"strings"

	"go.yaml.in/yaml/v4"
)

// readGoSum reads "module version hash" lines. The hash counts: the same version
// with another content is a change.
func readGoSum(data []byte) (declared, error) {
	d := declared{}
	for line := range strings.Lines(string(data)) {
		f := strings.Fields(line)
		if len(f) == 3 && !strings.HasSuffix(f[1], "/go.mod") {
			d.add("", f[0], f[1]+" "+f[2])
		}
	}
	return d, nil
}

func readPackageLock(data []byte) (declared, error) {
	type entry struct {
		Version string `json:"version"`
	}
	var lock struct {
		Packages     map[string]entry `json:"packages"`     // version 2 and 3
		Dependencies map[string]entry `json:"dependencies"` // version 1
	}
	if err := json.Unmarshal(bytes.TrimPrefix(data, []byte("\uFEFF")), &lock); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	entries := lock.Packages
	if entries == nil {
		entries = lock.Dependencies
	}
	for name, e := range entries {
		if name != "" { // the project itself
			d.add("", name, e.Version)
		}
	}
	return d, nil
}

// readPnpmLock reads the keys of packages: "/name/1.0.0", "/name@1.0.0",
// "name@1.0.0", by the version of the format.
func readPnpmLock(data []byte) (declared, error) {
	var lock struct {
		Packages map[string]yaml.Node `yaml:"packages"`
	}
	if err := yaml.Unmarshal(data, &lock); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	for key := range lock.Packages {
		key = strings.TrimPrefix(key, "/")
		key, _, _ = strings.Cut(key, "(") // what it was resolved with
		at := strings.LastIndexByte(key, '@')
		if at <= 0 {
			at = strings.LastIndexByte(key, '/')
		}
		if at <= 0 {
			continue
		}
		d.add("", key[:at], key[at+1:])
	}
	return d, nil
}

// readYarnLock reads blocks of a line of names that ends in a colon and an
// indented version, as both formats of the file have them.
func readYarnLock(data []byte) (declared, error) {
	d := declared{}
	name := ""
	for line := range strings.Lines(string(data)) {
		line = strings.TrimRight(line, " \t\r\n")
		switch {
		case line == "" || line[0] == '#':
		case line[0] != ' ':
			first, _, _ := strings.Cut(strings.Trim(line, `":`), ",")
			first = strings.Trim(first, `"`)
			name = first
			if at := strings.LastIndexByte(first, '@'); at > 0 {
				name = first[:at]
			}
			if i := strings.Index(name, "@npm:"); i > 0 {
				name = name[:i] // "x@npm:y@1": an alias
			}
		case strings.HasPrefix(line, "  version") && name != "" && name != "__metadata":
			d.add("", name, strings.Trim(strings.TrimPrefix(line, "  version"), `": `))
		}
	}
	return d, nil
}

// readTOMLLock reads [[package]] tables with a name and a version, which Poetry,
// uv and Cargo all write.
func readTOMLLock(data []byte) (declared, error) {
	var lock struct {
		Package []struct {
			Name    string `toml:"name"`
			Version string `toml:"version"`
		} `toml:"package"`
	}
	if err := readTOML(data, &lock); err != nil {
		return nil, err
	}
	d := declared{}
	for _, p := range lock.Package {
		d.add("", p.Name, p.Version)
	}
	return d, nil
}
