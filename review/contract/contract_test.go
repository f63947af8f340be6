package contract

import (
	"fmt"
	"maps"
	"strings"
	"testing"
)

// show writes items as "kind name: type" lines.
func show(items []Item) string {
	var lines []string
	for _, i := range items {
		s := i.Kind + " " + i.Name
		if f := form(i); f != "" {
			s += ": " + f
		}
		switch i.Does {
		case Removes:
			s = "removes " + s
		case Renames:
			s = "renames " + s + " from " + i.By
		case Changes:
			s = "changes " + s
		case Adds:
			s = "adds " + s
		}
		lines = append(lines, s)
	}
	return strings.Join(lines, "\n")
}

func TestRead(t *testing.T) {
	tests := []struct{ claim, path, src, want string }{
		{"routes of net/http", "a.go", "package a\nimport \"net/http\"\nfunc f() {\n\tmux.HandleFunc(\"GET /users/{id}\", h)\n\thttp.Handle(\"/x\", h)\n\thttp.Get(\"https://example.org\")\n\tmux.HandleFunc(prefix+\"/y\", h)\n}\n",
			"http_route GET /users/{id}\nhttp_route /x\nhttp_route "},
		{"routes of gin with a group", "a.go", "package a\nimport \"github.com/gin-gonic/gin\"\nfunc f() {\n\tg := r.Group(\"/v1\")\n\tg.GET(\"/users\", auth, list)\n\tr.Handle(\"POST\", \"/users\", create)\n\tm.Get(\"/no-handler\")\n}\n",
			"http_prefix /v1\nhttp_route GET /users\nhttp_route POST /users"},
		{"no routes without a router", "a.go", "package a\nfunc f() { cache.Get(\"/users\", 1) }\n", ""},
		{"flags of pflag and flag", "a.go", "package a\nimport \"github.com/spf13/cobra\"\nfunc f() {\n\tcmd.Flags().StringVarP(&o.out, \"output\", \"o\", \"\", \"where\")\n\tcmd.PersistentFlags().Bool(\"deep\", false, \"\")\n\tcmd.MarkFlagRequired(\"output\")\n\tflag.Duration(\"wait\", 0, \"\")\n\tstrings.String(\"x\", 1)\n}\n",
			"cli_flag --output: string, required\ncli_flag -o: short for --output\ncli_flag --deep: bool\ncli_flag --wait: duration"},
		{"commands of cobra", "a.go", "package a\nimport \"github.com/spf13/cobra\"\nvar c = &cobra.Command{\n\tUse: \"serve [port]\",\n\tRunE: runServe,\n}\n", "cli_command serve"},
		{"environment of Go", "a.go", "package a\nfunc f() { os.Getenv(\"A_KEY\"); os.LookupEnv(name); // os.Getenv(\"NO\")\n}\n", "environment_variable A_KEY\nenvironment_variable "},
		{"tags of exported fields", "a.go", "package a\n\ntype Config struct {\n\tPort int `yaml:\"port\" json:\"port\"`\n\tKey string `env:\"API_KEY\"`\n\tskip int `json:\"skip\"`\n\tNone int `json:\"-\"`\n}\n\ntype Answer struct {\n\tName string `json:\"name,omitempty\"`\n}\n",
			"config_key Config.port: int\nenvironment_variable API_KEY: string\njson_field Answer.name: string"},
		{"tests offer nothing", "a_test.go", "package a\nfunc f() { os.Getenv(\"A_KEY\") }\n", ""},
		{"feature flags where a library of them is used", "a.go", "package a\nimport \"github.com/open-feature/go-sdk/openfeature\"\nfunc f() { c.BooleanValue(ctx, \"new-cart\", false, e) }\n// openfeature\n", "feature_flag new-cart"},
		{"routes of Flask and FastAPI", "a.py", "from flask import Flask\n@app.route('/users/<id>', methods=['GET', 'POST'])\ndef users(id): ...\n@router.get(\n    \"/x\",\n)\nasync def x(): ...\nrequests.get('/y')\n",
			"http_route GET /users/<id>\nhttp_route POST /users/<id>\nhttp_route GET /x"},
		{"urls of Django", "urls.py", "from django.urls import path, include\nurlpatterns = [path('cart/<int:pk>/', views.cart, name='cart'), path('api/', include('api.urls'))]\n",
			"http_prefix /api/\nhttp_route /cart/<int:pk>/"},
		{"arguments of argparse and click", "a.py", "import argparse, click\np.add_argument('-o', '--output', required=True, type=str)\np.add_argument('file')\n@click.option('--deep/--flat')\n@click.command('run')\ndef run(): ...\n# p.add_argument('--no')\n",
			"cli_flag --output: str, required\ncli_flag -o: short for --output\ncli_flag --deep\ncli_flag --flat: turns off --deep\ncli_command run"},
		{"click in its usual import", "a.py", "import click\n@cli.command()\n@click.option('--n', type=int)\ndef do_it(): ...\n", "cli_command do-it\ncli_flag --n: int"},
		{"environment of Python", "a.py", "import os\nos.environ['A']\nos.environ.get('B', f'x')\nos.getenv(\"C\")\nos.environ['D'] = '1'\nx = '''os.getenv(\"NO\")'''\n",
			"environment_variable A: required\nenvironment_variable B\nenvironment_variable C"},
		{"routes of express, hono and fastify", "a.ts", "import express from 'express'\napp.get('/users/:id', auth, show)\nrouter.route('/x').post(create)\napp.use('/api', api)\nfastify.route({method: ['GET'], url: '/f', handler: f})\napp.get(`/a/${b}`, h)\napp.get('setting')\n",
			"http_route GET /users/:id\nhttp_route POST /x\nhttp_prefix /api\nhttp_route GET /f\nhttp_route "},
		{"routes that a helper registers", "a.js", "setupPageRoute(app, '/users', [auth], users.list)\nsetupApiRoute(router, 'get', '/users/:id', users.get)\nhelpers.setupAdminRoute(app, `/${name}/x`, users.admin)\nisRoute(app, 1)\nmatchRoute(path, '/x', 1)\n",
			"http_route /users\nhttp_route GET /users/:id\nhttp_route "},
		{"environment of scripts", "a.js", "const a = process.env.A_KEY\nconst b = process.env['B_KEY']\nimport.meta.env.VITE_X\nDeno.env.get('D')\nprocess.env.SET = 1\n// process.env.NO\n",
			"environment_variable A_KEY\nenvironment_variable B_KEY\nenvironment_variable VITE_X\nenvironment_variable D"},
		{"options of commander and yargs", "a.js", "const { Command } = require('commander')\nprogram.command('serve <dir>').option('-p, --port <n>', 'x').requiredOption('--key <k>')\nyargs.option('depth', {demandOption: true})\n",
			"cli_command serve\ncli_flag --port: <n>\ncli_flag -p: short for --port\ncli_flag --key: <k>, required\ncli_flag --depth: required"},
		{"proto", "a.proto", "syntax = \"proto3\";\nmessage User { string name = 1; repeated int64 ids = 2; message In { bool b = 1; } oneof x { string y = 3; } }\nenum Color { RED = 0; }\nservice S { rpc Get(User) returns (stream User); }\n",
			"proto Color.RED: = 0\nproto S.Get: (User) returns (stream User)\nproto User.In.b: bool = 1\nproto User.ids: repeated int64 = 2\nproto User.name: string = 1\nproto User.y: string = 3"},
		{"OpenAPI", "api.yaml", "openapi: 3.0.0\npaths:\n  /users:\n    get:\n      parameters:\n        - {name: limit, in: query, required: true, schema: {type: integer}}\n      responses:\n        '200': {}\ncomponents:\n  schemas:\n    User:\n      required: [id]\n      properties:\n        id: {type: string, format: uuid}\n        tags: {type: array, items: {$ref: '#/x/Tag'}}\n",
			"openapi GET /users\nopenapi GET /users query limit: integer, required\nopenapi GET /users answer 200\nopenapi User.id: string uuid, required\nopenapi User.tags: array of Tag"},
		{"settings", "deploy/values.yaml", "server:\n  port: 1\nlist: [1]\n", "config_key server.port\nconfig_key list"},
		{"settings in TOML", "config.toml", "[server]\nport = 1 # x\n[a.b]\nc = 'd'\n", "config_key server.port\nconfig_key a.b.c"},
		{"other YAML offers nothing", "x/ci.yaml", "a: 1\n", ""},
		{"an example of an environment", ".env.example", "# x\nexport A=1\nB=\n", "environment_variable A\nenvironment_variable B"},
		{"a schema", "schema.sql", "CREATE TABLE IF NOT EXISTS \"users\" (\n  id int PRIMARY KEY, -- x\n  name varchar(10) NOT NULL,\n  PRIMARY KEY (id)\n);\n",
			"sql users\nsql users.id: int primary key\nsql users.name: varchar(10) not null"},
		{"steps of a migration", "migrations/2.sql", "ALTER TABLE users DROP COLUMN name, ADD COLUMN age int NOT NULL, ADD COLUMN x int NOT NULL DEFAULT 0;\nALTER TABLE a RENAME COLUMN b TO c;\nDROP TABLE IF EXISTS old;\nALTER TABLE a RENAME TO z;\nALTER TABLE a ADD CONSTRAINT k UNIQUE (b);\nALTER TABLE a ALTER COLUMN b SET NOT NULL;\n-- +goose Down\nDROP TABLE users;\n",
			"removes sql users.name\nadds sql users.age: int not null\nadds sql users.x: int not null default 0\nrenames sql a.c from a.b\nremoves sql old\nrenames sql z from a\nchanges sql a.b: set not null"},
		{"statements in Go, without the way back", "a.go", "package a\nfunc up() { tx.Exec(`\n\tALTER TABLE users ADD COLUMN age int;\n\tDROP TABLE old;\n`); tx.Exec(\"ALTER TABLE a\\nDROP COLUMN b\"); tx.Exec(\"ALTER TABLE \"+name); log(\"drop table manners\") }\nfunc downAll() { tx.Exec(\"DROP TABLE users\") }\n",
			"adds sql users.age: int\nremoves sql old\nremoves sql a.b"},
		{"statements in Python", "a.py", "def upgrade():\n    op.execute(\"\"\"\n    ALTER TABLE users\n        DROP COLUMN name\n\"\"\")\ndef downgrade():\n    op.execute('DROP TABLE users')\n", "removes sql users.name"},
		{"any by both its names", "a.go", "package a\n\ntype A struct {\n\tB map[string]interface{} `json:\"b\"`\n\tC any `json:\"c\"`\n}\n", "json_field A.b: map[string]any\njson_field A.c: any"},
		{"a migration of Alembic without its way back", "alembic/versions/1.py", "def upgrade():\n    op.drop_column('users', 'name')\ndef downgrade():\n    op.drop_table('users')\n", "removes sql users.name"},
		{"a migration of Django", "shop/migrations/0002.py", "migrations.RemoveField(model_name='cart', name='total')\nmigrations.RenameField('cart', 'a', 'b')\n", "removes sql cart.total\nrenames sql cart.b from cart.a"},
	}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			items, ok := Read(tt.path, []byte(tt.src))
			if !ok {
				t.Fatal("not read")
			}
			got := strings.Split(show(items), "\n")
			want := strings.Split(tt.want, "\n")
			if fmt.Sprint(sortedLines(got)) != fmt.Sprint(sortedLines(want)) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), tt.want)
			}
		})
	}
}

func sortedLines(l []string) map[string]int {
	m := map[string]int{}
	for _, s := range l {
		m[s]++
	}
	return m
}

func TestCompare(t *testing.T) {
	tests := []struct{ claim, path, before, after, want string }{
		{"a removed route breaks", "a.js", "app.get('/a', f); app.get('/b', g)", "app.get('/a', f)", "removes http_route GET /b breaking"},
		{"a route with the same handler is renamed", "a.js", "app.get('/a', f)", "app.get('/z', f)", "renames http_route GET /z breaking was GET /a"},
		{"another order is nothing", "a.js", "app.get('/a', f); app.get('/b', g)", "app.get('/b', g); app.get('/a', f)", ""},
		{"a flag that must be given", "a.py", "import argparse\np.add_argument('--a')", "import argparse\np.add_argument('--a', required=True)\np.add_argument('--b', required=True)",
			"changes cli_flag --a breaking: it must be given now\nadds cli_flag --b breaking: it must be given"},
		{"a field on the wire that has another type", "a.proto", "syntax='proto3'; message M { string a = 1; string b = 2; }", "syntax='proto3'; message M { int32 a = 1; string c = 2; }",
			"renames proto M.c breaking was M.b\nchanges proto M.a breaking: string = 1 → int32 = 1"},
		{"a number that is used again", "a.proto", "syntax='proto3'; message M { string a = 1; }", "syntax='proto3'; message M { int32 b = 1; }", "renames proto M.b breaking: string = 1 → int32 = 1 was M.a"},
		{"a variable that is no longer read", "a.go", "package a\nvar x = os.Getenv(\"A\")", "package a\nvar x = os.Getenv(\"B\")",
			"removes environment_variable A unknown: no longer read: whoever sets it is not heard\nadds environment_variable B compatible"},
		{"steps that were there before are no news", "m/1.sql", "DROP TABLE a;", "DROP TABLE a;\nDROP TABLE b;", "removes sql b breaking"},
		{"a parameter that must be given", "api.json", `{"openapi":"3","paths":{"/a":{"get":{}}}}`, `{"openapi":"3","paths":{"/a":{"get":{"parameters":[{"in":"query","name":"q","required":true}]}}}}`,
			"adds openapi GET /a query q breaking: it must be given"},
		{"a new operation is one contract, and what it needs breaks nobody", "api.json", `{"openapi":"3","paths":{"/a":{"get":{}}}}`, `{"openapi":"3","paths":{"/a":{"get":{}},"/b":{"put":{"requestBody":{"required":true},"parameters":[{"in":"path","name":"id","required":true}]}}}}`,
			"adds openapi PUT /b compatible"},
		{"what an answer has need not be given, and may be missed", "api.yaml", schemas("[id, token]", "[name]", ""), schemas("[id, old]", "[name, mail]", ""),
			"changes openapi User.token breaking: answers may lack it now\nadds openapi Ask.mail breaking: it must be given\nadds openapi User.old compatible"},
		{"a new schema breaks nobody", "api.yaml", schemas("[id]", "[name]", ""), schemas("[id]", "[name]", "    New: {required: [a], properties: {a: {type: string}}}\n"), "adds openapi New.a compatible"},
		{"any is interface{}", "a.go", "package a\n\ntype A struct {\n\tB []interface{} `json:\"b\"`\n}\n", "package a\n\ntype A struct {\n\tB []any `json:\"b\"`\n}\n", ""},
	}
	names := map[Step]string{Removes: "removes", Renames: "renames", Changes: "changes", Adds: "adds"}
	effects := map[Effect]string{Breaking: "breaking", Compatible: "compatible", Unknown: "unknown"}
	for _, tt := range tests {
		t.Run(tt.claim, func(t *testing.T) {
			var lines []string
			for _, d := range Compare(found(tt.path, tt.before), found(tt.path, tt.after)) {
				s := fmt.Sprintf("%s %s %s %s", names[d.Step], d.Kind, d.Name, effects[d.Effect])
				if d.Reason != "" {
					s += ": " + d.Reason
				}
				if d.Step == Renames {
					s += " was " + d.Old
				}
				lines = append(lines, s)
			}
			if got := strings.Join(lines, "\n"); got != tt.want {
				t.Errorf("got\n%s\nwant\n%s", got, tt.want)
			}
		})
	}
}

// schemas is an API that answers with a User, within a list, and is asked with an
// Ask; each has a property for every name that it requires, and token.
func schemas(user, ask, more string) string {
	properties := func(names string) string {
		var out []string
		for n := range strings.SplitSeq(strings.Trim(names, "[]"), ", ") {
			out = append(out, n+": {type: string}")
		}
		return strings.Join(out, ", ")
	}
	token := ""
	if !strings.Contains(user, "token") {
		token = ", token: {type: string}"
	}
	return "openapi: 3.0.0\npaths:\n  /a:\n    post:\n      requestBody: {content: {j: {schema: {$ref: '#/components/schemas/Ask'}}}}\n" +
		"      responses: {'200': {content: {j: {schema: {$ref: '#/components/schemas/List'}}}}}\ncomponents:\n  schemas:\n" +
		"    List: {properties: {all: {type: array, items: {$ref: '#/components/schemas/User'}}}}\n" +
		"    User: {required: " + user + ", properties: {" + properties(user) + token + "}}\n    Ask: {required: " + ask + ", properties: {" + properties(ask) + "}}\n" + more
}

func TestFilesThatAnAPIRefersTo(t *testing.T) {
	const root = "openapi: 3.0.0\npaths:\n  /users/{id}:\n    $ref: 'write/user.yaml'\n  /x:\n    get: {responses: {'200': {$ref: '../answers/ok.yaml#/Ok'}}}\n  /y:\n    $ref: '../../../etc/passwd'\n  /z:\n    $ref: https://example.org/z.yaml\n"
	got, api := Parts("docs/api/write.yaml", []byte(root))
	want := map[string]string{"docs/api/write/user.yaml": "/users/{id}", "docs/answers/ok.yaml": ""}
	if !api || !maps.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got, api := Parts("x.yaml", []byte("a: {$ref: y.yaml}\n")); api || !maps.Equal(got, map[string]string{"y.yaml": ""}) {
		t.Errorf("a file that is no API refers to %v, %v", got, api)
	}
	items, ok := ReadPart("/users/{id}", []byte("get:\n  parameters: [{in: path, name: id, required: true}]\n  responses: {'200': {}}\n"))
	if want := "openapi GET /users/{id}\nopenapi GET /users/{id} path id: required\nopenapi GET /users/{id} answer 200"; !ok || !maps.Equal(sortedLines(strings.Split(show(items), "\n")), sortedLines(strings.Split(want, "\n"))) {
		t.Errorf("got\n%s", show(items))
	}
}

func FuzzParts(f *testing.F) {
	f.Add("a/b.yaml", []byte("openapi: 3\npaths: {/a: {$ref: '../c.yaml#/x'}}"))
	f.Add("b.yaml", []byte("openapi: 3\npaths: &a {/a: *a}"))
	f.Fuzz(func(t *testing.T, p string, src []byte) {
		parts, _ := Parts(p, src)
		for at := range parts {
			if strings.HasPrefix(at, "../") || strings.HasPrefix(at, "/") && !strings.HasPrefix(p, "/") {
				t.Errorf("%q leads out of the tree, to %q", p, at)
			}
		}
		ReadPart("/a", src)
	})
}

func found(path, src string) []Found {
	items, _ := Read(path, []byte(src))
	var out []Found
	for _, i := range items {
		out = append(out, Found{Item: i, Path: path})
	}
	return out
}

func FuzzRead(f *testing.F) {
	for i, s := range []string{"package a\nfunc f() { os.Getenv(\"A\") }", "@app.route(f'/x')\ndef f(): ...", "app.get(`/a${b}`, `c`)", "message M { string a = 1; }", "ALTER TABLE a DROP b, ADD 'x;", "openapi: &a [*a]\npaths: {a: {get: }}", "[a\nb=1", "A=1"} {
		f.Add(uint8(i), []byte(s))
	}
	paths := []string{"a.go", "m/migrations/a.py", "a.ts", "a.proto", "a.sql", "config.yaml", "config.toml", ".env.example"}
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		p := paths[int(which)%len(paths)]
		items, ok := Read(p, src)
		if !ok && len(items) > 0 {
			t.Fatal("items of a file that could not be read")
		}
		lines := strings.Count(string(src), "\n") + 1
		for _, i := range items {
			if i.Line < 1 || i.Line > lines || strings.ContainsAny(i.Name+i.Type, "\n\r") {
				t.Fatalf("%+v in %d lines", i, lines)
			}
		}
		a := found(p, string(src))
		for _, d := range Compare(a, a) {
			t.Fatalf("the same file: %+v", d)
		}
	})
}

func TestTheSameFlagOfAnotherCommandIsAnother(t *testing.T) {
	flag := func(folder string) Found {
		return Found{Item: Item{Kind: Flag, Name: "--limit", Line: 1}, Path: folder + "/a.go", Folder: folder}
	}
	got := Compare([]Found{flag("list")}, []Found{flag("list"), flag("search")})
	if len(got) != 1 || got[0].Step != Adds || got[0].Folder != "search" {
		t.Errorf("%+v", got)
	}
	if got := Compare([]Found{flag("list")}, []Found{flag("list")}); len(got) != 0 {
		t.Errorf("%+v", got)
	}
}
