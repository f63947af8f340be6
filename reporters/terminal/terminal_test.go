package terminal

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/previdence/previdence/reporters/reporterstest"
	"github.com/previdence/previdence/review/report"
)

var update = flag.Bool("update", false, "rewrite the golden files")

func TestConformance(t *testing.T) {
	reporterstest.Run(t, reporterstest.Reporter{
		Least: func(r *report.Report) int { return Least(r, Options{}) },
		Render: func(r *report.Report, budget int) ([]byte, error) {
			var b bytes.Buffer
			err := Render(&b, r, Options{Budget: budget})
			return b.Bytes(), err
		}})
}

func TestGolden(t *testing.T) {
	for _, f := range reporterstest.Fixtures() {
		t.Run(f.Name, func(t *testing.T) {
			var got bytes.Buffer
			if err := Render(&got, f.Make(), Options{}); err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", f.Name+".txt")
			if *update {
				if err := os.WriteFile(file, got.Bytes(), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if !bytes.Equal(got.Bytes(), want) {
				t.Errorf("%s differs; run with -update and read the difference", file)
			}
		})
	}
}
