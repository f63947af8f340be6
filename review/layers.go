package review

import (
	"slices"
	"strings"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/previdence/previdence/review/report"
)

// breaches lists the new dependencies that the layers forbid. What was there
// before is not held against a pull request, and a folder that no layer has may
// import and be imported.
func breaches(layers []report.Layer, added []report.Dependency) []report.LayerBreach {
	out := []report.LayerBreach{}
	for _, d := range added {
		from, ok := layerOf(layers, d.From)
		on, known := layerOf(layers, d.To)
		if !ok || !known || from.Name == on.Name || slices.Contains(from.MayImport, on.Name) {
			continue
		}
		out = append(out, report.LayerBreach{
			Layer: from.Name, On: on.Name, From: d.From, To: d.To, Site: d.FirstSite, Allowed: strings.Join(from.MayImport, ", "),
		})
	}
	return out
}

// layerOf finds the first layer with a pattern that a folder, or a file in it,
// matches.
func layerOf(layers []report.Layer, folder string) (report.Layer, bool) {
	for _, l := range layers {
		for _, p := range l.Paths {
			if doublestar.MatchUnvalidated(p, folder) || doublestar.MatchUnvalidated(p, folder+"/file") {
				return l, true
			}
		}
	}
	return report.Layer{}, false
}
