# Sourced by the other scripts: finds the tools the project is built with and installs the missing ones.
# Works with the bash 3.2 of macOS; no GNU-only flags.

set -eu
ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cd "$ROOT"
. ./tools.env
TOOLS=${SAMERULER_TOOLS:-$HOME/.cache/sameruler/tools}
mkdir -p "$TOOLS"

# Trunk takes NO_COLOR=1 for a malformed flag.
unset NO_COLOR || true

say() { printf '==> %s\n' "$*"; }

# Says what went wrong and what to do about it, one argument a line.
advise() {
  printf '\n' >&2
  printf '%s\n' "$@" >&2
  exit 1
}

# quietly LOG COMMAND…: keeps a long output out of sight unless it is needed; then the lines that name a cause
# come first, since a compiler that breaks prints them far above its last ones.
quietly() {
  local log=$1
  shift
  if ! "$@" >"$log" 2>&1; then
    { grep -E '^ *error|panicked at|\(signal: |No space left|LLVM ERROR|out of memory' "$log" || true; } | head -n 15 >&2
    printf '…\n' >&2
    tail -n 15 "$log" >&2
    df -h . | tail -n 1 | awk '{ print "Free on this disk: " $4 }' >&2
    return 1
  fi
}

have() { command -v "$1" >/dev/null 2>&1; }

use_rust() {
  have cargo && have rustc || advise \
    "Rust is missing." \
    "Install it with rustup (https://rustup.rs), open a new terminal and run make again."
  have cc || have clang || have gcc || advise \
    "Rust needs a C linker and none was found." \
    "Debian, Ubuntu: apt-get install build-essential. macOS: xcode-select --install."
}

use_node() {
  have node || advise "Node is missing." "Install Node 20 or newer (https://nodejs.org, or your package manager)."
  node -e 'process.exit(parseInt(process.versions.node) >= 20 ? 0 : 1)' || advise \
    "Node $(node --version) is too old." "Install Node 20 or newer."
}

use_wasm_target() {
  [ -d "$(rustc --print sysroot)/lib/rustlib/wasm32-unknown-unknown/lib" ] && return
  have rustup || advise \
    "This Rust cannot compile to WebAssembly and there is no rustup to teach it." \
    "Install Rust with rustup, or your package manager's wasm32-unknown-unknown target."
  say "Rust's wasm32 target: installing (once, a few seconds)"
  rustup target add wasm32-unknown-unknown || advise "The target could not be fetched." "Go online and run make again."
}

# use_cargo_tool COMMAND CRATE VERSION MINUTES [FLAGS…]: takes the command from PATH when its version is the
# wanted one, else from the tools folder, where it is compiled once with a profile that favours compile time.
use_cargo_tool() {
  local command=$1 crate=$2 version=$3 minutes=$4 home=$TOOLS/$2-$3
  shift 4
  if [ "$("$command" --version 2>/dev/null | awk '{ print $2 }')" = "$version" ]; then return; fi
  PATH=$home/bin:$PATH
  if [ -x "$home/bin/$command" ]; then return; fi
  say "$crate $version: compiling into $home (once, about $minutes minutes on two cores)"
  cargo_install "$crate" --version "$version" --root "$home" "$@" || advise \
    "$crate could not be installed; the whole output is in $TOOLS/$crate.log." \
    "Offline? Go online once and run make again. Otherwise install $crate $version yourself and put it on PATH."
}

# Some lockfiles name crates that a registry mirror does not have yet; then the newest fitting ones must do.
cargo_install() {
  (
    cd "$TOOLS"
    export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_OPT_LEVEL=0 CARGO_PROFILE_RELEASE_CODEGEN_UNITS=64
    trap 'exit 130' INT TERM
    cargo install "$@" --locked >"$TOOLS/$1.log" 2>&1 ||
      { say "$1: once more without its lockfile" && quietly "$TOOLS/$1.log" cargo install "$@"; }
  )
}

# use_npm build|all: the npm packages, in a folder named after the lockfile, linked into the tree.
use_npm() {
  local key home
  if [ "$1" = build ] && [ "$(wasm-opt --version 2>/dev/null)" = "wasm-opt version $(binaryen_version) (version_$(binaryen_version))" ]; then return; fi
  key=$(cat package.json package-lock.json | cksum | tr ' ' '-')
  home=$TOOLS/npm-$key
  if [ ! -f "$home/complete" ]; then
    have npm || advise "npm is missing." "It comes with Node; on Debian it is the package npm."
    say "npm packages (wasm-opt, browser driver): installing into $home (once, under a minute)"
    mkdir -p "$home"
    cp package.json package-lock.json "$home/"
    (cd "$home" && quietly "$TOOLS/npm.log" npm ci --include=dev --no-audit --no-fund) || advise \
      "The npm packages could not be installed; the whole output is in $TOOLS/npm.log." "Offline? Go online once and run make again."
    touch "$home/complete"
  fi
  PATH=$home/node_modules/.bin:$PATH
  # The tests import their packages from the tree; the link keeps one copy for all clones.
  [ -L node_modules ] || [ ! -d node_modules ] || return 0
  ln -sfn "$home/node_modules" node_modules
}

binaryen_version() { sed -n 's/.*"binaryen": "\([0-9]*\).*/\1/p' package.json; }

use_sources() {
  cargo fetch --locked --quiet || advise \
    "The Rust dependencies could not be fetched." \
    "Offline? Go online once and run make again. Cargo.lock out of date? Run cargo update --workspace."
}

use_build_tools() {
  use_rust
  use_node
  use_wasm_target
  use_cargo_tool trunk trunk "$TRUNK_VERSION" 4 --no-default-features
  use_cargo_tool wasm-bindgen wasm-bindgen-cli "$WASM_BINDGEN_VERSION" 2
  use_npm build
  use_sources
  export PATH
}

# A browser to test in: any Chromium or Chrome; on Debian as root it is installed.
use_browser() {
  use_node
  use_npm all
  export PATH
  if node scripts/chromium.mjs >/dev/null; then return; fi
  local sudo=''
  [ "$(id -u)" = 0 ] || ! have sudo || sudo='sudo'
  if have apt-get && { [ "$(id -u)" = 0 ] || [ -n "$sudo" ]; }; then
    say "Chromium: installing with apt (once, about a minute)"
    quietly "$TOOLS/apt.log" $sudo sh -c 'apt-get update && DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends chromium fonts-liberation' || true
  fi
  node scripts/chromium.mjs >/dev/null || advise \
    "No Chromium or Chrome was found for the browser tests." \
    "Install one (Debian: apt-get install chromium) or name yours: CHROMIUM=/path/to/it make test"
}
