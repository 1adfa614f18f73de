#!/bin/sh
# The include rule of ARCHITECTURE.md holds, for includes and for the symbols of built objects; and the check itself finds
# faults that are planted.
#     include_rule_test.sh [SOURCE-FOLDER [BUILD-FOLDER]]
set -eu
root=$(cd "${1:-.}" && pwd)
build=${2:-}
check=$root/tests/include_rule.awk
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# OBJECTS FOLDER OUT: the symbols of a library's objects, which lie below OBJECTS as its sources do below FOLDER. Objects
# whose source is gone are left over from earlier builds.
list_symbols() {
    find "$1" -name '*.c.o' | sort | xargs nm -A -P |
        awk -v root="$root" -v from="$1/" -v to="$2" '
            {
                source = to substr($1, length(from) + 1)
                sub(/\.o:$/, "", source)
                if (!(source in there)) there[source] = (getline line < (root "/" source)) >= 0
            }
            there[source] && $3 ~ /[A-Zvw]/ { print source, $3, $2 }' >"$3"
    [ -s "$3" ] || { echo "no symbols found below $1"; exit 1; }
}

check_tree() { # ROOT [SYMBOLS...]
    top=$1
    shift
    { find "$top"/src "$top"/include "$top"/worker "$top"/support "$top"/tunefile "$top"/engines "$top"/cli "$top"/benchmarks "$top"/web "$top"/wasm \
        -name '*.[ch]' -o -name '*.cl' -o -name '*.clh' 2>/dev/null | sort; printf '%s\n' "$@"; } |
        xargs awk -v root="$top" -f "$check" "$top/ARCHITECTURE.md"
}

if [ -n "$build" ]; then
    list_symbols "$build/CMakeFiles/heddle.dir" "" "$scratch/heddle.symbols"
    for engine in "$build"/engines/*; do
        name=${engine##*/}
        objects=$engine/CMakeFiles/heddle-$name.dir
        [ ! -d "$objects" ] || list_symbols "$objects" "engines/$name/" "$scratch/$name.symbols"
    done
    check_tree "$root" "$scratch"/*.symbols
else
    check_tree "$root"
fi

# ---- planted faults: each must be found, the clean tree must pass ----

tree=$scratch/tree
mkdir -p "$tree"/src/base "$tree"/src/core "$tree"/src/backends/host "$tree"/include/heddle "$tree"/engines/a "$tree"/engines/b \
         "$tree"/support "$tree"/cli
cp "$root/ARCHITECTURE.md" "$tree/"
: >"$tree/none.symbols"
: >"$tree/include/heddle/base.h"
: >"$tree/src/base/text.h"
: >"$tree/src/core/backend.h"
: >"$tree/src/core/objects.h"
: >"$tree/engines/a/a.h"
: >"$tree/cli/options.h"

plant() { # FILE TEXT EXPECTED-WORDS, or EXPECTED-WORDS empty: nothing to be found
    printf '%s\n' "$2" >"$tree/$1"
    answer=$(check_tree "$tree" "$tree"/*.symbols) && found=no || found=yes
    rm "$tree/$1"
    if [ -z "$3" ]; then
        [ "$found" = no ] || { echo "a clean file was refused: $1: $2: $answer"; exit 1; }
    else
        case "$answer" in *"$3"*) ;; *) echo "a planted fault was missed: $1: $2"; exit 1 ;; esac
    fi
}
plant src/base/x.c '#include "base/text.h"' ''
plant src/base/x.c '#include "core/objects.h"' 'may not include src/core/objects.h'
plant src/base/x.c '# include "nowhere.h"' 'no such file'
plant src/backends/host/x.c '#include "core/backend.h"' ''
plant src/backends/host/x.c '#include "core/objects.h"' 'may not include src/core/objects.h'
plant engines/a/x.c '#include "a.h"' ''
plant engines/b/x.c '#include "engines/a/a.h"' 'may not include engines/a/a.h'
plant engines/b/x.c '#include "base/text.h"' 'may not include src/base/text.h'
plant support/x.c '#include "cli/options.h"' 'may not include cli/options.h'
plant include/heddle/x.h '#include "base/text.h"' 'may not include src/base/text.h'
plant src/core/x.c 'const char *a = getenv("HOME");' 'getenv'
plant src/core/x.c '/* getenv, and dlopen("x") */ const char *a = "dlopen";' ''
plant src/base/path.c 'const char *a = getenv("HOME");' ''
plant src/core/x.c 'void *a = dlopen("x", 1);' 'dlopen'
plant engines/a/x.c 'printf("hello");' 'printf'
plant src/core/x.c 'pthread_cond_timedwait(&changed, &lock, &until);' 'pthread_cond_timedwait'
plant engines/a/x.c 'int clock = CLOCK_REALTIME;' 'CLOCK_REALTIME'
plant src/base/base.c 'clock_gettime(CLOCK_MONOTONIC, &now);' ''
plant engines/a/x.c '#include <sqlite3.h>' 'sqlite3.h'
plant src/nowhere.c 'int x;' 'no row of the table'

plant_call() { # USER DEFINITION EXPECTED-WORDS
    plant planted.symbols "$1 U hed_planted
$2 T hed_planted" "$3"
}
plant_call src/tune/x.c src/launch/y.c ''
plant_call src/launch/x.c src/launch/y.c ''
plant_call src/launch/x.c src/heddle.c ''
plant_call src/heddle.c src/tune/x.c ''
plant_call src/launch/x.c src/tune/y.c 'src/launch may not use hed_planted() of src/tune/y.c'
plant_call src/core/x.c src/database/y.c 'src/core may not use hed_planted() of src/database/y.c'
plant_call src/backends/host/x.c src/core/y.c 'src/backends/host may not use hed_planted() of src/core/y.c'
echo "planted faults: all found"
