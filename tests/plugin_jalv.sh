#!/bin/sh
# plugin_jalv.sh FOLDER: heddle.lv2 in jalv under JACK's dummy driver: a sequencer plays A4 once a second, a recorder hears 440 Hz, JACK
# knows how late the ports are, and a preset that is chosen meanwhile ends nothing. Skipped (77) where jalv or JACK's tools are not here.
set -eu
folder=$1
for tool in jalv jackd jack_lsp jack_connect jack_midiseq jack_rec; do
    command -v $tool >/dev/null || { echo "skipped: $tool is not here (Debian: jalv, jackd2)"; exit 77; }
done
scratch=$(mktemp -d)
clients=
server=
# Clients at once: the server waits for each that goes by and by.
end() {
    for process in $clients; do kill -KILL "$process" 2>/dev/null || true; done
    [ -z "$server" ] || kill "$server" 2>/dev/null || true
    wait 2>/dev/null || true
    rm -rf "$scratch"
}
trap end EXIT
fail() { echo "FAILED: $*"; cat "$scratch"/*.log; exit 1; }
until_seen() { # COMMAND...: waits up to ten seconds until it works
    tries=0
    until "$@" >/dev/null 2>&1; do
        tries=$((tries + 1))
        [ $tries -lt 40 ] || return 1
        sleep 0.25
    done
}
JACK_DEFAULT_SERVER=heddle-test-jalv LV2_PATH=$folder/lv2:/usr/lib/lv2 JACK_NO_START_SERVER=1 JACK_NO_AUDIO_RESERVATION=1
export JACK_DEFAULT_SERVER LV2_PATH JACK_NO_START_SERVER JACK_NO_AUDIO_RESERVATION

jackd -n "$JACK_DEFAULT_SERVER" -r -S -t 10000 -d dummy -r 48000 -p 1024 >"$scratch/jackd.log" 2>&1 &
server=$!
until_seen jack_lsp || { echo 'skipped: no JACK server starts here'; exit 77; }
mkfifo "$scratch/words"
jalv -n heddle urn:heddle:synth <"$scratch/words" >"$scratch/jalv.log" 2>&1 &
host=$!
clients=$host
exec 3>"$scratch/words"
has_port() { jack_lsp | grep -q "^$1\$"; }
until_seen has_port heddle:left || fail 'jalv opens no ports'
jack_midiseq seq 48000 0 69 40000 >"$scratch/seq.log" 2>&1 &
clients="$! $clients"
until_seen has_port seq:out || fail 'no sequencer'
jack_connect seq:out heddle:control >"$scratch/connect.log" 2>&1 || fail 'the sequencer is not connected'
timeout 120 jack_rec -f "$scratch/sound.wav" -d 3 -b 16 heddle:left heddle:right >"$scratch/rec.log" 2>&1 || fail 'nothing is recorded'
jack_lsp -l >"$scratch/latencies.log" 2>&1 || true
printf 'presets\npreset urn:heddle:synth#preset-harp\nset macro1 0.5\n' >&3
sleep 1
kill -0 "$host" 2>/dev/null || fail 'jalv has ended behind a preset'
kill -INT "$host" # what it has written comes out when it ends
wait "$host" || true
grep -q 'preset-harp (Harp)' "$scratch/jalv.log" || fail 'jalv lists no preset "Harp"'
! grep -qi 'error' "$scratch/jalv.log" || fail 'jalv complains'

# The pitch: half the number of times that the left channel crosses zero in the most tonal half second, 16 bits in stereo.
tail -c +45 "$scratch/sound.wav" | od -An -v -w4 -t d2 | awk '
    { x = $1; if (x > loudest) loudest = x
      if ((x > 0) != (before > 0)) crossings++
      before = x
      if (NR % 24000 == 0) { if (!best || (crossings - 440) ^ 2 < (best - 440) ^ 2) best = crossings; crossings = 0 } }
    END { printf "loudest %d of 32768, %d Hz\n", loudest, best; exit !(loudest > 300 && best > 425 && best < 455) }' ||
    fail 'what was recorded is no A4'
# Of its outputs, playback: what stands behind; of capture: 71 frames and what stands before.
grep -A3 '^heddle:left' "$scratch/latencies.log" | grep -q 'latency = \[ *7[1-9]\|latency = \[ *[1-9][0-9]\{2,\}' || fail 'JACK does not know the latency'
echo 'jalv plays it in tune; JACK knows how late it is'
