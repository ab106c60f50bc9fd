#!/usr/bin/env bash
# Builds the command and prints where it is.
. "$(dirname "$0")/tools.sh"
use_rust
say "The command: building (about 4 minutes from clean on two cores)"
cargo build --release --locked --bin sameruler
printf '%s\n' "${CARGO_TARGET_DIR:-$ROOT/target}/release/sameruler"
