#!/bin/sh
# The include rule of ARCHITECTURE.md holds; and the check itself finds faults that are planted.
#     include_rule_test.sh [SOURCE-FOLDER]
set -eu
root=$(cd "${1:-.}" && pwd)
check=$root/tests/include_rule.awk

check_tree() {
    find "$1"/src "$1"/include "$1"/worker "$1"/support "$1"/tunefile "$1"/engines "$1"/cli "$1"/benchmarks -name '*.[ch]' -o -name '*.cl' -o -name '*.clh' 2>/dev/null |
        sort | xargs awk -v root="$1" -f "$check" "$1/ARCHITECTURE.md"
}

check_tree "$root"

# ---- planted faults: each must be found, the clean tree must pass ----

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
mkdir -p "$tree"/src/base "$tree"/src/core "$tree"/src/backends/host "$tree"/include/heddle "$tree"/engines/a "$tree"/engines/b \
         "$tree"/support "$tree"/cli
cp "$root/ARCHITECTURE.md" "$tree/"
: >"$tree/include/heddle/base.h"
: >"$tree/src/base/text.h"
: >"$tree/src/core/backend.h"
: >"$tree/src/core/objects.h"
: >"$tree/engines/a/a.h"
: >"$tree/cli/options.h"

plant() { # FILE TEXT EXPECTED-WORDS, or EXPECTED-WORDS empty: nothing to be found
    printf '%s\n' "$2" >"$tree/$1"
    answer=$(check_tree "$tree") && found=no || found=yes
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
plant src/core/context.c 'const char *a = getenv("HOME");' ''
plant src/core/x.c 'void *a = dlopen("x", 1);' 'dlopen'
plant engines/a/x.c 'printf("hello");' 'printf'
plant engines/a/x.c '#include <sqlite3.h>' 'sqlite3.h'
plant src/nowhere.c 'int x;' 'no row of the table'
echo "planted faults: all found"
