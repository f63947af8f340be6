package mcp

import (
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

func TestTheGuideHasEveryToolWithItsArguments(t *testing.T) {
	text, err := os.ReadFile("../docs/guides/mcp.md")
	if err != nil {
		t.Fatal(err)
	}
	rows := map[string][]string{}
	for _, row := range regexp.MustCompile("(?m)^\\| `([a-z_]+)`( \\*)? \\|(.*?)\\|").FindAllStringSubmatch(string(text), -1) {
		arguments := regexp.MustCompile("[a-z_]+").FindAllString(row[3], -1)
		if row[2] != "" {
			arguments = append(arguments, "bound")
		}
		rows[row[1]] = arguments
	}
	shared := []string{"repo_root", "expect_head", "max_bytes", "cursor"}
	for _, tool := range tools() {
		own := slices.Sorted(maps.Keys(tool.sdk.InputSchema.(*jsonschema.Schema).Properties))
		own = slices.DeleteFunc(own, func(name string) bool { return slices.Contains(shared, name) })
		documented, ok := rows[tool.sdk.Name]
		if slices.Sort(documented); !ok || !slices.Equal(own, documented) {
			t.Errorf("%s: the guide lists %q, the tool has %q", tool.sdk.Name, documented, own)
		}
		delete(rows, tool.sdk.Name)
	}
	for name := range rows {
		t.Errorf("the guide has a tool %s", name)
	}
}
