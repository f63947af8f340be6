# The commands of this repository. "make" alone prints them.

GOLANGCI_LINT_VERSION := v2.15.0
GOLANGCI_LINT := bin/golangci-lint-$(GOLANGCI_LINT_VERSION)
ACTIONLINT_VERSION := v1.7.12
ACTIONLINT := bin/actionlint-$(ACTIONLINT_VERSION)

.PHONY: bench bench-peers help build demo test check format format-check vet lint actionlint tidy-check generate generate-check fuzz render-check browser-check mermaid-check sarif-check bench-accuracy bench-comment bench-apidiff bench-pycg bench-seeds act-check mcp-sizes mcp-latency mcp-conformance

help: ## print this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "%-15s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: ## build bin/previdence
	go build -o bin/previdence ./cmd/previdence

# Six commits back on the first parents, or as far as this clone's history goes.
demo: build ## build, then review the newest commits of this repository
	bin/previdence review --base "$$(git rev-list --first-parent --max-count=6 HEAD | tail -n 1)" --head HEAD

test: ## run all tests
	go test ./...

check: format-check vet lint tidy-check generate-check test ## everything that CI checks

format-check: # fails if a file is not formatted as gofmt does it
	@files="$$(gofmt -l .)"; test -z "$$files" || { printf 'not formatted:\n%s\n' "$$files"; exit 1; }

format: ## format the code
	gofmt -w .

vet:
	go vet ./...

lint: $(GOLANGCI_LINT) actionlint ## run the linters
	$(GOLANGCI_LINT) run ./...

# The version is part of the file name, so that a new one is fetched.
$(GOLANGCI_LINT):
	GOBIN="$(CURDIR)/bin" go install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@$(GOLANGCI_LINT_VERSION)
	mv bin/golangci-lint $@

# The workflows of this repository and those that "previdence init" writes, and, where
# shellcheck is there, the scripts.
actionlint: $(ACTIONLINT)
	$(ACTIONLINT) .github/workflows/*.yml cmd/internal/cli/workflows/*.yml
	@if command -v shellcheck >/dev/null; then shellcheck .ci/run $$(grep -l '^#!/usr/bin/env bash' scripts/*); fi

$(ACTIONLINT):
	GOBIN="$(CURDIR)/bin" go install github.com/rhysd/actionlint/cmd/actionlint@$(ACTIONLINT_VERSION)
	mv bin/actionlint $@

tidy-check:
	go mod tidy -diff

generate: ## write again what is generated
	go generate ./...

# What is generated must be what is committed: compare before and after, so
# that the check also works in a tree with other changes.
generate-check:
	@before="$$(git diff HEAD | git hash-object --stdin)"; \
	go generate ./...; \
	after="$$(git diff HEAD | git hash-object --stdin)"; \
	test "$$before" = "$$after" || { echo 'generated files differ: run make generate and commit'; git status --short; exit 1; }

mcp-conformance: ## let the official conformance suite and other clients talk to the MCP server (needs node and npm)
	mcp/conformance/run

FUZZTIME ?= 10s

fuzz: ## fuzz each parser for FUZZTIME (10s)
	@go list -f '{{.ImportPath}} {{.Dir}}' ./... | while read -r package dir; do \
		for target in $$(sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$dir"/*_test.go 2>/dev/null); do \
			echo "== $$package $$target"; \
			go test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) "$$package" || exit 1; \
		done; \
	done

act-check: ## run the Action's workflows with act against a fake GitHub behind Prism (needs node 20)
	scripts/act-check

mcp-sizes: build ## measure results for agents on the pull requests of mcp/results/pulls.tsv, with clones REPOS="DIR…"
	@{ printf '# Size of review_changes\n\nWritten by `make mcp-sizes`. Bytes of the text of results with the default size,\nbeside those of the files that somebody without them reads: the changed files at\nhead, and the files of those who refer to a changed symbol directly, as far as the\nreport lists them.\n\n'; \
	scripts/mcp-measure sizes bin/previdence $(REPOS); } >mcp/results/sizes.md
	@cat mcp/results/sizes.md

mcp-latency: build ## measure reads of one worktree while another builds, with one clone REPOS=DIR
	@scripts/mcp-measure latency bin/previdence $(REPOS)

render-check: ## compare how two Markdown renderers show a comment (needs cmark-gfm and node)
	scripts/render-check

browser-check: ## operate the HTML pages in a real browser (needs chromium and node)
	scripts/browser-check

mermaid-check: ## draw the diagrams of comments (needs chromium and node)
	scripts/mermaid-check

sarif-check: ## check SARIF logs by the rules of GitHub (needs node)
	scripts/sarif-check

# REPOS='goroot=../goroot …' are clones; SIZES are made of the SOURCES, real trees, first.
SIZES ?= 1000 10000 50000 100000

bench: build ## measure builds, reads and growth: REPOS='NAME=DIR…' SOURCES='DIR…' SIZES='1000…' (bench/README.md)
	@trees="$$(mktemp -d)"; trap 'rm -rf "$$trees"' EXIT; set -e; \
	for size in $(if $(SOURCES),$(SIZES)); do \
		python3 bench/speed/speed.py tree "$$trees/$$size" "$$size" $(SOURCES); \
		python3 bench/speed/speed.py run bin/previdence "synthetic $$size=$$trees/$$size"; \
		rm -rf "$$trees/$$size"; \
	done; \
	if [ -n "$(REPOS)" ]; then python3 bench/speed/speed.py run bin/previdence $(REPOS); fi

bench-peers: build ## measure builds beside other tools: REPOS='NAME=DIR…', CBM, CODEGRAPH, CRG, OPTAVE and REPOWISE name their programs
	python3 bench/speed/speed.py peers bin/previdence $(REPOS)

# The clones must have the commits of bench/cells.tsv; nothing is fetched.
bench-accuracy: ## score call edges against answer keys: REPOS='DIR…' (bench/README.md)
	bench/run $(REPOS)

bench-apidiff: ## compare verdicts on Go surfaces with apidiff: REPOS='DIR…' (bench/run-apidiff)
	bench/run-apidiff $(REPOS) > bench/results/apidiff.md

bench-seeds: ## score what reviews find of definitions broken on purpose: REPOS='DIR…' (bench/seeds/README.md)
	bench/run-seeds $(REPOS)

bench-comment: build ## measure what a person reads of comments: REPOS='DIR…' (bench/comment/pulls.tsv)
	python3 bench/comment/comment.py bin/previdence $(REPOS) >bench/results/comment.tmp
	@sed '/^|/,$$d' bench/results/comment.md | cat - bench/results/comment.tmp >bench/results/comment.new
	@mv bench/results/comment.new bench/results/comment.md; rm bench/results/comment.tmp

bench-cost: ## compare what building costs with revision BEFORE: REPOS='DIR…' (bench/run-cost)
	bench/run-cost $(BEFORE) $(REPOS)

bench-pycg: ## score the snippets of PyCG: SNIPPETS=DIR (bench/README.md)
	bench/run-pycg $(SNIPPETS)
