#!/bin/sh
# The synth on a machine with a GPU, from a portable build: `sh benchmarks/synth.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test (every synth test on every device), strict (one hash for each instrument on all devices), bench (`heddle synth bench`),
# live (that, with a minute against the clock), pack (`heddle bench pack`), sanitize (compute-sanitizer on the tests of structures).
# Every check prints a line; the exit code says whether all was well.
set -u
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=${*:-test strict bench}
heddle=$here/bin/heddle
tests=$here/bin/heddle-tests
share=$here/share/heddle
failed=0

# The driver brings its OpenCL library; a bare machine lacks the file that names it.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && mkdir -p /etc/OpenCL/vendors 2>/dev/null; then
    echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
fi
devices=${DEVICES:-$("$heddle" devices --json | tr ',{' '\n\n' | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')}

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        echo "ok      $name  $(grep -a 'Synthesis' "$out/$name.log" | tail -n 1)"
    else
        echo "FAILED  $name ($?)"
        grep -aE '^\[FAIL|CRASH|ERROR|heddle:|Synthesis' "$out/$name.log" | cut -c1-200 | head -n 30
        failed=1
    fi
}

# One line "instrument device hash" each; all devices have to agree. Not the tank, which wants sound to go in, nor the million masses, which
# only the grid plays fast.
strict() {
    for name in harp viol drum cymbal vibes orrery consort; do
        instrument=$share/instruments/$name.json
        song=$share/music/phrases/$name.mid
        [ -e "$song" ] || song=$share/music/phrases/harp.mid
        for device in $devices; do
            hash=$("$heddle" synth render "$instrument" "$song" --strict --tail 0 --device "$device" --json 2>"$out/strict.err" |
                tr ',' '\n' | sed -n 's/.*"hash": *"*\([0-9a-fx]*\).*/\1/p')
            echo "$name $device ${hash:-failed: $(tail -n 1 "$out/strict.err")}"
        done
    done >"$out/strict.txt"
    if awk '{ if (($1 in hash) && hash[$1] != $3) { print "FAILED  strict", $0, "not", hash[$1]; bad = 1 } else hash[$1] = $3 }
            $3 == "failed:" { print "FAILED ", $0; bad = 1 } END { exit bad }' "$out/strict.txt"; then
        echo "ok      strict  $(wc -l <"$out/strict.txt") runs"
    else
        failed=1
    fi
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
