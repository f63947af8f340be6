package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"go.yaml.in/yaml/v4"

	"github.com/previdence/previdence/graph"
	"github.com/previdence/previdence/review"
	"github.com/previdence/previdence/review/memory"
	"github.com/previdence/previdence/review/report"
)

// maxReason is how many bytes a reason may have.
const maxReason = 500

// rules reads where rules fail and where they do not.
func rules(value *yaml.Node) ([]report.PolicyRule, error) {
	var all []report.PolicyRule
	err := entries(value, func(n *yaml.Node) error {
		r := report.PolicyRule{Paths: []string{}, Kinds: []string{}, Tiers: []string{}}
		err := fields(n, []string{"rule", "fail", "reason"}, map[string]func(*yaml.Node) error{
			"rule":   func(v *yaml.Node) error { return text(v, &r.Rule, among("rule", judged())) },
			"paths":  func(v *yaml.Node) (err error) { r.Paths, err = list(v, checkPattern); return err },
			"kinds":  func(v *yaml.Node) (err error) { r.Kinds, err = list(v, among("kind", kinds())); return err },
			"tiers":  func(v *yaml.Node) (err error) { r.Tiers, err = list(v, among("tier", tiers())); return err },
			"fail":   func(v *yaml.Node) error { return truth(v, &r.Fail) },
			"reason": func(v *yaml.Node) error { return text(v, &r.Reason, checkReason) },
		})
		if err == nil && len(r.Tiers) > 0 && r.Rule != review.RuleBreaks {
			err = refuse(n, "only %s has tiers", review.RuleBreaks)
		}
		all = append(all, r)
		return err
	})
	return all, err
}

// suppressions reads what recorded decisions keep out of the verdict, and until when.
func suppressions(value *yaml.Node) ([]report.Suppression, error) {
	var all []report.Suppression
	err := entries(value, func(n *yaml.Node) error {
		s := report.Suppression{Paths: []string{}}
		err := fields(n, []string{"rule", "decision", "until"}, map[string]func(*yaml.Node) error{
			"rule":     func(v *yaml.Node) error { return text(v, &s.Rule, among("rule", judged())) },
			"decision": func(v *yaml.Node) error { return text(v, &s.Decision, checkID) },
			"paths":    func(v *yaml.Node) (err error) { s.Paths, err = list(v, checkPattern); return err },
			"until":    func(v *yaml.Node) error { return text(v, &s.Until, checkMoment) },
		})
		all = append(all, s)
		return err
	})
	return all, err
}

// judged are the rules that have findings. What could not be seen has none: no policy
// turns it into something that was.
func judged() []string {
	return slices.DeleteFunc(slices.Clone(review.Rules), func(r string) bool { return r == review.RuleIncomplete })
}

func kinds() []string {
	var all []string
	for k := graph.KindModule; k.String() != "" && len(all) < 64; k++ {
		all = append(all, k.String())
	}
	return all
}

func tiers() []string {
	var all []string
	for t := graph.TierCompiler; t <= graph.TierName; t++ {
		all = append(all, t.String())
	}
	return all
}

func checkReason(s string) error {
	if strings.TrimSpace(s) == "" || len(s) > maxReason || strings.ContainsFunc(s, unicode.IsControl) {
		return fmt.Errorf("want one line of at most %d bytes that says why", maxReason)
	}
	return nil
}

func checkID(s string) error {
	if !memory.IsID(s) {
		return fmt.Errorf("%q is no id of a decision", s)
	}
	return nil
}

func checkMoment(s string) error {
	if !memory.IsMoment(s) {
		return fmt.Errorf("%q: want a full commit ID, or a day like 2026-01-31", s)
	}
	return nil
}

// among returns a check for one of some words.
func among(noun string, words []string) func(string) error {
	return func(s string) error {
		if !slices.Contains(words, s) {
			return fmt.Errorf("no %s %q; %ss: %s", noun, s, noun, strings.Join(words, ", "))
		}
		return nil
	}
}

// entries reads each element of a list.
func entries(value *yaml.Node, each func(*yaml.Node) error) error {
	if value.Kind != yaml.SequenceNode {
		return refuse(value, "want a list")
	}
	if len(value.Content) > maxPatterns {
		return refuse(value, "more than %d entries", maxPatterns)
	}
	for _, n := range value.Content {
		if err := each(n); err != nil {
			return err
		}
	}
	return nil
}

// fields reads a mapping: keys that are known, each once, the needed ones all.
func fields(n *yaml.Node, needed []string, known map[string]func(*yaml.Node) error) error {
	if n.Kind != yaml.MappingNode {
		return refuse(n, "want keys with values")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		set, ok := known[key.Value]
		if !ok {
			return refuse(key, "unknown key %q", key.Value)
		}
		if seen[key.Value] {
			return refuse(key, "second %q", key.Value)
		}
		seen[key.Value] = true
		if err := set(value); err != nil {
			return err
		}
	}
	for _, key := range needed {
		if !seen[key] {
			return refuse(n, "%q is missing", key)
		}
	}
	return nil
}

// text reads one text. A day is written without quotes, so it counts as one.
func text(v *yaml.Node, into *string, check func(string) error) error {
	if v.Kind != yaml.ScalarNode || v.Tag != "!!str" && v.Tag != "!!timestamp" {
		return refuse(v, "want a text")
	}
	if err := check(v.Value); err != nil {
		return refuse(v, "%w", err)
	}
	*into = v.Value
	return nil
}

func truth(v *yaml.Node, into *bool) error {
	if v.Kind != yaml.ScalarNode || v.Tag != "!!bool" || v.Decode(into) != nil {
		return refuse(v, "%w", errors.New("want true or false"))
	}
	return nil
}
