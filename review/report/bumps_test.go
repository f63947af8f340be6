package report

import (
	"reflect"
	"testing"
)

func TestEqualBumpsOfSeveralManifestsAreOne(t *testing.T) {
	checkout := Required{Name: "actions/checkout", Change: "bumped", From: "v3", To: "v4"}
	setup := Required{Name: "actions/setup-go", Change: "bumped", From: "v4", To: "v5"}
	const newCheckout, newSetup = "actions/checkout v3 → v4", "actions/setup-go v4 → v5"
	d := Dependencies{Manifests: []Manifest{
		{Path: "a.yml", Changes: []string{newCheckout}, Packages: []Required{checkout}, Total: 1},
		{Path: "b.yml", Changes: []string{newCheckout, newSetup}, Packages: []Required{checkout, setup}, Total: 2},
		{Path: "c.yml", Changes: []string{newCheckout}, Packages: []Required{checkout}, Total: 1},
		{Path: "d.yml", Changes: []string{newSetup}, Packages: []Required{setup}, Total: 1},
	}}
	want := []Bump{
		{Paths: []string{"a.yml", "b.yml", "c.yml"}, Changes: []string{newCheckout}, Packages: []Required{checkout, setup}},
		{Paths: []string{"b.yml", "d.yml"}, Changes: []string{newSetup}},
	}
	if got := d.Bumps(); !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}
