// Command gen writes the JSON Schema of the evidence report.
//
// Input is the types of review/report and the comments in their source; output
// is docs/schema/evidence.v1.json. It reads that source and nothing else, and
// the same types give the same bytes. A test compares what is committed with
// what it would write.
//
//go:generate go run . -root ../../..
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

// file is where the schema lies, from the root of the repository.
const file = "docs/schema/evidence.v1.json"

func main() {
	root := flag.String("root", ".", "root of the repository")
	flag.Parse()
	if err := write(*root); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		fmt.Fprintln(os.Stderr, "hint: run go generate ./docs/schema/gen")
		os.Exit(1)
	}
}

func write(root string) error {
	b, err := schema(root)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(root, file), b, 0o644)
}
