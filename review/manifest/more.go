package manifest

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"path"
	"regexp"
	"strings"
)

// A pomDependency is a dependency or a plugin of Maven.
type pomDependency struct {
	Group    string `xml:"groupId"`
	Artifact string `xml:"artifactId"`
	Version  string `xml:"version"`
	Scope    string `xml:"scope"`
}

// readPom reads dependencies, managed ones, plugins and the parent of a Maven
// project. A version that names a property is written as its value.
func readPom(data []byte) (declared, error) {
	d := declared{}
	properties := map[string]string{}
	var list []struct {
		pomDependency
		part string
	}
	add := func(part string, p pomDependency) {
		list = append(list, struct {
			pomDependency
			part string
		}{p, part})
	}
	err := elements(data, func(dec *xml.Decoder, start xml.StartElement, within []string) error {
		part, last := "", ""
		for _, w := range within {
			switch w {
			case "dependencyManagement":
				part = "managed"
			case "plugins", "pluginManagement":
				part = "plugin"
			}
			last = w
		}
		switch name := start.Name.Local; {
		case name == "dependency" && last == "dependencies", name == "plugin" && last == "plugins", name == "parent" && last == "project":
			var p pomDependency
			if err := dec.DecodeElement(&p, &start); err != nil {
				return err
			}
			if name == "parent" {
				part = "parent"
			} else if p.Scope != "" && part == "" {
				part = p.Scope
			}
			add(part, p)
		case last == "properties":
			var text string
			if err := dec.DecodeElement(&text, &start); err != nil {
				return err
			}
			properties[name] = strings.TrimSpace(text)
		}
		return nil
	})
	for _, p := range list {
		version := pomProperty.ReplaceAllStringFunc(p.Version, func(s string) string {
			if v, ok := properties[s[2:len(s)-1]]; ok {
				return v
			}
			return s
		})
		d.add(p.part, strings.Trim(p.Group+":"+p.Artifact, ":"), version)
	}
	return d, err
}

var pomProperty = regexp.MustCompile(`\$\{[^}]*\}`)

// maxElements bounds how deep elements of XML may lie in one another.
const maxElements = 100

// elements calls f for every element, with the names of those around it. What f
// decodes is not visited again.
func elements(data []byte, f func(*xml.Decoder, xml.StartElement, []string) error) error {
	dec := xml.NewDecoder(bytes.NewReader(data))
	dec.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	var within []string
	for {
		t, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return unreadable(err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if len(within) > maxElements {
				return unreadable(errNesting)
			}
			before := dec.InputOffset()
			if err := f(dec, t, within); err != nil {
				return unreadable(err)
			}
			if dec.InputOffset() == before {
				within = append(within, t.Name.Local)
			}
		case xml.EndElement:
			if len(within) > 0 {
				within = within[:len(within)-1]
			}
		}
	}
}

// readProject reads the package references of a .NET project.
func readProject(data []byte) (declared, error) {
	d := declared{}
	err := elements(data, func(_ *xml.Decoder, start xml.StartElement, _ []string) error {
		part, known := map[string]string{"PackageReference": "", "PackageVersion": "", "GlobalPackageReference": "", "DotNetCliToolReference": "tool", "package": ""}[start.Name.Local]
		if !known {
			return nil
		}
		name, version := "", ""
		for _, a := range start.Attr {
			switch a.Name.Local {
			case "Include", "Update", "id":
				name = a.Value
			case "Version", "version", "VersionOverride":
				version = a.Value
			}
		}
		if name != "" {
			d.add(part, name, version)
		}
		return nil
	})
	return d, err
}

var (
	gradleLine   = regexp.MustCompile(`(?m)^\s*(\w*(?:[iI]mplementation|[aA]pi|[cC]ompile|[cC]ompileOnly|[rR]untimeOnly|kapt|ksp|[aA]nnotationProcessor|classpath|[pP]latform))\s*\(?\s*(?:(?:enforcedP|p)latform\s*\()?\s*["']([^"':\s]+:[^"':\s]+)(?::([^"'\s]+))?["']`)
	gradlePlugin = regexp.MustCompile(`(?m)^\s*id\s*\(?\s*["']([\w.-]+)["']\s*\)?\s*version\s*\(?\s*["']([^"']+)["']`)
)

// readGradle reads dependencies that are written out in a build file. What a
// program computes is not seen.
func readGradle(data []byte) (declared, error) {
	d := declared{}
	for _, m := range gradleLine.FindAllSubmatch(data, -1) {
		part := string(m[1])
		if part == "implementation" || part == "api" || part == "compile" {
			part = ""
		}
		d.add(part, string(m[2]), string(m[3]))
	}
	for _, m := range gradlePlugin.FindAllSubmatch(data, -1) {
		d.add("plugin", string(m[1]), string(m[2]))
	}
	return d, nil
}

// readCatalog reads a version catalog of Gradle.
func readCatalog(data []byte) (declared, error) {
	var c struct {
		Versions  map[string]any `toml:"versions"`
		Libraries map[string]any `toml:"libraries"`
		Plugins   map[string]any `toml:"plugins"`
	}
	if err := readTOML(data, &c); err != nil {
		return nil, err
	}
	d := declared{}
	d.catalog("", c.Libraries, c.Versions)
	d.catalog("plugin", c.Plugins, c.Versions)
	return d, nil
}

func (d declared) catalog(part string, entries, versions map[string]any) {
	for alias, v := range entries {
		name, version := alias, ""
		switch v := v.(type) {
		case string:
			if i := strings.LastIndexByte(v, ':'); i > 0 {
				name, version = v[:i], v[i+1:]
			}
		case map[string]any:
			for _, key := range []string{"module", "id", "name"} {
				if s, ok := v[key].(string); ok {
					name = s
					break
				}
			}
			version = text(v["version"])
			if ref, ok := v["version"].(map[string]any); ok {
				if s, ok := ref["ref"].(string); ok {
					version = text(versions[s])
				}
			}
		}
		d.add(part, name, version)
	}
}

var (
	gemLine  = regexp.MustCompile(`(?m)^\s*gem\s*\(?\s*["']([^"']+)["']((?:\s*,\s*["'][^"']*["'])*)`)
	gemText  = regexp.MustCompile(`["']([^"']*)["']`)
	gemspec  = regexp.MustCompile(`(?m)^\s*\w+\.add_(?:(?:runtime|development)_)?dependency\s*\(?\s*["']([^"']+)["']((?:\s*,\s*["'][^"']*["'])*)`)
	lockLine = regexp.MustCompile(`(?m)^    ([\w.-]+) \(([^)]+)\)$`)
)

// readGemfile reads the gems of a Gemfile or a gemspec.
func readGemfile(data []byte) (declared, error) {
	d := declared{}
	for _, re := range []*regexp.Regexp{gemLine, gemspec} {
		for _, m := range re.FindAllSubmatch(data, -1) {
			var versions []string
			for _, v := range gemText.FindAllSubmatch(m[2], -1) {
				versions = append(versions, string(v[1]))
			}
			d.add("", string(m[1]), strings.Join(versions, ", "))
		}
	}
	return d, nil
}

func readGemfileLock(data []byte) (declared, error) {
	d := declared{}
	for _, m := range lockLine.FindAllSubmatch(data, -1) {
		d.add("", string(m[1]), string(m[2]))
	}
	return d, nil
}

func readComposer(data []byte) (declared, error) {
	var c struct {
		Require map[string]any `json:"require"`
		Dev     map[string]any `json:"require-dev"`
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	d.table("", c.Require)
	d.table("dev", c.Dev)
	return d, nil
}

func readComposerLock(data []byte) (declared, error) {
	type entry struct{ Name, Version string }
	var lock struct {
		Packages []entry `json:"packages"`
		Dev      []entry `json:"packages-dev"`
	}
	if err := json.Unmarshal(data, &lock); err != nil {
		return nil, unreadable(err)
	}
	d := declared{}
	for _, p := range append(lock.Packages, lock.Dev...) {
		d.add("", p.Name, p.Version)
	}
	return d, nil
}

// byEnding finds formats whose files have no fixed name.
func byEnding(name string) format {
	switch path.Ext(name) {
	case ".csproj", ".fsproj", ".vbproj":
		return readProject
	case ".gemspec":
		return readGemfile
	case ".gradle":
		return readGradle
	}
	switch {
	case strings.HasSuffix(name, ".gradle.kts"):
		return readGradle
	case strings.HasSuffix(name, ".versions.toml"):
		return readCatalog
	}
	return nil
}
