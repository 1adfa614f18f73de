#!/bin/sh
# Oclgrind (a simulator of an OpenCL device) finds no race and no access out of bounds in our
# kernels, and does find those that are planted.
#     oclgrind.sh RUN PLANTED      RUN: the program oclgrind_run; PLANTED: the folder of files with faults
#
# The simulator is chosen by its ICD file, alone in a folder of ours: its own way, LD_PRELOAD, does nothing
# for a program that loads libOpenCL by itself. It takes its options from the environment.
set -eu
run=$1
planted=$2

library=
for file in ${OCLGRIND_ICD:-} /usr/lib/oclgrind/liboclgrind-rt-icd.so \
            /usr/lib/*/oclgrind/liboclgrind-rt-icd.so /usr/lib/*/liboclgrind-rt-icd.so \
            /usr/local/lib/liboclgrind-rt-icd.so; do
    if [ -z "$library" ] && [ -e "$file" ]; then
        library=$file
    fi
done
if [ -z "$library" ]; then
    echo "SKIPPED: Oclgrind is not here. On Debian: apt install oclgrind"
    exit 77
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/vendors"
echo "$library" >"$scratch/vendors/oclgrind.icd"
# As much local memory as the default of the largest kernel wants.
export OCL_ICD_VENDORS="$scratch/vendors" OCLGRIND_LOG="$scratch/log"
export OCLGRIND_DATA_RACES=1 OCLGRIND_CHECK_API=1 OCLGRIND_LOCAL_MEM_SIZE=65536

check() { # FILE EXPECTED-WORDS, or EXPECTED-WORDS empty: silence
    rm -f "$scratch/log"
    "$run" "$planted/$1"
    if [ -z "$2" ] && [ -s "$scratch/log" ]; then
        echo "Oclgrind complains of $1, which is sound:"
        head -n 20 "$scratch/log"
        exit 1
    fi
    if [ -n "$2" ] && ! grep -q "$2" "$scratch/log"; then
        echo "Oclgrind missed the fault in $1: no \"$2\" in its log"
        exit 1
    fi
}
check sound.cl ''
check race.cl 'data race'
check out_of_bounds.cl 'Invalid write'
echo "planted faults: found"

rm -f "$scratch/log"
"$run"
for kernel in synth_group synth_global; do
    OCLGRIND_BUILD_OPTIONS=-cl-opt-disable "$run" "$kernel"
done
if [ -s "$scratch/log" ]; then
    echo "Oclgrind found faults in our kernels:"
    head -n 60 "$scratch/log"
    exit 1
fi

# Of what groups share in global memory it also reports two reads that are sound (docs/cloth-solvers.md, "Races").
OCLGRIND_BUILD_OPTIONS=-cl-opt-disable "$run" patches
if grep -A 20 -E 'local memory|^Invalid' "$scratch/log" >"$scratch/found"; then
    echo "Oclgrind found faults in the kernel of patches:"
    head -n 60 "$scratch/found"
    exit 1
fi
echo "our kernels: no race, no access out of bounds"
