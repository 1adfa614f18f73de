#!/bin/sh
# The synth on this machine: Greensleeves for harp, viol and frame drum, then a phrase on other instruments. `heddle` is on the PATH; sound,
# spectrograms and numbers go to the folder $1. The instruments are in data/instruments, the music in data/music.
set -eu
out=$1
data=$(dirname "$0")/../../data
longest=90 # seconds for the piece: a slower machine keeps as much of it as it has rendered by then

printf '\nThe consort of strings, a membrane and bowed strings: is it stable, is it in tune, which device plays it in real time?\n'
heddle synth check "$data/instruments/consort.json" | tee "$out/consort-check.txt"

printf '\nGreensleeves, 85 seconds in three parts:\n'
timeout --signal=INT "$longest" heddle synth render "$data/instruments/consort.json" "$data/music/greensleeves.mid" \
    --out "$out/greensleeves.wav" --spectrogram "$out/greensleeves.png" || [ $? -eq 124 ]

for name in harp viol cymbal vibes orrery; do
    printf '\n%s:\n' "$name"
    heddle synth render "$data/instruments/$name.json" "$data/music/phrases/$name.mid" --out "$out/$name.wav" --spectrogram "$out/$name.png"
done

printf '\nThe harp through three springs and a delay line:\n'
heddle synth render "$data/instruments/tank.json" --in "$out/harp.wav" --out "$out/tank.wav" --spectrogram "$out/tank.png" --tail 4

printf '\nThe same bits on every device, by a hash of the samples:\n'
for device in $(heddle devices --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p'); do
    hash=$(heddle synth render "$data/instruments/orrery.json" "$data/music/phrases/orrery.mid" --tail 0 --device "$device" --strict --json |
        sed -n 's/^ *"hash": "\(.*\)",$/\1/p')
    printf '%s  %s\n' "$hash" "$device"
done | tee "$out/orrery-hashes.txt"

printf '\nIn %s: ' "$out"
(cd "$out" && ls greensleeves.* harp.wav viol.wav cymbal.wav vibes.wav orrery.wav tank.wav ./*.png) | tr '\n' ' '
printf '\n'
