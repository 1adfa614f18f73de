#!/bin/sh
# The program in the README is examples/first.c, letter for letter, and every file that a document points to is there.
set -eu
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md >"$scratch/first.c"
diff -u examples/first.c "$scratch/first.c" || { echo "FAILED: the README's program is not examples/first.c"; exit 1; }

broken=0
for document in *.md docs/*.md benchmarks/*.md; do
    folder=$(dirname "$document")
    for target in $(grep -o '](\([^)]*\))' "$document" | sed 's/^](//; s/)$//; s/#.*//' | grep -v '^https\{0,1\}:' || true); do
        [ -e "$folder/$target" ] || { echo "FAILED: $document points to $target, which is not there"; broken=1; }
    done
done
[ $broken = 0 ] && echo "README and links: as they should be"
exit $broken
