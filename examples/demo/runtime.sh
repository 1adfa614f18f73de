#!/bin/sh
# What the runtime does on this machine's devices. `heddle` and the examples are on the PATH; pictures go to the folder $1.
set -eu
out=$1
heddle devices

printf '\nDoes every device compute what the processor computes?\n'
heddle verify --quick --device all

printf '\nHow fast is each of them?\n'
heddle bench kernels --device all

printf '\nA picture through the canonical convolution, on each of them:\n'
heddle devices --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | while read -r device; do
    HEDDLE_DEVICE=$device blur "$out/cloth-$(printf '%s' "$device" | tr ':' '-').png"
done
