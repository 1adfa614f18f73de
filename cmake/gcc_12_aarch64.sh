#!/bin/sh
# gcc_12_aarch64.sh COMPILER ARGUMENTS...: compiles a source; if gcc 12.2 for 64-bit Arm ends with the internal error of its
# vectorizer (in vect_transform_reduction: some loops that sum, at -O2 and -O3), compiles it again without vectors.
log=$(mktemp) || exit
trap 'rm -f "$log"' EXIT
"$@" 2>"$log" && code=0 || code=$?
if [ "$code" -ne 0 ] && grep -q 'internal compiler error: in vect_' "$log"; then
    "$@" -fno-tree-vectorize
else
    cat "$log" >&2
    exit "$code"
fi
