#!/bin/sh
# Installs the build into an empty folder, moves it, and builds a user's program against it both ways: with pkg-config and
# with CMake. Then looks at what was installed: only hed_* is exported, nothing knows where it was built.
#     run.sh BUILD-FOLDER COMPILER [C-FLAGS...]
set -eu
build=$(cd "$1" && pwd)
compiler=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
# The list of a real installation from this build folder stays what it is: uninstalling needs it.
list=$build/install_manifest.txt
[ ! -e "$list" ] || cp "$list" "$scratch/list"
trap '[ ! -e "$scratch/list" ] || cp "$scratch/list" "$list"; rm -rf "$scratch"' EXIT
fail() { echo "FAILED: $*"; exit 1; }

cmake --install "$build" --prefix "$scratch/first" >"$scratch/log" || { cat "$scratch/log"; fail "cmake --install"; }
mv "$scratch/first" "$scratch/moved" # nothing in it may depend on where it was put
prefix=$scratch/moved
pc=$(find "$prefix" -name heddle.pc) && pc=$(dirname "$pc")
lib=$(dirname "$pc")

echo "== pkg-config"
# shellcheck disable=SC2046  # words of a command line
PKG_CONFIG_PATH=$pc "$compiler" -std=c17 "$@" "$here/user.c" -o "$scratch/by-pkg-config" \
    $(PKG_CONFIG_PATH=$pc pkg-config --cflags --libs heddle-canonical) -Wl,-rpath,"$lib"
"$scratch/by-pkg-config"

echo "== CMake"
generator=$(sed -n 's/^CMAKE_GENERATOR:INTERNAL=//p' "$build/CMakeCache.txt")
with_cmake() {
    cmake -G "$generator" -S "$here" -B "$scratch/cmake" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" -DCMAKE_C_FLAGS="$*" &&
        cmake --build "$scratch/cmake"
}
with_cmake "$@" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "find_package(heddle)"; }
"$scratch/cmake/user"

# What `heddle mppi new` makes: the scene through the command where a device compiles texts, the program anywhere.
if [ -x "$prefix/bin/heddle" ]; then
    echo "== a robot of one's own"
    "$prefix/bin/heddle" mppi new "$scratch/my_robot"
    cmake -G "$generator" -S "$scratch/my_robot" -B "$scratch/my_robot/build" -DCMAKE_PREFIX_PATH="$prefix" -DCMAKE_C_COMPILER="$compiler" \
        -DCMAKE_C_FLAGS="$*" >"$scratch/log" 2>&1 && cmake --build "$scratch/my_robot/build" >>"$scratch/log" 2>&1 ||
        { cat "$scratch/log"; fail "the program of heddle mppi new"; }
    "$scratch/my_robot/build/my_robot" | tee "$scratch/log"
    grep -q 'at the goal, x \(5.9\|6.0\).*, y \(3.9\|4.0\)' "$scratch/log" || fail "my_robot does not reach its goal"
fi

echo "== what is exported"
for library in "$lib"/libheddle*.so; do
    nm -D --defined-only "$library" | awk '{ print $NF }' | sed 's/@.*//' | grep -v '^hed_' >"$scratch/others" || true
    grep -vE '^(__asan|__ubsan|__tsan|__gcov|_init$|_fini$)' "$scratch/others" && fail "$library exports these, which are not hed_*"
    [ -L "$library" ] || fail "$library should be a link to its soname"
    readelf -d "$library" | grep -q 'SONAME.*\.so\.[0-9]' || fail "$library has no soname with a version"
done

echo "== no path of the build"
for file in "$lib"/libheddle*.so.*.*.* "$prefix"/bin/*; do
    if [ ! -f "$file" ] || [ $# != 0 ]; then continue; fi # sanitizers keep the names of source files
    if strings -a "$file" | grep -F -e "$build" -e "$(cd "$here/../.." && pwd)" | head -n 3 | grep .; then fail "$file holds a path of the build"; fi
done
[ -s "$prefix/include/heddle/heddle.h" ] || fail "no headers"
echo "== uninstalled"
manifest=$scratch/manifest # in place of the build folder's, which is of another place
sed "s|^$scratch/first|$prefix|" "$list" >"$manifest"
installed=$(find "$prefix" -type f | wc -l)
: >"$prefix/include/other.h"
: >"$prefix/share/heddle/own"
cmake -DMANIFEST="$manifest" -P "$here/../../cmake/uninstall.cmake" >"$scratch/log" 2>&1 || { cat "$scratch/log"; fail "uninstall"; }
left=$(find "$prefix" -type f -o -type l | sort | sed "s|$prefix/||" | tr '\n' ' ')
[ "$left" = 'include/other.h share/heddle/own ' ] || fail "uninstall leaves: $left"
[ ! -e "$prefix/include/heddle" ] || fail "uninstall leaves a folder"
echo "installed and uninstalled: $installed files"
