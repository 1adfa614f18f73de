#!/bin/sh
# The synth on a machine with a GPU, from a portable build: `sh benchmarks/synth.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test (every synth test on every device), strict (one hash for each instrument on all devices), bench (`heddle synth bench`),
# live (that, with a minute against the clock), pack (`heddle bench pack`), sanitize (compute-sanitizer on the tests of structures).
# Every check prints a line; the exit code says whether all was well.
set -u
# shellcheck source=benchmarks/machine.sh
. "$(dirname "$0")/machine.sh"
shift 2
parts=${*:-test strict bench}

# Not the tank, which wants sound to go in, nor the million masses, which only the grid plays fast.
strict() {
    for name in harp viol drum cymbal vibes orrery consort; do
        song=$share/music/phrases/$name.mid
        [ -e "$song" ] || song=$share/music/phrases/harp.mid
        for device in $devices; do
            echo "$name $device $(hash_of "$heddle" synth render "$share/instruments/$name.json" "$song" --strict --tail 0 --device "$device")"
        done
    done >"$out/strict.txt"
    agree
}

bench() { # NAME COMMAND...
    name=$1
    shift
    "$@" >"$out/$name.json" 2>"$out/$name.err" || { echo "FAILED  $name: $(tail -n 1 "$out/$name.err")"; failed=1; }
}

for part in $parts; do
    if [ "$part" = strict ]; then
        strict
        continue
    fi
    for device in $devices; do
        word=$(echo "$device" | tr : _)
        case $part in
            test) check "test_$word" env -C "$share/tests" HEDDLE_DEVICE="$device" timeout 500 "$tests" -j4 --filter 'synth*/*' ;;
            bench) bench "synth_$word" "$heddle" synth bench --json --device "$device" ;;
            live) bench "live_$word" "$heddle" synth bench --json --only none --live 60 --device "$device" ;;
            pack) bench "pack_$word" "$heddle" bench pack --json --device "$device" ;;
            sanitize)
                case $device in
                    cuda*) check "sanitize_$word" env -C "$share/tests" HEDDLE_DEVICE="$device" timeout 400 compute-sanitizer --tool memcheck \
                        --report-api-errors no --error-exitcode 9 --target-processes all "$tests" -j1 --filter 'synth_g*/*' ;;
                esac ;;
        esac
    done
done
exit $failed
