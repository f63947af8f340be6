package python_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

const fixtureFile = "import pytest\nclass App:\n    def run(self): pass\n@pytest.fixture\ndef app():\n    return App()\n@pytest.fixture(autouse=True)\ndef clean(): pass\n"

func TestFixturesByOtherWays(t *testing.T) {
	tests := []struct {
		name         string
		files        memoryTree
		want, absent []string
	}{
		{
			name: "getfixturevalue with a literal name",
			files: memoryTree{"conftest.py": fixtureFile,
				"test_m.py": "def test_a(request):\n    request.getfixturevalue('app').run()\ndef test_b(request, n):\n    request.getfixturevalue(n).run()\n"},
			want:   []string{"test_m.py#test_a/function call/exact conftest.py#app/function", "test_m.py#test_a/function call/exact conftest.py#App.run/method"},
			absent: []string{"test_m.py#test_b/function call/exact conftest.py#app/"},
		},
		{
			name: "pytest_plugins of a conftest.py",
			files: memoryTree{"tests/__init__.py": "", "tests/fx/__init__.py": "", "tests/fx/web.py": fixtureFile,
				"tests/conftest.py": "pytest_plugins = ['tests.fx.web', 'pytester']\n", "tests/test_m.py": "def test_a(app):\n    app.run()\n"},
			want: []string{"tests/test_m.py#test_a/function call/exact tests/fx/web.py#app/function",
				"tests/test_m.py#test_a/function call/exact tests/fx/web.py#App.run/method",
				"tests/test_m.py#test_a/function call/exact tests/fx/web.py#clean/function"},
		},
		{
			name: "pytest_plugins as one name, and plugins of plugins",
			files: memoryTree{"one.py": "pytest_plugins = ('two',)\n", "two.py": fixtureFile,
				"test_m.py": "pytest_plugins = 'one'\ndef test_a(app): pass\n"},
			want: []string{"test_m.py#test_a/function call/exact two.py#app/function"},
		},
		{
			name:   "a file that nobody names is no plugin",
			files:  memoryTree{"two.py": fixtureFile, "test_m.py": "def test_a(app): pass\n"},
			absent: []string{"test_m.py#test_a/function call/exact two.py#"},
		},
		{
			name: "the nearer fixture wins over a plugin's",
			files: memoryTree{"two.py": fixtureFile, "conftest.py": "import pytest\npytest_plugins = ['two']\n@pytest.fixture\ndef app(): pass\n",
				"test_m.py": "def test_a(app): pass\n"},
			want:   []string{"test_m.py#test_a/function call/exact conftest.py#app/function"},
			absent: []string{"test_m.py#test_a/function call/exact two.py#app/"},
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			in, out := linked(t, tt.files)
			got := edges(in, out)
			for _, w := range tt.want {
				if !slices.Contains(got, w) {
					t.Errorf("missing %s", w)
				}
			}
			for _, e := range got {
				for _, a := range tt.absent {
					if strings.Contains(e, a) {
						t.Errorf("must not resolve: %s", e)
					}
				}
			}
			if t.Failed() {
				t.Logf("edges:\n%s", strings.Join(got, "\n"))
			}
		})
	}
}

func TestCasesOfOtherFiles(t *testing.T) {
	in, out := linked(t, memoryTree{
		"base.py": "import unittest\nclass Base(unittest.TestCase):\n    def setUp(self): start()\ndef start(): pass\nclass Plain: pass\n",
		"m.py":    "from base import Base, Plain\nclass Middle(Base): pass\n",
		"test_a.py": "from m import Middle\nfrom base import Plain\nclass Checks(Middle):\n    def test_x(self): pass\n    def helper(self): pass\n" +
			"class Other(Plain):\n    def test_y(self): pass\n",
	})
	var got []string
	for _, x := range out.Tests {
		got = append(got, fmt.Sprintf("%s %s", in.Symbols[x.Symbol].ID, x.Framework))
	}
	if want := []string{"python:test_a.py#Checks.test_x/method unittest"}; !slices.Equal(got, want) {
		t.Errorf("tests %q, want %q", got, want)
	}
	if want := "test_a.py#Checks.test_x/method call/exact base.py#Base.setUp/method"; !slices.Contains(edges(in, out), want) {
		t.Errorf("missing %s", want)
	}
}
