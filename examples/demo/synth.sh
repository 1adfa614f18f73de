#!/bin/sh
# The synth on the best device of this machine. Short: two instruments and a spring reverb. Long: Greensleeves for harp, viol and
# frame drum, every instrument, and the same bits on every device. `heddle` is on the PATH.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"

play() { # NAME WORDS: a phrase
    name=$1 words=$2
    say "$name: $words"
    heddle synth render "$data/instruments/$name.json" "$data/music/phrases/$name.mid" --out "$out/$name.wav" \
        --spectrogram "$out/$name.png"
    show "$name.wav" "$words"
    show "$name.png" "${words%.}: the spectrogram."
}

play harp 'A harp: 37 strings of masses and springs on a sounding board.'
play vibes 'A vibraphone: bars with tuned overtones.'
say 'The harp through three springs and a delay line:'
heddle synth render "$data/instruments/tank.json" --in "$out/harp.wav" --out "$out/tank.wav" --spectrogram "$out/tank.png" --tail 4
show tank.wav 'The harp through a spring reverb: three springs and a delay line.'
show tank.png 'The harp through a spring reverb: the spectrogram.'

[ "$long" ] || exit 0
play viol 'A bowed string.'
play glide 'A bowed bass for MPE: each finger bends and presses its own note.'
play cymbal 'A cymbal: a plate of masses, struck.'
play orrery 'An orrery: masses that circle each other.'

say 'The consort of strings, a membrane and bowed strings: is it stable, is it in tune, which device plays it in real time?'
keep consort-check.txt heddle synth check "$data/instruments/consort.json"
show consort-check.txt 'The consort: is it stable, is it in tune, which device plays it in real time?'

say 'Greensleeves, 85 seconds in three parts (a slower machine keeps as much of it as it has rendered in 90 s):'
timeout --signal=INT 90 heddle synth render "$data/instruments/consort.json" "$data/music/greensleeves.mid" \
    --out "$out/greensleeves.wav" --spectrogram "$out/greensleeves.png" || [ $? -eq 124 ]
show greensleeves.wav 'Greensleeves for harp, viol and frame drum.'
show greensleeves.png 'Greensleeves: the spectrogram.'

say 'The same bits on every device, by a hash of the samples:'
for device in $(heddle devices --json | sed -n 's/^ *"id": "\(.*\)",$/\1/p'); do
    hash=$(heddle synth render "$data/instruments/orrery.json" "$data/music/phrases/orrery.mid" --tail 0 --device "$device" \
        --strict --json | sed -n 's/^ *"hash": "\(.*\)",$/\1/p')
    printf '%s  %s\n' "$hash" "$device"
done | tee "$out/orrery-hashes.txt"
show orrery-hashes.txt 'The orrery in strict mode: one hash of all samples for each device.'
