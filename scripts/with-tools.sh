#!/usr/bin/env bash
# with-tools.sh build|browser|all COMMAND…: runs the command with the tools it needs on PATH.
. "$(dirname "$0")/tools.sh"
case $1 in
  build) use_build_tools ;;
  browser) use_browser ;;
  all)
    use_build_tools
    use_browser
    ;;
  *) advise "with-tools.sh knows build, browser and all, not $1." ;;
esac
shift
exec "$@"
