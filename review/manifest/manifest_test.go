package manifest

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestDiff(t *testing.T) {
	tests := []struct{ claim, path, old, new, want string }{
		{"go.mod", "sub/go.mod",
			"module m\n\ngo 1.24\n\nrequire (\n\tgolang.org/x/mod v0.1.0\n\ta.b/x v1.0.0\n\ta.b/y v1.0.0 // indirect\n)\n",
			"module m\n\ngo 1.25\n\nrequire (\n\tgolang.org/x/mod v0.2.0\n\ta.b/y v1.0.0\n\ta.b/z/v2 v2.0.0\n)\n\nreplace a.b/y => ../y\n\ntool a.b/t\n",
			"added a.b/t (tool)\ndropped a.b/x v1.0.0\na.b/y v1.0.0 // indirect → v1.0.0\nadded a.b/y ../y (replace)\nadded a.b/z/v2 v2.0.0\ngo 1.24 → 1.25\ngolang.org/x/mod v0.1.0 → v0.2.0"},
		{"package.json", "package.json",
			`{"dependencies":{"a":"^1","b":"2"},"devDependencies":{"c":"3"},"engines":{"node":">=18"}}`,
			`{"dependencies":{"a":"^2","c":"3"},"packageManager":"pnpm@9.1.0+sha512.abc","version":"9"}`,
			"a ^1 → ^2\ndropped b 2\nadded c 3\ndropped c 3 (dev)\ndropped node >=18 (engine)\nadded pnpm 9.1.0 (package manager)"},
		{"package.json with odd shapes", "package.json", `{"engines":["node"],"dependencies":{"a":1}}`, `{"dependencies":null}`, ""},
		{"requirements", "requirements-dev.txt",
			"# tools\nFlask_Login==1.0  # pinned\nrequests[socks]>=2 ; python_version < '3'\n-r base.txt\n",
			"flask-login==1.1 \\\n  --hash=sha256:1\nrequests[socks]>=2 ; python_version < '3'\n-r other.txt\nx @ git+https://h/x\n",
			"dropped -r base.txt (option)\nadded -r other.txt (option)\nflask-login ==1.0 → ==1.1\nadded x @ git+https://h/x"},
		{"requirements in a folder", "requirements/dev.txt", "a\n", "a==1\n", "a any → ==1"},
		{"pyproject by the standard", "pyproject.toml",
			"[project]\nrequires-python = '>=3.8'\ndependencies = ['a>=1', 'b']\n[project.optional-dependencies]\ndot = ['c']\n[build-system]\nrequires = ['flit']\n",
			"[project]\nrequires-python = '>=3.9'\ndependencies = ['a>=2']\n[build-system]\nrequires = ['hatch']\n[dependency-groups]\ndev = ['d~=1', {include-group = 'x'}]\n",
			"a >=1 → >=2\ndropped b\ndropped c (dot)\nadded d ~=1 (dev)\ndropped flit (build)\nadded hatch (build)\nadded include-group x (dev)\npython >=3.8 → >=3.9"},
		{"pyproject of Poetry", "pyproject.toml",
			"[tool.poetry.dependencies]\npython = '^3.9'\na = '^1'\nb = {version = '^2', extras = ['x']}\n[tool.poetry.dev-dependencies]\nc = '1'\n",
			"[tool.poetry.dependencies]\npython = '^3.9'\na = {version = '^1'}\nb = {extras = ['x'], version = '^3'}\n[tool.poetry.group.test.dependencies]\nc = '1'\n",
			"b {extras = [x], version = ^2} → {extras = [x], version = ^3}\ndropped c 1 (dev)\nadded c 1 (test)"},
		{"setup.cfg", "setup.cfg",
			"[metadata]\nname = x\n[options]\npython_requires = >=3.8\ninstall_requires =\n    a>=1\n    b\n[options.extras_require]\ndev =\n    c\n",
			"[options]\npython_requires = >=3.9\ninstall_requires =\n    a>=2\n",
			"a >=1 → >=2\ndropped b\ndropped c (dev)\npython >=3.8 → >=3.9"},
		{"Cargo.toml", "Cargo.toml",
			"[package]\nedition = '2021'\n[dependencies]\na = '1'\nb = { version = '2', features = ['x'] }\n[dev-dependencies]\nc = '3'\n",
			"[package]\nedition = '2024'\n[dependencies]\na = '2'\nb = { workspace = true }\n[target.'cfg(unix)'.build-dependencies]\nd = '4'\n",
			"a 1 → 2\nb {features = [x], version = 2} → {workspace = true}\ndropped c 3 (dev)\nadded d 4 (cfg(unix) build)\nedition 2021 → 2024"},
		{"workflows", ".github/workflows/ci.yml",
			"jobs:\n  a:\n    steps:\n      - uses: actions/checkout@v3\n      - uses: x/y@v1\n      - run: 'echo uses: z@v1'\n",
			"jobs:\n  a:\n    uses: o/r/.github/workflows/w.yml@main\n    steps:\n      - uses: actions/checkout@0123456789012345678901234567890123456789 # v4.0.0 of May\n      - uses: c/d@v1 # a note\n      - uses: ./local\n      - uses: docker://alpine:3\n",
			"added ./local\nactions/checkout v3 → v4.0.0 at 012345678901\nadded c/d v1\nadded docker://alpine:3\nadded o/r/.github/workflows/w.yml main\ndropped x/y v1"},
		{"one action at two versions", ".github/workflows/ci.yml", "- uses: a/b@v1\n", "- uses: a/b@v2\n- uses: a/b@v1\n", "a/b v1 → v1 | v2"},
		{"a new file adds everything", "go.mod", "", "module m\n\nrequire a.b/x v1.0.0\n", "added a.b/x v1.0.0"},
		{"a removed file drops everything", "package.json", `{"dependencies":{"a":"1"}}`, "", "dropped a 1"},
		{"another order is no change", "package.json", `{"dependencies":{"a":"1","b":"2"}}`, `{"dependencies":{"b":"2","a":"1"}}`, ""},

		{"pom.xml", "a/pom.xml",
			"<project><parent><groupId>p</groupId><artifactId>q</artifactId><version>1</version></parent><properties><x.version>1.0</x.version></properties><dependencies><dependency><groupId>g</groupId><artifactId>x</artifactId><version>${x.version}</version></dependency><dependency><groupId>g</groupId><artifactId>t</artifactId><version>2</version><scope>test</scope></dependency></dependencies></project>",
			"<project><parent><groupId>p</groupId><artifactId>q</artifactId><version>2</version></parent><properties><x.version>1.1</x.version></properties><dependencies><dependency><groupId>g</groupId><artifactId>x</artifactId><version>${x.version}</version></dependency></dependencies><build><plugins><plugin><artifactId>m</artifactId><version>3</version></plugin></plugins></build></project>",
			"dropped g:t 2 (test)\ng:x 1.0 → 1.1\nadded m 3 (plugin)\np:q 1 → 2 (parent)"},
		{"build.gradle", "build.gradle", "dependencies {\n  implementation 'g:x:1.0'\n  testImplementation(\"g:t:1\")\n}\n", "plugins { \n id(\"a.b\") version \"2\"\n}\ndependencies {\n  implementation(platform(\"g:x:1.1\"))\n}\n",
			"added a.b 2 (plugin)\ndropped g:t 1 (testImplementation)\ng:x 1.0 → 1.1"},
		{"version catalog", "gradle/libs.versions.toml", "[versions]\nx = '1'\n[libraries]\nx = {module = 'g:x', version.ref = 'x'}\n", "[versions]\nx = '2'\n[libraries]\nx = {module = 'g:x', version.ref = 'x'}\ny = 'g:y:1'\n", "g:x 1 → 2\nadded g:y 1"},
		{"Gemfile", "Gemfile", "gem 'rails', '~> 7.0', '>= 7.0.1'\ngem \"a\"\n", "gem 'rails', '~> 7.1'\n# gem 'b'\n", "dropped a\nrails ~> 7.0, >= 7.0.1 → ~> 7.1"},
		{"composer.json", "composer.json", `{"require":{"php":">=8","a/b":"^1"}}`, `{"require":{"php":">=8","a/b":"^2"},"require-dev":{"c/d":"1"}}`, "a/b ^1 → ^2\nadded c/d 1 (dev)"},
		{"csproj", "src/App.csproj", `<Project><ItemGroup><PackageReference Include="A" Version="1.0" /></ItemGroup></Project>`, `<Project><ItemGroup><PackageReference Include="A" Version="2.0"><PrivateAssets>all</PrivateAssets></PackageReference><PackageReference Include="B" /></ItemGroup></Project>`, "A 1.0 → 2.0\nadded B"},
		{"Gemfile.lock", "Gemfile.lock", "GEM\n  specs:\n    rails (7.0.1)\n      actionpack (= 7.0.1)\n", "GEM\n  specs:\n    rails (7.1.0)\n", "1 packages locked: 0 added, 0 dropped, 1 changed"},
		{"composer.lock", "composer.lock", `{"packages":[{"name":"a/b","version":"1"}]}`, `{"packages":[]}`, "0 packages locked: 0 added, 1 dropped, 0 changed"},

		{"go.sum", "go.sum", "a v1 h1:x\na v1/go.mod h1:y\nc v1 h1:x\n", "a v1 h1:z\nb v1 h1:x\nb v1/go.mod h1:y\nc v2 h1:x\n", "3 packages locked: 1 added, 0 dropped, 2 changed"},
		{"package-lock.json", "w/package-lock.json", `{"packages":{"":{"version":"1"},"node_modules/a":{"version":"1"}}}`, `{"packages":{"":{"version":"2"},"node_modules/a":{"version":"2"},"node_modules/b":{"version":"1"}}}`, "2 packages locked: 1 added, 0 dropped, 1 changed"},
		{"package-lock.json of old", "package-lock.json", `{"dependencies":{"a":{"version":"1"}}}`, `{"dependencies":{}}`, "0 packages locked: 0 added, 1 dropped, 0 changed"},
		{"pnpm-lock.yaml", "pnpm-lock.yaml", "packages:\n  '@s/a@1.0.0':\n    resolution: {}\n  /b/1.0.0:\n    resolution: {}\n", "packages:\n  '@s/a@1.1.0(x@1)': {}\n  /b@1.0.0: {}\n", "2 packages locked: 0 added, 0 dropped, 1 changed"},
		{"yarn.lock", "yarn.lock", "# yarn lockfile v1\n\n\"@s/a@^1\", \"@s/a@^1.1\":\n  version \"1.1.0\"\n  resolved \"x\"\n", "__metadata:\n  version: 6\n\n\"@s/a@npm:^1\":\n  version: 1.2.0\n\n\"b@npm:^1\":\n  version: 1.0.0\n", "2 packages locked: 1 added, 0 dropped, 1 changed"},
		{"poetry.lock", "poetry.lock", "[[package]]\nname = 'a'\nversion = '1'\n", "[[package]]\nname = 'a'\nversion = '2'\n", "1 packages locked: 0 added, 0 dropped, 1 changed"},
		{"Cargo.lock unchanged", "Cargo.lock", "[[package]]\nname = 'a'\nversion = '1'\n", "version = 4\n[[package]]\nname = 'a'\nversion = '1'\n", ""},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			got, ok, err := Diff(tt.path, []byte(tt.old), []byte(tt.new))
			if err != nil || !ok {
				t.Fatalf("ok %v, error %v", ok, err)
			}
			if s := strings.Join(got, "\n"); s != tt.want {
				t.Errorf("got\n%s\nwant\n%s", s, tt.want)
			}
		})
	}
}

func TestPackages(t *testing.T) {
	tests := []struct{ claim, path, old, new, want string }{
		{"a higher version", "go.mod", "module m\nrequire a.b/x v1.9.0\n", "module m\nrequire a.b/x v1.10.0\n", "a.b/x bumped"},
		{"a lower version", "package.json", `{"dependencies":{"a":"^2.0.0"}}`, `{"dependencies":{"a":"^1.9.0"}}`, "a lowered"},
		{"one version in place of a range", "requirements.txt", "a>=1\nb\n", "a==1.2\nb==2.0\n", "a pinned b pinned"},
		{"a range in place of one version", "requirements.txt", "a==1.2\n", "a>=1.2\n", "a loosened"},
		{"an action at a commit", ".github/workflows/a.yml", "- uses: a/b@v1\n", "- uses: a/b@0123456789012345678901234567890123456789 # v1.2\n", "a/b pinned"},
		{"another source", "Cargo.toml", "[dependencies]\na = {git = 'x'}\n", "[dependencies]\na = {path = 'y'}\n", "a changed"},
		{"a lockfile names what moved", "yarn.lock", "a@^1:\n  version \"1.0.0\"\n", "a@^1:\n  version \"1.1.0\"\nb@^1:\n  version \"1.0.0\"\n", "a bumped b added"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			changes, ok, err := Packages(tt.path, []byte(tt.old), []byte(tt.new))
			if err != nil || !ok {
				t.Fatalf("ok %v, error %v", ok, err)
			}
			var got []string
			for _, c := range changes {
				got = append(got, c.Name+" "+c.Kind)
			}
			if s := strings.Join(got, " "); s != tt.want {
				t.Errorf("got %s, want %s", s, tt.want)
			}
		})
	}
}

func TestOtherFilesAreNoManifests(t *testing.T) {
	for _, p := range []string{"go.mod.bak", "x/package.jsonc", "requirements.md", "workflows/ci.yml", ".github/ci.yml", "my.github/workflows/ci.yml", "notes.txt", ""} {
		if changes, ok, err := Diff(p, []byte("a"), []byte("b")); ok || err != nil || changes != nil {
			t.Errorf("%q: %v %v %v", p, changes, ok, err)
		}
	}
}

func TestUnreadableManifests(t *testing.T) {
	deep := strings.Repeat("[", 100_000)
	tests := []struct {
		path, text string
		want       error
	}{
		{"go.mod", "require (\n", ErrFormat},
		{"package.json", "{", ErrFormat},
		{"package.json", "[1]", ErrFormat},
		{"package.json", `{"dependencies":` + deep, ErrFormat},
		{"pyproject.toml", "a = ", ErrFormat},
		{"pyproject.toml", "a = " + deep, ErrFormat},
		{"Cargo.toml", "dependencies" + strings.Repeat(".a", 100_000) + " = 1", ErrFormat},
		{"setup.cfg", "no setting\n", ErrFormat},
		{".github/workflows/a.yml", "a: [", ErrFormat},
		{".github/workflows/a.yml", deep, ErrFormat},
		{"poetry.lock", "[[package]", ErrFormat},
		{"go.sum", strings.Repeat("a", MaxSize+1), ErrTooLarge},
	}
	for _, tt := range tests {
		for _, sides := range [][2]string{{tt.text, ""}, {"", tt.text}} {
			changes, ok, err := Diff(tt.path, []byte(sides[0]), []byte(sides[1]))
			if !errors.Is(err, tt.want) || !ok || changes != nil {
				t.Errorf("%s %.20q: %v %v %v", tt.path, tt.text, changes, ok, err)
			}
		}
	}
}

func TestNamesAreOneLine(t *testing.T) {
	got, _, err := Diff("package.json", nil, []byte(`{"dependencies":{"a\nadded evil 1":"1\n2","`+strings.Repeat("x", 1000)+`":"\ud800"}}`))
	if err != nil || len(got) != 2 {
		t.Fatalf("%q, %v", got, err)
	}
	for _, line := range got {
		if strings.Contains(line, "\n") || len(line) > 4*maxValue {
			t.Errorf("%q", line)
		}
	}
}

func FuzzDiff(f *testing.F) {
	f.Add(uint8(0), []byte("module m\n"), []byte("module m\nrequire a.b/c v1.0.0\n"))
	f.Add(uint8(1), []byte(`{"dependencies":{"a":"1"}}`), []byte(`{"engines":{"node":"1"}}`))
	f.Add(uint8(2), []byte("[project]\ndependencies=['a']\n"), []byte("[tool.poetry.dependencies]\na={b={c=1}}\n"))
	f.Add(uint8(5), []byte("- uses: a@b\n"), []byte("a: &x [*x]\nuses: y\n"))
	f.Add(uint8(8), []byte("packages:\n  /a/1: {}\n"), []byte("packages: {a@1: }\n"))
	f.Add(uint8(12), []byte("<project><dependencies><dependency><artifactId>a</artifactId></dependency></dependencies></project>"), []byte("<a><b/></a>"))
	f.Add(uint8(13), []byte("api 'a:b:1'"), []byte("id('x') version '1'"))
	f.Add(uint8(17), []byte(`<PackageReference Include="a"/>`), []byte("<a"))
	paths := []string{"go.mod", "package.json", "pyproject.toml", "requirements.txt", "setup.cfg", ".github/workflows/x.yml", "Cargo.toml",
		"go.sum", "pnpm-lock.yaml", "yarn.lock", "poetry.lock", "package-lock.json",
		"pom.xml", "build.gradle", "libs.versions.toml", "Gemfile", "composer.json", "a.csproj", "Gemfile.lock", "composer.lock"}
	f.Fuzz(func(t *testing.T, which uint8, old, new []byte) {
		p := paths[int(which)%len(paths)]
		changes, ok, err := Diff(p, old, new)
		if !ok {
			t.Fatalf("%s is no manifest", p)
		}
		if err != nil {
			if changes != nil || !errors.Is(err, ErrFormat) {
				t.Fatalf("%v beside %v", changes, err)
			}
			return
		}
		again, _, _ := Diff(p, old, new)
		if !slices.Equal(changes, again) {
			t.Fatalf("%q, then %q", changes, again)
		}
		for _, line := range changes {
			if line == "" || strings.ContainsAny(line, "\n\r") {
				t.Fatalf("line %q", line)
			}
		}
		if same, _, err := Diff(p, new, new); err != nil || len(same) != 0 {
			t.Fatalf("the same file: %q, %v", same, err)
		}
		back, _, err := Diff(p, new, old)
		if err != nil || len(back) != len(changes) {
			t.Fatalf("%d lines there, %d back: %v", len(changes), len(back), fmt.Sprint(err))
		}
	})
}
