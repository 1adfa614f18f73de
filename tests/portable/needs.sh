#!/bin/sh
# needs.sh TARBALL README: needs of the portable build's files on the system that they run on. No library but the C library
# and those beside them, and no symbol of a glibc later than the one that the README names. With a build's folder in place of
# the tarball, the symbols alone are compared: those of all its libraries, programs and tests.
set -eu
tarball=$1
promised=$(sed -n 's/.*glibc \([0-9][0-9.]*[0-9]\) or later.*/\1/p' "$2" | head -n 1)
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
[ -n "$promised" ] || { echo "FAILED: $2 names no glibc"; exit 1; }

# What a file needs that it may not, a line each.
complaints() { # FILE FOLDER-OF-LIBRARIES
    objdump -p "$1" >"$place/dump"
    for library in $([ -z "$2" ] || awk '$1 == "NEEDED" { print $2 }' "$place/dump"); do
        case $library in libc.so.6 | libm.so.6 | ld-linux*.so.*) continue ;; esac
        [ -e "$2/$library" ] || echo "$1 needs $library, which is not in the tarball"
    done
    for version in $(sed -n '/^Version References/,$s/.* GLIBC_\([^ ]*\)$/\1/p' "$place/dump" | sort -u); do
        [ "$(printf '%s\n' "$version" "$promised" | sort -V | tail -n 1)" = "$promised" ] ||
            echo "$1 needs glibc $version for $(objdump -T "$1" | awk -v version="GLIBC_$version" 'index($0, version) { printf "%s ", $NF }')"
    done
}

# Planted faults are found: a library from elsewhere, and hypot(), whose symbol is of glibc 2.35.
mkdir "$place/none"
printf '#include <math.h>\ndouble f(double x, double y);\ndouble f(double x, double y) { return hypot(x, y); }\n' |
    "${CC:-cc}" -shared -fPIC -x c - -o "$place/planted.so" -Wl,--no-as-needed -lz -lm
complaints "$place/planted.so" "$place/none" >"$place/found"
grep -q 'needs libz' "$place/found" || { echo "FAILED: a planted library was not found"; exit 1; }
if objdump -T "$place/planted.so" | grep -q 'GLIBC_2.35.*hypot'; then
    grep -q 'needs glibc 2.35 for hypot' "$place/found" || { echo "FAILED: a planted symbol was not found"; exit 1; }
fi

libraries=
if [ -d "$tarball" ]; then
    here=$(getconf GNU_LIBC_VERSION)
    case $here in
        glibc\ 2.3[0-6]) ;;
        *) echo "SKIPPED: built with $here; what is released is built in Debian 12, with glibc 2.36"; exit 77 ;;
    esac
    find "$tarball" \( -name CMakeFiles -o -path "$tarball/tests" -o -path "$tarball/benchmarks" \) -prune -o \
        -type f ! -name '*.o' ! -name '*.a' -size +3c -print >"$place/files"
    # the tests that the tarball has as one program; one search is faster than a look at each
    grep -lE 'GLIBC_2\.(3[5-9]|[4-9][0-9])' "$tarball"/tests/*_test >>"$place/files" || true
else
    mkdir "$place/tarball"
    tar xzf "$tarball" -C "$place/tarball" --strip-components=1
    libraries=$place/tarball/lib
    find "$place/tarball" -type f -size +3c >"$place/files"
fi
count=0
: >"$place/found"
while read -r file; do
    [ "$(head -c 4 "$file" | od -A n -t x1)" = ' 7f 45 4c 46' ] || continue
    count=$((count + 1))
    complaints "$file" "$libraries" >>"$place/found"
done <"$place/files"
[ "$count" -gt 10 ] || { echo "FAILED: $tarball has $count programs and libraries"; exit 1; }
if [ -s "$place/found" ]; then
    sed "s|$place/tarball/||; s|$tarball/||; s/^/FAILED: /" "$place/found"
    exit 1
fi
echo "$count programs and libraries, none needs more than glibc $promised"
