#!/bin/sh
# sh synth.sh HEDDLE: `heddle synth render` and `play` as a user runs them, on host alone: files, blocks, sound that goes in, Ctrl-C, a full disk.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE

same() { cmp -s "$work/$1" "$work/$2" || complain "heddle $words: $1 and $2 are not the same"; }
there() { [ -s "$work/$1" ] || complain "heddle $words: there is no $1"; }
not_there() { [ ! -e "$work/$1" ] || complain "heddle $words: there is a $1"; }
number() { od -A n -t "$2" -j "$3" -N "${2#u}" "$work/$1" | tr -d ' '; }
# wav_is FILE FORMAT CHANNELS RATE BITS: 1 is integers, 3 floats.
wav_is() {
    found="$(number "$1" u2 20) $(number "$1" u2 22) $(number "$1" u4 24) $(number "$1" u2 34)"
    [ "$found" = "$2 $3 $4 $5" ] || complain "heddle $words: $1 is \"$found\" instead of \"$2 $3 $4 $5\""
}
hash_of() { sed -n 's/.*"hash": "\(.*\)".*/\1/p' "$work/out"; }

cat > "$work/string.json" << 'INSTRUMENT'
{ "version": 1, "instrument": { "mode": "voices", "voices": 2, "root_note": 60, "high": 72, "bend_range": 2 },
  "grids": [{ "kind": "string", "name": "string", "size": 14, "step": [0.01, 0, 0], "tune": 220, "body": { "mass": 0.0002, "damping": 4 } }],
  "plectrums": [{ "name": "finger", "direction": [0, 0, 1], "distance": 0.002 }],
  "oscillators": [{ "name": "breath", "direction": [0, 0, 1], "wave": "noise", "gain": 0.001 }],
  "microphones": [{ "name": "ear", "position": [0.1, 0, 0.2], "gain": -6, "pan": -0.5 }, { "position": [0, 0, 0.3], "gain": -9, "pan": 1 }],
  "links": [{ "from": "finger", "to": "string[4]" }, { "from": "breath", "to": "string[7]" }, { "from": "ear", "to": "string" } ] }
INSTRUMENT
sed 's/"plectrums".*/"audio_inputs": [{ "name": "finger", "direction": [0, 0, 1], "gain": 5 }],/; /"oscillators"/d; s/, { "from": "breath", "to": "string\[7\]" }//; s/"voices", "voices": 2/"singleton"/' \
    "$work/string.json" > "$work/plate.json"
# One track, 480 ticks a quarter note, tempo as it is where nobody says: two notes, 0.5 s in all.
printf 'MThd\0\0\0\006\0\0\0\001\001\340MTrk\0\0\0\026\0\220\074\144\201\160\220\103\120\201\160\200\074\0\0\200\103\0\0\377\057\0' > "$work/song.mid"

# ---- a pedal and a note that the song does not end: they end with it, as if it said so ----
printf 'MThd\0\0\0\006\0\0\0\001\001\340MTrk\0\0\0\015\0\260\100\177\0\220\074\144\203\140\377\057\0' > "$work/left.mid"
printf 'MThd\0\0\0\006\0\0\0\001\001\340MTrk\0\0\0\025\0\260\100\177\0\220\074\144\203\140\260\100\0\0\200\074\100\0\377\057\0' > "$work/ended.mid"
run 0 synth render "$work/string.json" "$work/ended.mid" --json; hash=$(hash_of)
run 0 synth render "$work/string.json" "$work/left.mid" --json; [ "$(hash_of)" = "$hash" ] || complain "heddle $words: the note did not end with the song"

# ---- the song's tempo drives LFOs that count in quarter notes: from the beginning as the instrument's own, and at a change between two notes ----
cat > "$work/beat.json" << 'INSTRUMENT'
{ "version": 1, "instrument": { "tempo": 120 },
  "bodies": [{ "name": "b", "position": [0, 0, 0] }],
  "oscillators": [{ "name": "o", "frequency": 440, "gain": 2 }],
  "microphones": [{ "name": "ear", "position": [0, 0, 1], "gain": -20 }],
  "lfos": [{ "name": "beat", "division": 0.25 }],
  "links": [{ "from": "o", "to": "b" }, { "from": "ear", "to": "b" }],
  "modulations": [{ "source": "beat", "target": "ear", "parameter": "gain", "depth": 12 }] }
INSTRUMENT
sed 's/"tempo": 120/"tempo": 240/' "$work/beat.json" > "$work/fast.json"
printf 'MThd\0\0\0\006\0\0\0\001\003\300MTrk\0\0\0\024\0\377\121\003\003\320\220\0\220\074\144\207\100\200\074\0\0\377\057\0' > "$work/240.mid"
printf 'MThd\0\0\0\006\0\0\0\001\007\200MTrk\0\0\0\015\0\220\074\144\207\100\200\074\0\0\377\057\0' > "$work/plain.mid"
printf 'MThd\0\0\0\006\0\0\0\001\003\300MTrk\0\0\0\034\0\377\121\003\003\320\220\0\220\074\144\203\140\377\121\003\007\241\040\201\160\200\074\0\0\377\057\0' > "$work/slower.mid"
run 0 synth render "$work/fast.json" "$work/plain.mid" --json; hash=$(hash_of)
run 0 synth render "$work/beat.json" "$work/240.mid" --json; [ "$(hash_of)" = "$hash" ] || complain "heddle $words: the song's tempo was not followed"
run 0 synth render "$work/beat.json" "$work/slower.mid" --json; [ "$(hash_of)" != "$hash" ] || complain "heddle $words: the change of tempo was not followed"
run 0 synth render "$work/beat.json" "$work/plain.mid" --json; [ "$(hash_of)" != "$hash" ] || complain "heddle $words: the tempo makes no difference"

# ---- what it says of itself ----
run 2 synth; err_has 'render, play, view, window, check, import, tune, bench'
run 2 synth render; err_has 'INSTRUMENT'
run 2 synth render "$work/string.json"; out_is_empty; err_has '--out'
run 2 synth render "$work/string.json" --format s12 -o "$work/a.wav"; err_has 's12'
run 0 synth render --help; out_has 'SONG'
run 1 synth tune "$work/string.json" --device host; err_has 'nothing to choose'

# ---- notes outside the range, 60 to 72 here: dropped and told, an error where nothing is left ----
sed 's/"high": 72/"low": 60, "high": 72/' "$work/string.json" > "$work/narrow.json"
# 84, 36 and 85; and the song above with 30 for 60
printf 'MThd\0\0\0\006\0\0\0\001\001\340MTrk\0\0\0\034\0\220\124\144\0\220\044\144\0\220\125\144\030\200\124\0\0\200\044\0\0\200\125\0\0\377\057\0' > "$work/out.mid"
printf 'MThd\0\0\0\006\0\0\0\001\001\340MTrk\0\0\0\026\0\220\036\144\201\160\220\103\120\201\160\200\036\0\0\200\103\0\0\377\057\0' > "$work/some.mid"
run 1 synth render "$work/narrow.json" "$work/out.mid" -o "$work/no.wav"; out_is_empty
err_has 'out.mid: no note sounds: 3 of 3 notes dropped, 36 to 85: the instrument hears 60 to 72 (C4 to C5); --transpose N .*--fold'
[ ! -e "$work/no.wav" ] || complain "heddle $words: there is a no.wav"
run 0 synth render "$work/narrow.json" "$work/some.mid" -o "$work/some.wav" --tail 0; err_has '1 of 2 notes dropped, 30: the instrument hears 60 to 72'
run 0 synth render "$work/narrow.json" "$work/some.mid" --tail 0 --json; out_has '"struck": 2'; out_has '"dropped": 1'; out_has '"low": 60'; out_has '"high": 72'
run 0 synth render "$work/narrow.json" "$work/out.mid" -o "$work/some.wav" --tail 0 --transpose -24; err_has '1 of 3 notes dropped, 36: '
run 0 synth render "$work/narrow.json" "$work/out.mid" -o "$work/some.wav" --tail 0 --fold; err_is_empty; out_has 'peak -'
run 2 synth render "$work/narrow.json" "$work/out.mid" -o "$work/no.wav" --transpose 200; err_has 'transpose'

# ---- what is not stable is named with its file ----
sed 's/"tune": 220/"tune": 9000/' "$work/string.json" > "$work/stiff.json"
run 1 synth render "$work/stiff.json" -o "$work/no.wav"; err_has 'stiff.json: .*string.* is not proven stable'

# ---- what an import changes is listed ----
run 0 synth import "$(dirname "$0")/../fuzz/synth_import_fuzz/example.ank" -o "$work/example.json"; out_has 'example.json: .* taken, .* left out, .* changed'; out_has 'mallet1: impulse 50 -> 27.5 N s'

# ---- files ----
run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/song.wav" --tail 0.5 --strict --spectrogram "$work/song.png"; err_is_empty
out_has 'song.wav: 1.00 s of sound in .* times faster than real time, on host (cpu)'; out_has 'load .* p50 .* p99 .* max'; out_has 'peak -'
wav_is song.wav 1 2 48000 24; there song.png
[ "$(wc -c < "$work/song.wav")" = 288044 ] || complain "song.wav has $(wc -c < "$work/song.wav") bytes"
run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/song16.wav" --tail 0 --format s16 -r 44100; wav_is song16.wav 1 2 44100 16
if "$heddle" doctor | grep -q '^sndfile  *works'; then
    run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/song.flac" --tail 0
    [ "$(head -c 4 "$work/song.flac")" = fLaC ] || complain "no FLAC"
    run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/same.wav" --tail 0 --format s24 --json; hash=$(hash_of)
    run 0 synth render "$work/string.json" "$work/song.mid" --tail 0 --json; [ "$(hash_of)" = "$hash" ] || complain "heddle $words: another hash"
fi
HEDDLE_SNDFILE_LIBRARY=none run 1 synth render "$work/string.json" "$work/song.mid" -o "$work/no.flac"; err_has 'apt install libsndfile1'; not_there no.flac
# Other programs understand what we write, where they are.
if command -v sndfile-info > /dev/null; then
    sndfile-info "$work/song.wav" > "$work/out" 2>&1 || complain "sndfile-info refuses song.wav"
    out_has 'Frames *: 48000'; out_has 'Channels *: 2'
fi
if command -v sox > /dev/null; then
    sox "$work/song.wav" -n stat > "$work/out" 2>&1 || complain "sox refuses song.wav"
    out_has 'Samples read: *96000'
fi
run 0 synth render "$work/string.json" -o "$work/note.wav" --tail 0; out_has '1.00 s of sound'

# ---- the same sound in blocks of any size, with the same bytes; another seed is another noise ----
run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/a.wav" --tail 0.2 --format f32 --block 64 --stems --json; err_is_empty
out_is_json instrument song device math solver out rate block frames seconds times_real_time hash peak peak_before_limiter load breaks
out_has '"p50":'; out_has '"p99":'; out_has '"max":'; out_has '"seconds": 0.7'; out_has '"breaks": 0'
hash=$(hash_of)
wav_is a.wav 3 2 48000 32; wav_is a-1-ear.wav 3 2 48000 32; there a-2.wav
for block in 1 1000 65536; do
    run 0 synth render "$work/string.json" "$work/song.mid" -o "$work/b.wav" --tail 0.2 --format f32 --block $block --stems --json
    same a.wav b.wav; same a-1-ear.wav b-1-ear.wav; same a-2.wav b-2.wav
    [ "$(hash_of)" = "$hash" ] || complain "heddle $words: another hash"
done
run 0 synth render "$work/string.json" "$work/song.mid" --tail 0.2 --json; [ "$(hash_of)" = "$hash" ] || complain "heddle $words: another hash without a file"
run 0 synth render "$work/string.json" "$work/song.mid" --tail 0.2 --json --seed 7; [ "$(hash_of)" != "$hash" ] || complain "heddle $words: the same noise"
# The limiter's look-ahead is taken away: the pluck at the first sample is heard within 20.
onset=$(od -A n -v -t f4 -w8 -j 58 "$work/a.wav" | awk '$1 > 1e-9 || $1 < -1e-9 { print NR; exit }')
[ "$onset" -lt 20 ] || complain "heddle $words: the first note sounds at frame $onset"

# ---- sound that goes in: it is heard as long as it is, and a tail ----
run 0 synth render "$work/plate.json" --in "$work/note.wav" -o "$work/plate.wav" --tail 0.25; out_has '1.25 s of sound'; out_has 'peak -'
run 1 synth render "$work/plate.json" --in "$work/note.wav" -o "$work/no.wav" -r 44100; err_has 'note.wav has 48000 samples per second'; err_has '--rate 48000'
run 1 synth render "$work/plate.json" --in "$work/string.json" -o "$work/no.wav"
if "$heddle" doctor | grep -q '^sndfile  *works'; then err_has 'no sound file'; else err_has 'apt install libsndfile1'; fi
HEDDLE_SNDFILE_LIBRARY=none run 1 synth render "$work/plate.json" --in "$work/string.json" -o "$work/no.wav"; err_has 'apt install libsndfile1'
run 1 synth render "$work/plate.json" --in "$work/none.wav" -o "$work/no.wav"; err_has 'none.wav'
head -c 100000 "$work/note.wav" > "$work/cut.wav"
run 0 synth render "$work/plate.json" --in "$work/cut.wav" -o "$work/plate.wav" --tail 0; err_has 'cut.wav is cut short: 16659 of the 48000 frames'

# ---- wrong inputs leave nothing behind ----
run 1 synth render "$work/none.json" "$work/song.mid" -o "$work/no.wav"; err_has 'none.json'
run 1 synth render "$work/string.json" "$work/none.mid" -o "$work/no.wav"; err_has 'none.mid'
head -c 30 "$work/song.mid" > "$work/cut.mid"
run 1 synth render "$work/string.json" "$work/cut.mid" -o "$work/no.wav"; err_has 'cut.mid'; err_has 'byte'
run 2 synth render "$work/string.json" "$work/song.mid" -o "$work/no.mp7"; err_has 'expected a name that ends with .wav '
run 1 synth render "$work/string.json" "$work/song.mid" -o "$work/none/no.wav"; err_has 'none/no.wav'
run 2 synth render "$work/string.json" "$work/song.mid" --stems --json; err_has '--out'
run 2 synth render "$work/string.json" "$work/song.mid" -o "$work/no.wav" --solver group --device nothing; err_has 'no device fits'
not_there no.wav

# ---- what cannot end well is refused before the work ----
if "$heddle" doctor | grep -q '^sndfile  *works'; then
    run 1 synth render "$work/string.json" "$work/song.mid" -o "$work/no.aiff" --tail 86400; err_has 'name it .wav'; not_there no.aiff
fi

# ---- Ctrl-C: the file holds what was rendered. SIGTERM, since a shell's background job does not get SIGINT. ----
"$heddle" synth render "$work/string.json" "$work/song.mid" -o "$work/long.wav" --tail 14000 > "$work/out" 2> "$work/err" &
process=$!
words="synth render, interrupted"
await 'cat "$work"/long.wav.*.part 2> /dev/null | grep -q .'
not_there long.wav
kill "$process"
code=0
wait "$process" || code=$?
[ "$code" = 130 ] || complain "heddle $words: exit code $code instead of 130"
err_has 'interrupted after .* s of 14000.50 s of sound; .*long.wav holds what was rendered'
there long.wav; wav_is long.wav 1 2 48000 24
[ "$(number long.wav u4 40)" = $(($(wc -c < "$work/long.wav") - 44)) ] || complain "heddle $words: the head of long.wav does not say how long it is"

# ---- a full disk: the older file stays. Files may have 100 KiB here, and the signal that comes with it is ignored. ----
words="synth render, disk full"
cp "$work/song16.wav" "$work/full.wav"
code=0
(trap '' XFSZ; ulimit -f 100; exec "$heddle" synth render "$work/string.json" "$work/song.mid" -o "$work/full.wav") > "$work/out" 2> "$work/err" || code=$?
[ "$code" = 1 ] || complain "heddle $words: exit code $code instead of 1"
err_has 'full.wav'; same full.wav song16.wav
[ -z "$(find "$work" -name '*.part')" ] || complain "heddle $words: something is left behind"

# ---- live ----
run 2 synth play "$work/string.json" --jack --alsa; err_has 'not both'
HEDDLE_JACK_LIBRARY=none run 1 synth play "$work/string.json"; out_is_empty; err_has 'apt install libjack-jackd2-0'
HEDDLE_ALSA_LIBRARY=none run 1 synth play "$work/string.json" --alsa; out_is_empty; err_has 'apt install libasound2'
export JACK_DEFAULT_SERVER=heddle-no-such-server
if "$heddle" doctor | grep -q '^jack  *works'; then run 1 synth play "$work/string.json"; out_is_empty; err_has 'no JACK server'; fi
"$heddle" doctor | grep -q '^alsa  *works' || exit $failed
# ALSA's "null" takes everything at once.
run 0 synth play "$work/string.json" --alsa --output null --block 128 --seconds 0.3 --json; err_is_empty
out_is_json instrument device solver rate block latency blocks load xruns missed late events events_lost breaks notes; out_has '"block": 128'
run 0 synth play "$work/narrow.json" --alsa --output null --seconds 0.1 --json --transpose -12 --fold; out_has '"dropped": 0'; out_has '"low": 60'
run 0 synth play "$work/string.json" --alsa --output null --seconds 0.2; out_has 'blocks: load p50 .*xruns 0'; err_has 'playing on host (cpu), 48000 Hz'
run 1 synth play "$work/string.json" --alsa --output no_such_card; err_has 'no_such_card'
run 1 synth play "$work/string.json" --alsa --output null --midi nobody:99; err_has 'MIDI port "nobody:99"'
run 0 synth play "$work/string.json" --alsa --output null --inputs 2 --seconds 0.2 --quiet; err_is_empty
# A device of the user's own that plays and does not capture.
printf 'pcm.loudspeaker { type asym playback.pcm "null" }\n' > "$work/.asoundrc"
HOME=$work
run 0 synth play "$work/string.json" --alsa --output loudspeaker --inputs 1 --seconds 0.2; err_has 'warning: .*loudspeaker.* capture.*hear silence'

exit $failed
