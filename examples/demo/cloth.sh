#!/bin/sh
# Cloth on the best device of this machine: a flag, a tablecloth, a dress on a body that steps, and a few frames of a curtain of a million
# particles. `heddle` is on the PATH; point caches, pictures and numbers go to the folder $1. The scenes are in data/scenes.
set -eu
out=$1
scenes=$(dirname "$0")/../../data/scenes

run() { # SCENE FRAMES EVERY: a picture of every so many frames, and the figures as JSON too
    printf '\n%s:\n' "$1"
    heddle cloth run "$scenes/$1.json" --frames "$2" --out "$out/$1.pc2" --png-every "$3" --glb "$out/$1.glb"
}
run flag 180 60
run tablecloth 150 75
run garment 160 40
run curtain 8 8

printf '\nThe figures of the flag, for a program:\n'
heddle cloth run "$scenes/flag.json" --frames 60 --json | tee "$out/flag.json"

printf '\nIn %s: NAME.pc2 for Blender'"'"'s Mesh Cache (beside NAME-mesh.obj), NAME.glb of the last frame, and\n' "$out"
printf 'pictures: '
(cd "$out" && ls flag-*.png tablecloth-*.png garment-*.png curtain-*.png) | tr '\n' ' '
printf '\n'
