#!/bin/sh
# Cloth on a machine with a GPU, from a portable build: `sh benchmarks/cloth.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test (every cloth test on every device), strict (one hash for each scene on all devices), bench (`heddle cloth bench`),
# tune (sheets tuned for a minute each, cold), sanitize (compute-sanitizer's memcheck and racecheck on the patches' tests).
# Every check prints a line; the exit code says whether all was well.
set -u
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=${*:-test strict bench}
heddle=$here/bin/heddle
tests=$here/bin/heddle-tests
scenes=$here/share/heddle/scenes
failed=0

# The driver brings its OpenCL library; a bare machine lacks the file that names it.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && mkdir -p /etc/OpenCL/vendors 2>/dev/null; then
    echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
fi
devices=$("$heddle" devices --json | tr ',{' '\n\n' | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')

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

# One line "scene device hash" each; all devices of a scene have to agree.
strict() {
    for scene in "$scenes"/*.json; do
        name=$(basename "$scene" .json)
        frames=300
        [ "$name" = curtain ] && frames=5 # a million particles
        for device in $devices; do
            hash=$("$heddle" cloth run "$scene" --strict --frames "$frames" --device "$device" --json 2>"$out/strict.err" |
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

# A minute for each size, from an empty database; what the rules alone give is among what is measured.
tune() { # DEVICE
    for size in "255 1" "128 1" "1024 1" "32 1056"; do
        set -- "$1" $size
        XDG_DATA_HOME=$(mktemp -d) "$heddle" cloth tune --sheet "$2" --copies "$3" --seconds 60 --device "$1" \
            >"$out/tune_$2.txt" 2>"$out/tune_$2.err" || { echo "FAILED  tune $2: $(tail -n 1 "$out/tune_$2.err")"; failed=1; }
    done
}

for part in $parts; do
    case $part in
        strict) strict ;;
        tune) for device in $devices; do case $device in cuda*) tune "$device" ;; esac; done ;;
        *) for device in $devices; do
            word=$(echo "$device" | tr : _)
            case $part in
                test) check "test_$word" env HEDDLE_DEVICE="$device" timeout 500 "$tests" -j4 --filter 'cloth*/*' ;;
                bench) "$heddle" cloth bench --json --device "$device" >"$out/cloth_$word.json" 2>"$out/cloth_$word.err" ||
                    { echo "FAILED  bench $device: $(tail -n 1 "$out/cloth_$word.err")"; failed=1; } ;;
                sanitize)
                    case $device in
                        cuda*) for tool in memcheck racecheck; do
                            check "sanitize_${tool}_$word" env HEDDLE_DEVICE="$device" timeout 400 compute-sanitizer --tool "$tool" \
                                --report-api-errors no --error-exitcode 9 --target-processes all "$tests" -j1 --filter 'cloth_patches/*'
                        done ;;
                    esac ;;
            esac
        done ;;
    esac
done
exit $failed
