#!/bin/sh
# The public headers' documentation: no warning of Doxygen, and no exported function, struct or enumeration without a word.
# Fields, enumeration values, handles and inline helpers may speak for themselves.
set -eu
command -v doxygen >/dev/null || { echo "SKIPPED: doxygen is not here (apt install doxygen)"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

run() { # EXTRA-SETTINGS: Doxygen's messages
    { cat Doxyfile; printf 'OUTPUT_DIRECTORY = %s\nWARN_AS_ERROR = NO\n%s\n' "$scratch" "$1"; } | doxygen - 2>&1 || true
}
run '' >"$scratch/all"
run 'EXTRACT_ALL = NO
EXTRACT_STATIC = NO' | grep 'is not documented' | grep -E '\(function\)|\(enumeration\)|Compound' >"$scratch/silent" || true
cat "$scratch/all" "$scratch/silent"
[ -s "$scratch/html/index.html" ] || { echo "no documentation came out"; exit 1; }
if [ -s "$scratch/all" ] || [ -s "$scratch/silent" ]; then exit 1; fi
echo "documentation: no warnings"
