#!/bin/sh
# What the runtime does on this machine's devices. `heddle` and the examples are on the PATH.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"

say 'The devices of this machine:'
keep devices.txt heddle devices
show devices.txt 'The devices that Heddle finds on this machine.'

say 'Does every device compute what the processor computes?'
if [ "$long" ]; then keep verify.txt heddle verify --quick --device all
else keep verify.txt heddle verify --quick --device all -k copy -k reduction -k saxpy; fi
show verify.txt 'Kernels on every device against their plain C version: within a tolerance (fast), bit for bit (strict).'

if [ "$long" ]; then
    say 'How fast is each of them?'
    keep bench.txt heddle bench kernels --device all
    show bench.txt 'How fast each kernel is on each device, and how far from the physical bound (RATIO).'
fi

say 'A picture through the canonical convolution, on each of them:'
heddle devices --json | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p' | while read -r device; do
    picture=blur-$(printf '%s' "$device" | tr ':' '-').png
    HEDDLE_DEVICE=$device blur "$out/$picture"
    show "$picture" "A picture blurred by the canonical convolution on $device."
done
