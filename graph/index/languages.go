package index

import (
	"slices"

	"github.com/previdence/previdence/graph/extract"
	"github.com/previdence/previdence/graph/extract/document"
	"github.com/previdence/previdence/graph/extract/ecmascript"
	"github.com/previdence/previdence/graph/extract/golang"
	"github.com/previdence/previdence/graph/extract/python"
	"github.com/previdence/previdence/graph/link"
	linkdocument "github.com/previdence/previdence/graph/link/document"
	linkecmascript "github.com/previdence/previdence/graph/link/ecmascript"
	linkgolang "github.com/previdence/previdence/graph/link/golang"
	linkpython "github.com/previdence/previdence/graph/link/python"
)

// extractors returns one of every extractor.
func extractors(c Configuration) []extract.Extractor {
	source := golang.New()
	if c.TypesOff {
		source = golang.NewSyntactic()
	}
	return []extract.Extractor{source, ecmascript.New(), python.New(), document.New()}
}

// linkers returns one of every linker, in the order in which they run. Each
// sees the symbols that those before it added; documents come last, since they
// name symbols of all languages.
func linkers(c Configuration) []link.Linker {
	return []link.Linker{goLinker(c), linkecmascript.New(), linkpython.New(), linkdocument.New()}
}

func goLinker(c Configuration) link.Linker {
	platforms := goPlatforms(c.Platforms)
	if c.TypesOff {
		return linkgolang.NewSyntax(platforms)
	}
	return linkgolang.New(linkgolang.Options{Platforms: platforms})
}

// goPlatforms puts the platform first that every graph is made for.
func goPlatforms(names []string) []linkgolang.Platform {
	list := []linkgolang.Platform{linkgolang.DefaultPlatform}
	for _, name := range names {
		if p, ok := linkgolang.ParsePlatform(name); ok && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list
}

// KnownPlatform reports whether Go can be linked for a platform: "windows/amd64".
func KnownPlatform(name string) bool {
	_, ok := linkgolang.ParsePlatform(name)
	return ok
}

// grammars are the versions of the modules that parse each language, as in
// go.mod. Go is parsed by the standard library.
var grammars = map[string]string{
	"javascript": "v0.25.0",
	"markdown":   "v1.8.7",
	"python":     "v0.25.0",
	"tsx":        "v0.23.2",
	"typescript": "v0.23.2",
}

// manifests are the names of files that linkers read besides sources.
var manifests = []string{
	"go.mod", "go.work", "modules.txt",
	"package.json", "tsconfig*.json", "jsconfig*.json", "pnpm-workspace.yaml",
	"pyproject.toml", "setup.cfg", ".gitignore",
}
