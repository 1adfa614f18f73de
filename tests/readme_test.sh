#!/bin/sh
# sh readme_test.sh [HEDDLE]: the program in the README is examples/first.c, letter for letter, and the command understands every one of its
# command lines that documents show. (docs_links.py looks at their links.)
set -eu
heddle=${1:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
awk '/^```c$/ { inside = 1; next } /^```$/ { if (inside) exit } inside' README.md >"$scratch/first.c"
diff -u examples/first.c "$scratch/first.c" || { echo "FAILED: the README's program is not examples/first.c"; exit 1; }

broken=0
# Each with --help behind it: what stands before is parsed, and nothing is run.
for document in *.md docs/*.md benchmarks/*.md; do
    [ -n "$heddle" ] || continue
    awk '/^```sh$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$document" | sed 's/[[:space:]]#.*//; s/ && /\n/g; s/ | .*//; s/ > .*//' |
        sed -n 's/^\([A-Z_]*=[^ ]* \)*heddle //p' >"$scratch/lines"
    while read -r words; do
        case $words in
            *\"*) eval "set -- $words" ;; # a word in quotes is one
            *)
                # shellcheck disable=SC2086  # words are what is wanted
                set -- $words
                ;;
        esac
        "$heddle" "$@" --help >/dev/null 2>"$scratch/error" || { echo "FAILED: $document: heddle $words: $(cat "$scratch/error")"; broken=1; }
    done <"$scratch/lines"
done
[ $broken = 0 ] && echo "README: as it should be"
exit $broken
