package index

import (
	"bytes"
	"path"
	"strings"
)

// A fileKind says how the files of one language are recognised.
type fileKind struct {
	language     string
	endings      string // of names, after the last dot
	names        string // whole
	interpreters string // named in the first line
	data         bool   // holds no code that calls or is called
}

// kinds lists the languages that are recognised. Those without an extractor are
// named in coverage.
var kinds = []fileKind{
	{language: "go", endings: "go"},
	{language: "python", endings: "py pyi pyw", names: "SConstruct SConscript wscript", interpreters: "python pypy"},
	{language: "typescript", endings: "ts mts cts", interpreters: "ts-node tsx deno bun"},
	{language: "tsx", endings: "tsx"},
	{language: "javascript", endings: "js mjs cjs jsx", names: "Jakefile", interpreters: "node nodejs"},
	{language: "markdown", endings: "md markdown mdx mdown mkd", data: true},
	{language: "restructuredtext", endings: "rst rest", data: true},
	{language: "asciidoc", endings: "adoc asciidoc asc", data: true},
	{language: "java", endings: "java"},
	{language: "kotlin", endings: "kt kts"},
	{language: "scala", endings: "scala sc sbt"},
	{language: "groovy", endings: "groovy gradle", names: "Jenkinsfile", interpreters: "groovy"},
	{language: "clojure", endings: "clj cljs cljc edn"},
	{language: "rust", endings: "rs"},
	{language: "c", endings: "c h"},
	{language: "cpp", endings: "cc cpp cxx c++ hh hpp hxx h++ ipp tpp inl cu cuh"},
	{language: "objective-c", endings: "m mm"},
	{language: "csharp", endings: "cs csx"},
	{language: "fsharp", endings: "fs fsi fsx"},
	{language: "visual-basic", endings: "vb vbs"},
	{language: "ruby", endings: "rb rake gemspec ru", names: "Rakefile Gemfile Vagrantfile Podfile Fastfile", interpreters: "ruby jruby"},
	{language: "php", endings: "php phtml", interpreters: "php"},
	{language: "swift", endings: "swift"},
	{language: "dart", endings: "dart"},
	{language: "lua", endings: "lua", interpreters: "lua luajit"},
	{language: "perl", endings: "pl pm", interpreters: "perl"},
	{language: "r", endings: "r rmd", interpreters: "rscript"},
	{language: "julia", endings: "jl", interpreters: "julia"},
	{language: "haskell", endings: "hs lhs", interpreters: "runhaskell"},
	{language: "ocaml", endings: "ml mli"},
	{language: "elixir", endings: "ex exs", interpreters: "elixir"},
	{language: "erlang", endings: "erl hrl", interpreters: "escript"},
	{language: "zig", endings: "zig"},
	{language: "nim", endings: "nim"},
	{language: "solidity", endings: "sol"},
	{language: "assembly", endings: "s asm"},
	{language: "shell", endings: "sh bash zsh ksh bats", names: ".bashrc .profile .zshrc .envrc", interpreters: "sh bash zsh ksh dash ash bats"},
	{language: "fish", endings: "fish", interpreters: "fish"},
	{language: "powershell", endings: "ps1 psm1 psd1", interpreters: "pwsh"},
	{language: "batch", endings: "bat cmd"},
	{language: "awk", endings: "awk", interpreters: "awk gawk"},
	{language: "tcl", endings: "tcl", interpreters: "tclsh"},
	{language: "sql", endings: "sql"},
	{language: "graphql", endings: "graphql gql"},
	{language: "proto", endings: "proto"},
	{language: "thrift", endings: "thrift"},
	{language: "vue", endings: "vue"},
	{language: "svelte", endings: "svelte"},
	{language: "astro", endings: "astro"},
	{language: "notebook", endings: "ipynb"},
	{language: "dockerfile", endings: "dockerfile", names: "Dockerfile Containerfile"},
	{language: "make", endings: "mk mak", names: "Makefile makefile GNUmakefile", interpreters: "make"},
	{language: "cmake", endings: "cmake", names: "CMakeLists.txt"},
	{language: "starlark", endings: "bzl star", names: "BUILD BUILD.bazel WORKSPACE WORKSPACE.bazel Tiltfile"},
	{language: "nix", endings: "nix"},
	{language: "hcl", endings: "hcl tf tfvars"},
	{language: "template", endings: "tmpl tpl gotmpl j2 jinja jinja2 hbs handlebars mustache ejs erb pug jade haml liquid njk"},
	{language: "html", endings: "html htm xhtml"},
	{language: "css", endings: "css scss sass less styl", data: true},
	{language: "yaml", endings: "yaml yml", names: ".clang-format", data: true},
	{language: "json", endings: "json jsonc json5 jsonl webmanifest geojson", names: ".prettierrc .eslintrc .babelrc", data: true},
	{language: "toml", endings: "toml", names: "Pipfile poetry.lock uv.lock Cargo.lock", data: true},
	{language: "ini", endings: "ini cfg conf properties", names: ".editorconfig .gitconfig .npmrc .flake8", data: true},
	{language: "xml", endings: "xml xsd xsl xslt svg plist csproj", data: true},
	{language: "csv", endings: "csv tsv", data: true},
	{language: "text", endings: "txt text org tex po pot log patch diff golden snap lock out txtar",
		names: "LICENSE LICENCE COPYING NOTICE AUTHORS CONTRIBUTORS PATENTS VERSION README CHANGELOG CODEOWNERS OWNERS MAINTAINERS", data: true},
	{language: "git", names: ".gitignore .gitattributes .gitmodules .gitkeep .mailmap .dockerignore .npmignore .prettierignore .eslintignore", data: true},
	{language: "go-module", names: "go.mod go.sum go.work go.work.sum", data: true},
}

// binaryEndings are formats that are never text.
const binaryEndings = "png jpg jpeg gif webp avif ico icns bmp tif tiff psd heic pdf zip gz tgz bz2 xz zst 7z rar tar jar war ear " +
	"class exe dll so dylib a o obj lib wasm pyc pyd woff woff2 ttf otf eot mp3 mp4 m4a m4v mov avi mkv webm ogg ogv wav flac " +
	"db sqlite sqlite3 parquet bin dat der p12 pfx jks keystore"

var (
	byEnding      = map[string]string{}
	byName        = map[string]string{}
	byInterpreter = map[string]string{}
	dataLanguages = map[string]bool{}
	binaryByName  = map[string]bool{}
)

func init() {
	for _, k := range kinds {
		for _, e := range strings.Fields(k.endings) {
			byEnding[e] = k.language
		}
		for _, n := range strings.Fields(k.names) {
			byName[n] = k.language
		}
		for _, i := range strings.Fields(k.interpreters) {
			byInterpreter[i] = k.language
		}
		if k.data {
			dataLanguages[k.language] = true
		}
	}
	for _, e := range strings.Fields(binaryEndings) {
		binaryByName[e] = true
	}
}

// ending is the part of a file name after its last dot, in lower case.
func ending(p string) string {
	return strings.ToLower(strings.TrimPrefix(path.Ext(path.Base(p)), "."))
}

// languageOf tells a language by the name of a file; "" if the name does not
// say it.
func languageOf(p string) string {
	base := path.Base(p)
	if l, ok := byName[base]; ok {
		return l
	}
	if l, ok := byEnding[ending(p)]; ok && len(base) > len(ending(p))+1 {
		return l
	}
	if strings.HasPrefix(base, "Dockerfile.") || strings.HasPrefix(base, "Makefile.") {
		return byName[base[:strings.IndexByte(base, '.')]]
	}
	return ""
}

func isBinaryName(p string) bool { return binaryByName[ending(p)] }

// languageOfShebang tells a language by the interpreter that the first line
// names; "" if it names none that is known.
func languageOfShebang(data []byte) string {
	line, ok := bytes.CutPrefix(data[:min(len(data), 256)], []byte("#!"))
	if !ok {
		return ""
	}
	if end := bytes.IndexAny(line, "\r\n"); end >= 0 {
		line = line[:end]
	}
	for _, word := range strings.Fields(string(line)) {
		word = path.Base(word)
		if word == "env" || strings.HasPrefix(word, "-") || strings.Contains(word, "=") {
			continue
		}
		if l, ok := byInterpreter[strings.ToLower(word)]; ok {
			return l
		}
		return byInterpreter[strings.ToLower(strings.TrimRight(word, "0123456789."))]
	}
	return ""
}
