package filekind

import (
	"strings"
)

// A testRule is how the frameworks of one group of languages name tests.
type testRule struct {
	before  []string // the stem begins with it
	after   []string // the stem ends in it
	stems   nameSet  // the stem is it
	folders nameSet  // any folder has this name
	outer   nameSet  // a folder has this name and no folder of sources lies above it
}

// sourceFolders hold the product. Below one, a folder "test" may well be a part
// of it: a command called test.
var sourceFolders = names("src lib cmd commands internal app")

var (
	scriptTests = testRule{after: []string{".test", ".spec", ".e2e", ".e2e-spec", ".cy", ".test-d", ".bench"},
		folders: names("__tests__ __mocks__ tests e2e cypress"), outer: names("test spec")}
	pythonTests = testRule{before: []string{"test_"}, after: []string{"_test"}, stems: names("conftest tests"),
		folders: names("tests"), outer: names("test")}
	jvmTests   = testRule{after: []string{"Test", "Tests", "TestCase", "IT", "Spec"}, outer: names("test androidTest")}
	cTests     = testRule{before: []string{"test_"}, after: []string{"_test", "_tests", "_unittest"}, folders: names("tests"), outer: names("test")}
	rubyTests  = testRule{after: []string{"_test", "_spec"}, before: []string{"test_"}, outer: names("test spec features")}
	dotnetTest = testRule{after: []string{"Test", "Tests"}, folders: names("tests"), outer: names("test")}
)

// testRules by file ending. Go says it in the name alone.
var testRules = map[string]testRule{
	".go": {after: []string{"_test"}},
	".py": pythonTests, ".pyi": pythonTests,
	".js": scriptTests, ".mjs": scriptTests, ".cjs": scriptTests, ".jsx": scriptTests,
	".ts": scriptTests, ".mts": scriptTests, ".cts": scriptTests, ".tsx": scriptTests, ".vue": scriptTests, ".svelte": scriptTests,
	".java": jvmTests, ".kt": jvmTests, ".scala": jvmTests, ".groovy": jvmTests,
	".c": cTests, ".cc": cTests, ".cpp": cTests, ".cxx": cTests, ".h": cTests, ".hpp": cTests,
	".rb": rubyTests, ".cs": dotnetTest, ".fs": dotnetTest, ".vb": dotnetTest, ".php": dotnetTest, ".swift": dotnetTest,
	".rs":   {stems: names("tests"), folders: names("tests benches")},
	".exs":  {after: []string{"_test"}, outer: names("test")},
	".dart": {after: []string{"_test"}, outer: names("test integration_test")},
	".sh":   {folders: names("tests"), outer: names("test")}, ".bats": {after: []string{""}},
}

// dataFolders hold what only tests read, in whatever format.
var dataFolders = names("testdata __snapshots__ __fixtures__")

// test reports whether the file is a test, or lies where the tests of its
// language lie.
func (f file) test() bool {
	if f.in(dataFolders) || f.ending == ".snap" || f.belowTestRoot() {
		return true
	}
	r, ok := testRules[f.ending]
	if !ok {
		return false
	}
	for _, s := range r.before {
		if strings.HasPrefix(f.stem, s) {
			return true
		}
	}
	for _, s := range r.after {
		if strings.HasSuffix(f.stem, s) && len(f.stem) > len(s) {
			return true
		}
	}
	return r.stems[f.stem] || f.in(r.folders) || f.below(r.outer)
}

// belowTestRoot reports whether the file lies in the tree's own folder of tests,
// where styles, pages and settings are tests' too. Documents about tests are
// documents, and Go has its own rule.
func (f file) belowTestRoot() bool {
	return len(f.folders) > 0 && (f.folders[0] == "test" || f.folders[0] == "tests") && !f.docs() && f.ending != ".go"
}

// below reports whether a folder of this name lies above the file, and none of
// sources above that one.
func (f file) below(names nameSet) bool {
	for i, folder := range f.folders {
		if names[folder] {
			return true
		}
		// Maven and Gradle put both kinds below src, so only src/test and src/main tell.
		if sourceFolders[folder] && (i+1 == len(f.folders) || !mavenTests[f.ending] || !names[f.folders[i+1]]) {
			return false
		}
	}
	return false
}

var mavenTests = names(".java .kt .scala .groovy")
