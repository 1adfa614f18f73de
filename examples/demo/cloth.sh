#!/bin/sh
# Cloth on the best device of this machine. Short: a flag and a dress on a body that steps. Long: also a tablecloth, a curtain,
# and a few frames of a stage curtain of a million particles, with point caches for Blender. `heddle` is on the PATH.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"

cloth() { # SCENE FRAMES EVERY WORDS...: a picture of every so many frames
    scene=$1 frames=$2 every=$3
    shift 3
    say "$scene: $*"
    rm -f "$out/$scene"-*.png
    # A point cache of a million particles is 12 MB a frame: only on request.
    keep "$scene.txt" heddle cloth run "$data/scenes/$scene.json" --frames "$frames" --out "$out/$scene.pc2" --png-every "$every" \
        --glb "$out/$scene.glb"
    for picture in "$out/$scene"-*.png; do
        show "$(basename "$picture")" "$*, frame $(basename "$picture" .png | sed 's/.*-0*\(.\)/\1/')."
    done
    show "$scene.txt" "$scene: times of a frame, and how far the cloth stretches."
    show "$scene.glb" "$scene: the last frame as a 3D model (glTF)."
    show "$scene.pc2" "$scene: all frames for Blender's Mesh Cache, beside $scene-mesh.obj."
}
cloth flag "$(pick 90 300)" "$(pick 89 100)" 'A flag in the wind'
cloth garment "$(pick 60 240)" "$(pick 30 60)" 'A dress on a body that steps and turns'
if [ "$long" ]; then
    cloth tablecloth 240 120 'A tablecloth falls on a table'
    cloth curtain 180 90 'A curtain in a breeze'
    cloth million 8 8 'A stage curtain of a million particles'
fi
