#!/bin/sh
# conan.sh SCRATCH: the Conan recipe makes a package, and a user's program is built against it. Minutes: the whole of Heddle is compiled.
set -eu
command -v conan >/dev/null || { echo "SKIPPED: conan is not here (pip install conan)"; exit 77; }
export CONAN_HOME="$1/conan"
mkdir -p "$CONAN_HOME"
[ -e "$CONAN_HOME/profiles/default" ] || conan profile detect >/dev/null 2>&1
conan create packaging/conan --no-remote >"$1/conan.log" 2>&1 || { tail -n 40 "$1/conan.log"; echo "FAILED: conan create"; exit 1; }
grep "^Heddle .* on .*: 1 3" "$1/conan.log" || { tail -n 20 "$1/conan.log"; echo "FAILED: the program did not run"; exit 1; }
conan remove --confirm 'heddle/*' >/dev/null 2>&1
