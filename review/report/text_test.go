package report

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestTextsAreWrittenSoThatTheyCanBeToldApartAndRead(t *testing.T) {
	for in, want := range map[string]string{
		"plain é \U0001f4b8 e\u0301": "plain é \U0001f4b8 e\u0301",
		"caf\xe9":                    `caf\\xE9`,
		"caf\xe8\x80":                `caf\\xE8\\x80`,
		"a\u202egnp":                 `a\u202egnp`,
		"c1\u009b2J\x7f":             `c1\u009b2J\u007f`,
		"zero\u200bwidth":            `zero\u200bwidth`,
		"tag\U000e0041":              `tag\udb40\udc41`,
		"line\nbreak":                `line\nbreak`,
		"sign \ufffd":                "sign \ufffd",
	} {
		b, err := (&Report{Subject: Subject{Repository: in}}).Canonical()
		if err != nil || !bytes.Contains(b, []byte(`"`+want+`"`)) {
			t.Errorf("%q is not written as %s: %v\n%s", in, want, err, b)
		}
	}
}

// FuzzTexts compares what is written with what encoding/json reads back.
func FuzzTexts(f *testing.F) {
	for _, s := range []string{"", "x\n", "\xff\xfe", "\u202e", "\U000e0041\u0000", `\u202e`, "\"\\"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		b, err := (&Report{Schema: Schema, Subject: Subject{Repository: s}}).Canonical()
		if err != nil || !utf8.Valid(b) {
			t.Fatal(err, b)
		}
		if i := strings.IndexFunc(string(b), func(c rune) bool { return c != '\n' && (unicode.IsControl(c) || unicode.Is(unicode.Cf, c)) }); i >= 0 {
			t.Fatalf("%q acts at %d of %q", s, i, b)
		}
		r, err := Read(bytes.NewReader(b))
		if err != nil {
			t.Fatal(err)
		}
		if utf8.ValidString(s) && r.Subject.Repository != s {
			t.Fatalf("%q is read back as %q", s, r.Subject.Repository)
		}
		if again, err := r.Canonical(); err != nil || !bytes.Equal(again, b) || !json.Valid(again) {
			t.Fatalf("%q has other bytes the second time: %v", s, err)
		}
	})
}
