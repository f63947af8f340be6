package html

import (
	"math"
	"regexp"
	"strconv"
	"testing"
)

var colour = regexp.MustCompile(`--([a-z-]+): light-dark\(#([0-9a-f]{6}), #([0-9a-f]{6})\);`)

// luminance of a colour as WCAG 2 defines it.
func luminance(t *testing.T, hex string) float64 {
	t.Helper()
	sum := 0.0
	for i, weight := range []float64{0.2126, 0.7152, 0.0722} {
		n, err := strconv.ParseUint(hex[2*i:2*i+2], 16, 8)
		if err != nil {
			t.Fatal(err)
		}
		c := float64(n) / 255
		if c <= 0.04045 {
			c /= 12.92
		} else {
			c = math.Pow((c+0.055)/1.055, 2.4)
		}
		sum += weight * c
	}
	return sum
}

// TestContrast checks text against AA of WCAG 2, and lines that tell something
// against its rule for graphics, on every ground and in both schemes.
func TestContrast(t *testing.T) {
	colours := map[string][2]string{}
	for _, m := range colour.FindAllStringSubmatch(style, -1) {
		colours[m[1]] = [2]string{m[2], m[3]}
	}
	for _, ground := range []string{"paper", "raised", "tint", "code"} {
		for name, least := range map[string]float64{"ink": 7, "soft": 4.5, "link": 4.5, "pass": 4.5, "fail": 4.5, "incomplete": 4.5, "strong-line": 3, "focus": 3} {
			for scheme := range 2 {
				front, back := colours[name][scheme], colours[ground][scheme]
				if front == "" || back == "" {
					t.Fatalf("no colour %s or %s", name, ground)
				}
				a, b := luminance(t, front), luminance(t, back)
				if ratio := (max(a, b) + 0.05) / (min(a, b) + 0.05); ratio < least {
					t.Errorf("%s on %s, scheme %d: %.2f, want %v", name, ground, scheme, ratio, least)
				}
			}
		}
	}
}
