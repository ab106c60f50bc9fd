# Every command of the project. `make` alone lists them. What they install goes to one folder outside the
# tree (SAMERULER_TOOLS, by default ~/.cache/sameruler/tools); versions stand in tools.env and package.json.

PORT ?= 8080
export PORT
# Where rustup puts Rust, for shells that have not read its profile yet.
export PATH := $(PATH):$(HOME)/.cargo/bin

.PHONY: help run test build cli sizes fmt bench screenshots watch clean

help: ## list these commands
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

run: ## install what is missing, build the app, serve it on http://127.0.0.1:8080 (PORT=… for another port)
	@scripts/run.sh

test: ## every check, from formatting to the browser; ends with "N passed, N failed"
	@scripts/test.sh

build: ## the app as static files in dist/
	@scripts/build.sh

cli: ## the command line tool; prints where it is
	@scripts/cli.sh

sizes: build ## sizes and start time of the built app against their budgets
	@scripts/with-tools.sh browser node scripts/sizes.mjs

fmt: ## format the Rust sources
	@cargo fmt

bench: ## measure parsing, evaluation and drawing
	@cargo bench

screenshots: build ## pictures of every screen, light and dark
	@scripts/with-tools.sh browser node tests/e2e/screenshots.mjs

watch: ## rebuild dist/ (unoptimised) whenever a source changes; serve it with `node scripts/serve.mjs`
	@scripts/with-tools.sh build trunk watch --offline

clean: ## remove what was built (the tools folder stays)
	@cargo clean
	@rm -rf dist node_modules
