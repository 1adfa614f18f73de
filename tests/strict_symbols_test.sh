#!/bin/sh
# strict_symbols_test.sh BUILD-FOLDER LIST: the engines and what they stand on call no function of the system but those of the
# list, among which is no mathematical one whose bits may differ.
set -eu
build=$1 list=$2
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Choices by measured times need no equal bits: search, tuning, statistics, the database. Nav2's controller has no strict mode. Of support/, results depend on the
# mathematics alone. Objects of files that have moved or gone stay in a build folder: those that ninja knows count.
ninja -C "$build" -t targets all | sed -n "s|^\\(.*\\.o\\): .*|$build/\\1|p" >"$scratch/current"
find "$build/CMakeFiles/heddle.dir" "$build"/support/CMakeFiles/heddle-support.dir/strict_math.c.o "$build"/engines/*/CMakeFiles/heddle-* -name '*.o' 2>/dev/null |
    grep -vE '/src/(search|measure|capture|workers|tune|stats|database)/|/nav2/nav2[a-z_]*\.c|-internal|heddle-(cloth-view|synth-live|synth-sound|plugin)\.dir' |
    grep -Fxf "$scratch/current" >"$scratch/objects"
find "$build" -path "$build/tests" -prune -o -name '*.o' -exec nm -g --defined-only -P {} + 2>/dev/null |
    awk 'NF > 2 { print $1 }' | sort -u >"$scratch/own"
sed 's/#.*//' "$list" | tr -s ' ' '\n' | sort -u >"$scratch/allowed"

# Undefined symbols, a line each with the object; glibc's other names of a function are the function's.
called() { # OBJECTS...
    xargs nm -A -P -u | sed -E 's/^([^ ]*): ([^ @]*).*/\2 \1/; s/^__isoc(99|23)_//; s/^__([a-z_]*)_(chk|2) /\1 /' |
        awk -v own="$scratch/own" -v allowed="$scratch/allowed" '
            BEGIN { while ((getline line < own) > 0) known[line]; while ((getline line < allowed) > 0) known[line] }
            !($1 in known) && $1 !~ /^(__aarch64_|_GLOBAL_OFFSET_TABLE_$|_ITM_)/ { print }'
}

count=$(wc -l <"$scratch/objects")
[ "$count" -gt 200 ] || { echo "FAILED: $build has $count objects of strict code"; exit 1; }
failed=0
called <"$scratch/objects" >"$scratch/found"
if [ -s "$scratch/found" ]; then
    failed=1
    sed "s|$build/||; s|\(.*\) \(.*\)|FAILED: \2 calls \1(), which is not in ${list##*/}|" "$scratch/found"
fi

# A planted call is found.
printf '#include <math.h>\ndouble planted(double x);\ndouble planted(double x) { return hypot(x, 1) + sin(x); }\n' |
    ${CC:-cc} -c -x c - -o "$scratch/planted.o"
echo "$scratch/planted.o" | called >"$scratch/found"
for name in hypot sin; do
    grep -q "^$name " "$scratch/found" || { failed=1; echo "FAILED: a planted call of $name() was not found"; }
done
[ $failed = 0 ] && echo "strict: $count objects call nothing but what ${list##*/} has"
exit $failed
