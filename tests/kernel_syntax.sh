#!/bin/sh
# Every kernel file, alone with the prelude, goes through clang's OpenCL front end without a warning, in fast
# and in strict mode; and the check itself finds faults that are planted.
#     kernel_syntax.sh SOURCE-FOLDER
set -eu
root=$1

clang=
for program in ${CLANG:-} clang clang-19 clang-18 clang-17 clang-16 clang-15 clang-14; do
    if [ -z "$clang" ] && command -v "$program" >/dev/null 2>&1; then
        clang=$program
    fi
done
if [ -z "$clang" ]; then
    echo "SKIPPED: clang is not here. On Debian: apt install clang"
    exit 77
fi

compile() { # FILE STRICT; a kernel includes files of its engine's other rooms by their path in the engine
    engine=$(expr "$1" : "$root/engines/\([^/]*\)/" || true)
    case $1 in */patch.cl) lattices=1 ;; *) lattices=0 ;; esac # which alone use all parameters
    "$clang" -x cl -cl-std=CL1.2 -Xclang -finclude-default-header -I "$root/include" -I "$root/engines/$engine" \
             -include "$root/src/prelude/heddle.clh" -DHED_STRICT="$2" -DLATTICES=$lattices \
             -fsyntax-only -Wall -Wextra -Werror "$1"
}

count=0
bad=0
folders="$root/engines $root/src $root/examples $root/tests/planted"
# The names are ours and have no blanks. The kernels of examples/tune/ are as users write them: their parameters are defined
# by the tune file alone, and tune_examples_test.c compiles them. Those of MPPI stand behind a model's text and its numbers:
# mppi_device_test.c and mppi_nvrtc_test.c compile them.
# shellcheck disable=SC2086,SC2044
for file in $(find $folders -path '*/examples/tune' -prune -o -path '*/engines/mppi' -prune -o -name '*.cl' -print 2>/dev/null); do
    count=$((count + 1))
    if ! compile "$file" 0 || ! compile "$file" 1; then
        echo "FAILED: $file"
        bad=$((bad + 1))
    fi
done
if [ "$count" -lt 9 ] || [ "$bad" -gt 0 ]; then
    echo "$bad of $count kernel files failed"
    exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for fault in 'uint unused = 1;' 'values[0] = nowhere;' 'values[0] = (uint *)values;'; do
    printf '__kernel void f(__global uint *values)\n{\n    values[1] = 0;\n    %s\n}\n' "$fault" \
           >"$scratch/fault.cl"
    if compile "$scratch/fault.cl" 0 2>/dev/null; then
        echo "a planted fault was missed: $fault"
        exit 1
    fi
done
echo "$count kernel files: no warning; planted faults: found"
