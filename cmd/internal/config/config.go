// Package config reads .previdence.yml, the rules by which a repository wants
// its pull requests judged.
//
// Input is the bytes of the file as the merge base has it; output is a [Config],
// or an error that names the line. A pull request is never judged by rules that
// it brings along, so callers must not give the file of the working tree or of
// head. Nothing is guessed: an unknown key is refused, because a rule with a
// typing error that silently does nothing looks like a rule that was kept. The
// package opens no file.
//
//go:generate sh -c "go run ../../previdence config schema > ../../../docs/schema/config.v1.json.new && mv ../../../docs/schema/config.v1.json.new ../../../docs/schema/config.v1.json"
package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
	"go.yaml.in/yaml/v4"

	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/report"
)

// Path is where the file lies in a tree.
const Path = ".previdence.yml"

// MaxBytes is the size of the largest file that is read.
const MaxBytes = 64 << 10

// What a pattern may hold. Each of these multiplies the ways in which a path can
// match, and every path of the tree is tried.
const (
	maxPatterns     = 200
	maxPatternBytes = 200
	maxChoices      = 4 // of {…} and of ** in one pattern
)

// maxPlatforms is how many can be asked for: each costs as much as all of Go.
const maxPlatforms = 8

// What types can be.
const (
	TypesOn  = "on"
	TypesOff = "off"
)

// Types lists what types can be.
var Types = []string{TypesOn, TypesOff}

// maxDepth is the largest depth that can be asked for.
const maxDepth = 100

// ErrInvalid means that the configuration file says something that means
// nothing here. The message names the line.
var ErrInvalid = errors.New("invalid " + Path)

// A Config is the content of one file. The zero value is that of an empty one.
type Config struct {
	Ignore    []string // patterns of paths that are not parsed, as in doublestar; in the order of the file
	Platforms []string // that Go is linked for beside linux/amd64, in the order of the file; their form is checked, not whether Go knows them
	Types     string   // TypesOn or TypesOff: whether Go is type-checked; "": not said
	FailOn    []string // rules that make the outcome fail; nil: not said
	Depth     int      // edges to follow for the blast radius; 0: not said
	Policy    report.Policy
}

// Parse reads a configuration file.
func Parse(data []byte) (Config, error) {
	var c Config
	if len(data) > MaxBytes {
		return c, fmt.Errorf("%w: more than %d bytes", ErrInvalid, MaxBytes)
	}
	root, err := document(data)
	if root == nil || err != nil {
		return c, err
	}
	if root.Kind != yaml.MappingNode {
		return c, refuse(root, "want keys with values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		if seen[key.Value] {
			return Config{}, refuse(key, "second %q", key.Value)
		}
		seen[key.Value] = true
		if err := c.set(key, value); err != nil {
			return Config{}, err
		}
	}
	return c, nil
}

// document returns the only document of a file, nil if the file holds nothing.
func document(data []byte) (*yaml.Node, error) {
	var file, more yaml.Node
	d := yaml.NewDecoder(bytes.NewReader(data))
	switch err := d.Decode(&file); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%w: %s", ErrInvalid, strings.TrimPrefix(err.Error(), "yaml: "))
	}
	if err := d.Decode(&more); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: more than one document", ErrInvalid)
	}
	if len(file.Content) != 1 {
		return nil, nil
	}
	root := file.Content[0]
	if root.Kind == yaml.ScalarNode && root.Tag == "!!null" {
		return nil, nil
	}
	return root, nil
}

// set takes one key over.
func (c *Config) set(key, value *yaml.Node) (err error) {
	switch key.Value {
	case "ignore":
		c.Ignore, err = list(value, checkPattern)
	case "platforms":
		c.Platforms, err = list(value, checkPlatform)
		if len(c.Platforms) > maxPlatforms {
			return refuse(value, "more than %d platforms", maxPlatforms)
		}
	case "types":
		if c.Types = value.Value; value.Kind != yaml.ScalarNode || !slices.Contains(Types, c.Types) {
			return refuse(value, "types: want %s", strings.Join(Types, " or "))
		}
	case "fail-on":
		c.FailOn, err = list(value, among("rule", review.Rules))
	case "depth":
		if value.Kind != yaml.ScalarNode || value.Tag != "!!int" || value.Decode(&c.Depth) != nil || c.Depth < 1 || c.Depth > maxDepth {
			return refuse(value, "depth: want a number from 1 to %d", maxDepth)
		}
	case "rules":
		c.Policy.Rules, err = rules(value)
	case "suppress":
		c.Policy.Suppress, err = suppressions(value)
	case "layers":
		c.Policy.Layers, err = layers(value)
	default:
		return refuse(key, "unknown key %q; keys: ignore, platforms, types, fail-on, depth, rules, suppress, layers", key.Value)
	}
	return err
}

// layers reads the layers: each with a name, patterns of its folders, and the
// names of those that it may import.
func layers(value *yaml.Node) ([]report.Layer, error) {
	if value.Kind != yaml.SequenceNode || len(value.Content) > maxPatterns {
		return nil, refuse(value, "layers: want a list of at most %d", maxPatterns)
	}
	var out []report.Layer
	names := map[string]bool{}
	for _, n := range value.Content {
		l, err := layer(n)
		if err != nil {
			return nil, err
		}
		if names[l.Name] {
			return nil, refuse(n, "second layer %q", l.Name)
		}
		names[l.Name] = true
		out = append(out, l)
	}
	for i, l := range out {
		for _, name := range l.MayImport {
			if !names[name] {
				return nil, refuse(value.Content[i], "layer %q may import %q, which is no layer", l.Name, name)
			}
		}
	}
	return out, nil
}

func layer(n *yaml.Node) (l report.Layer, err error) {
	if n.Kind != yaml.MappingNode {
		return l, refuse(n, "want a layer with name, paths and may-import")
	}
	l.MayImport = []string{}
	for i := 0; i+1 < len(n.Content) && err == nil; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		switch key.Value {
		case "name":
			if l.Name = value.Value; value.Kind != yaml.ScalarNode {
				err = refuse(value, "want a name")
			}
		case "paths":
			l.Paths, err = list(value, checkPattern)
		case "may-import":
			l.MayImport, err = list(value, func(string) error { return nil })
		default:
			err = refuse(key, "unknown key %q of a layer; keys: name, paths, may-import", key.Value)
		}
	}
	if err == nil && (l.Name == "" || len(l.Paths) == 0) {
		err = refuse(n, "a layer needs a name and paths")
	}
	return l, err
}

// list reads a list of different texts. It is not nil.
func list(value *yaml.Node, check func(string) error) ([]string, error) {
	if value.Kind != yaml.SequenceNode {
		return nil, refuse(value, "want a list")
	}
	if len(value.Content) > maxPatterns {
		return nil, refuse(value, "more than %d lines", maxPatterns)
	}
	texts := make([]string, 0, len(value.Content))
	for _, n := range value.Content {
		if n.Kind != yaml.ScalarNode || n.Tag != "!!str" {
			return nil, refuse(n, "want a text")
		}
		if err := check(n.Value); err != nil {
			return nil, refuse(n, "%w", err)
		}
		if slices.Contains(texts, n.Value) {
			return nil, refuse(n, "second %q", n.Value)
		}
		texts = append(texts, n.Value)
	}
	return texts, nil
}

func checkPattern(p string) error {
	switch {
	case p == "":
		return errors.New("empty pattern")
	case len(p) > maxPatternBytes:
		return fmt.Errorf("pattern of more than %d bytes", maxPatternBytes)
	case strings.Count(p, "{")+strings.Count(p, "**") > maxChoices:
		return fmt.Errorf("pattern with more than %d of { and **", maxChoices)
	case strings.HasPrefix(p, "/") || strings.HasPrefix(p, "!"):
		return fmt.Errorf("pattern %q: write paths from the root of the tree, without a first slash; none is taken out again", p)
	case !doublestar.ValidatePattern(p):
		return fmt.Errorf("pattern %q cannot be read", p)
	}
	return nil
}

func checkPlatform(p string) error {
	if os, arch, ok := strings.Cut(p, "/"); !ok || os == "" || arch == "" || len(p) > maxPatternBytes {
		return fmt.Errorf("platform %q: want an operating system and an architecture, as in windows/amd64", p)
	}
	return nil
}

// refuse names the line that means nothing here.
func refuse(n *yaml.Node, format string, args ...any) error {
	return fmt.Errorf("%w: line %d: %w", ErrInvalid, n.Line, fmt.Errorf(format, args...))
}
