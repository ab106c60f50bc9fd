#!/usr/bin/env bash
# Every check. A failing stage does not stop the next; the last line is "N passed, N failed": tests, and one
# failure for each stage that fails without naming a test.
. "$(dirname "$0")/tools.sh"
use_build_tools

# CI compiles everything once: what helps the next build and the debugger is time lost there. A failed assertion
# names its line without it.
if [ "${CI:-}" = true ]; then export CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=false; fi

LOGS=target/test-logs
mkdir -p "$LOGS"
export CARGO_TERM_COLOR=never
passed=0
failed=0
summary=''

# stage NAME COUNTER COMMAND…: runs the command, counts its tests (see counted), notes the outcome.
stage() {
  local name=$1 counter=$2 log="$LOGS/$1.log" started=$SECONDS outcome=ok ok=0 bad=0
  shift 2
  say "$name"
  "$@" 2>&1 | tee "$log" || outcome=FAILED
  read -r ok bad <<COUNTS
$(counted "$counter" "$log")
COUNTS
  [ "$outcome" = ok ] || [ "$bad" -gt 0 ] || bad=1
  [ "$bad" -eq 0 ] || outcome=FAILED
  passed=$((passed + ok))
  failed=$((failed + bad))
  summary="$summary$(printf '  %-7s %-20s %5d passed %4d failed %5d s' "$outcome" "$name" "$ok" "$bad" $((SECONDS - started)))
"
  [ "$outcome" = ok ]
}

# skip NAME REASON: a stage that cannot run counts as failed.
skip() {
  say "$1: $2"
  failed=$((failed + 1))
  summary="$summary$(printf '  %-7s %-20s %s' FAILED "$1" "$2")
"
}

# counted COUNTER LOG: "passed failed" as the runner itself counted.
counted() {
  case $1 in
    cargo) awk '/^[ \t]*test result:/ { for (i = 2; i <= NF; i++) { if ($i ~ /^passed/) ok += $(i-1); if ($i ~ /^failed/) bad += $(i-1) } } END { print ok + 0, bad + 0 }' "$2" ;;
    nextest) awk '/tests? run: / { for (i = 2; i <= NF; i++) { if ($i ~ /^run:/) { split($(i-2), n, "/"); all = n[1] } if ($i ~ /^passed/) ok = $(i-1) } } END { print ok + 0, all - ok }' "$2" ;;
    node) awk '/^(# |ℹ )(pass|fail|cancelled) / { n[$2] += $3 } END { print n["pass"] + 0, n["fail"] + n["cancelled"] }' "$2" ;;
    none) echo 0 0 ;;
  esac
}

shared_cases() {
  [ -d ../shared/cases ] || {
    echo "CI needs the real files of ../shared/cases and they are not there."
    return 1
  }
}

native_tests() {
  if [ "$runner" = nextest ]; then cargo nextest run --locked --no-fail-fast --color never
  else cargo test --locked --no-fail-fast --lib --bins --tests; fi
}

e2e_tests() { node --test --test-reporter=spec --test-concurrency=2 tests/e2e/*.test.mjs; }

runner=cargo
if cargo nextest --version >/dev/null 2>&1; then runner=nextest; fi
set -o pipefail

[ "${CI:-}" != true ] || stage shared-cases none shared_cases || true
stage format none cargo fmt --check || true
stage lint-native none cargo clippy --locked --all-targets --quiet -- -D warnings || true
stage native "$runner" native_tests || true
stage doc cargo cargo test --locked --doc || true
stage lint-wasm none cargo clippy --locked --target wasm32-unknown-unknown --lib --bin app --bin importer --bin engine --test web --quiet -- -D warnings || true
if cargo deny --version >/dev/null 2>&1; then stage dependencies none cargo deny --offline check licenses bans || true; fi

# First in a subshell: without a browser it ends with advice, and the other stages shall still run.
browser=ok
(use_browser) || browser=missing
if [ "$browser" = ok ]; then
  use_browser
  stage browser-unit cargo node scripts/browser-unit.mjs || true
else
  skip browser-unit "no browser"
fi
if stage app none scripts/build.sh; then
  stage sizes none node scripts/sizes.mjs || true
  if [ "$browser" = ok ]; then stage end-to-end node e2e_tests || true; else skip end-to-end "no browser"; fi
else
  skip sizes "no app"
  skip end-to-end "no app"
fi

printf '\n%s\n%d passed, %d failed\n' "$summary" "$passed" "$failed"
[ "$failed" -eq 0 ]
