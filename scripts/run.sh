#!/usr/bin/env bash
# Builds the app if needed and serves it.
. "$(dirname "$0")/tools.sh"
"$ROOT/scripts/build.sh"
exec node scripts/serve.mjs
