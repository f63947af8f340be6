package config

import (
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/previdence/previdence/review/report"
)

const policy = `
rules:
  - rule: untested-change
    paths: ['gen/**']
    kinds: [constant]
    fail: false
    reason: Generated code has no tests
  - rule: breaks
    tiers: [compiler, exact]
    fail: true
    reason: Only what is certain
suppress:
  - rule: api-breaking
    decision: drop-v1
    until: 2027-01-31
`

func TestAPolicyIsRead(t *testing.T) {
	c, err := Parse([]byte(policy))
	want := report.Policy{
		Rules: []report.PolicyRule{
			{Rule: "untested-change", Paths: []string{"gen/**"}, Kinds: []string{"constant"}, Tiers: []string{}, Reason: "Generated code has no tests"},
			{Rule: "breaks", Paths: []string{}, Kinds: []string{}, Tiers: []string{"compiler", "exact"}, Fail: true, Reason: "Only what is certain"}},
		Suppress: []report.Suppression{{Rule: "api-breaking", Decision: "drop-v1", Paths: []string{}, Until: "2027-01-31"}},
	}
	if err != nil || !reflect.DeepEqual(c.Policy, want) {
		t.Errorf("%v\n%+v\n%+v", err, c.Policy, want)
	}
}

func TestAPolicyThatMeansNothingIsRefusedWithItsLine(t *testing.T) {
	for name, c := range map[string]struct{ old, new, want string }{
		"no such rule":           {"rule: untested-change", "rule: untested", `line 3: no rule "untested"`},
		"what has no findings":   {"rule: untested-change", "rule: incomplete", `line 3: no rule "incomplete"`},
		"an unknown key":         {"kinds:", "kind:", `line 5: unknown key "kind"`},
		"a key twice":            {"fail: false", "fail: false\n    fail: true", `line 7: second "fail"`},
		"no reason":              {"    reason: Only what is certain\n", "", `line 8: "reason" is missing`},
		"an empty reason":        {"reason: Only what is certain", "reason: ' '", `line 11: want one line`},
		"a word for a truth":     {"fail: true", "fail: 'yes'", `line 10: want true or false`},
		"no such kind":           {"[constant]", "[constants]", `line 5: no kind "constants"`},
		"no such tier":           {"[compiler, exact]", "[sure]", `line 9: no tier "sure"`},
		"tiers of what has none": {"kinds: [constant]", "tiers: [name]", `line 3: only breaks has tiers`},
		"a bad pattern":          {"'gen/**'", "'/gen'", `line 4: pattern "/gen"`},
		"a suppression for ever": {"    until: 2027-01-31\n", "", `line 13: "until" is missing`},
		"no such day":            {"2027-01-31", "2027-02-31", `line 15: "2027-02-31"`},
		"no id":                  {"drop-v1", "Drop v1", `line 14: "Drop v1" is no id`},
		"a mapping for a list":   {"suppress:\n  - rule: api-breaking", "suppress:\n    rule: api-breaking", `want a list`},
	} {
		file := strings.Replace(policy, c.old, c.new, 1)
		if file == policy {
			t.Fatalf("%s: nothing was changed", name)
		}
		if _, err := Parse([]byte(file)); !errors.Is(err, ErrInvalid) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %s", name, err, c.want)
		}
	}
}

func TestTheCommittedSchemaIsThatOfTheProgram(t *testing.T) {
	committed, err := os.ReadFile("../../../docs/schema/config.v1.json")
	if err != nil || string(committed) != string(Schema()) {
		t.Errorf("run: go generate ./cmd/internal/config (%v)", err)
	}
	var schema struct{ Properties map[string]any }
	if err := json.Unmarshal(committed, &schema); err != nil {
		t.Fatal(err)
	}
	for key := range schema.Properties {
		if _, err := Parse([]byte(key + ": \n")); err != nil && strings.Contains(err.Error(), "unknown key") {
			t.Errorf("the schema has a key that the program does not know: %v", err)
		}
	}
	_, err = Parse([]byte("no-such-key: 1"))
	_, keys, _ := strings.Cut(err.Error(), "keys: ")
	for key := range strings.SplitSeq(keys, ", ") {
		if schema.Properties[key] == nil {
			t.Errorf("the schema lacks the key %s", key)
		}
	}
}
