#!/usr/bin/env bash
# Builds the release app into dist/; does nothing when no source has changed since.
. "$(dirname "$0")/tools.sh"
use_build_tools

stamp=target/dist.stamp
now=$(node scripts/stamp.mjs "$(rustc --version)")
if [ -f dist/index.html ] && [ "$(cat "$stamp" 2>/dev/null)" = "$now" ]; then
  say "The app in dist/ is up to date"
  exit 0
fi
say "The app: building into dist/ (about 6 minutes from clean on two cores, less after a change)"
mkdir -p target
rm -f "$stamp"
# For size: the modules travel, the command does not. What must stay fast in them keeps its own level in
# Cargo.toml (profile.release.package).
export CARGO_PROFILE_RELEASE_OPT_LEVEL=${LEVEL:-z}
if ! quietly target/trunk.log trunk build --release --offline; then
  advise "The app did not build; the whole output is in target/trunk.log."
fi
printf '%s' "$now" >"$stamp"
