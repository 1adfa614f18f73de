#!/bin/sh
# Cloth on a machine with a GPU, from a portable build: `sh benchmarks/cloth.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test (every cloth test on every device), strict (one hash for each scene on all devices), bench (`heddle cloth bench`),
# tune (sheets tuned for a minute each, cold), sanitize (compute-sanitizer's memcheck and racecheck on the patches' tests, racecheck on
# the kernels with local memory and on a frame of each scene).
# Every check prints a line; the exit code says whether all was well.
set -u
# shellcheck source=benchmarks/machine.sh
. "$(dirname "$0")/machine.sh"
shift 2
parts=${*:-test strict bench}

strict() {
    for scene in "$share"/scenes/*.json; do
        name=$(basename "$scene" .json)
        frames=300
        [ "$name" = million ] && frames=5 # a million particles
        for device in $devices; do
            echo "$name $device $(hash_of "$heddle" cloth run "$scene" --strict --frames "$frames" --device "$device")"
        done
    done >"$out/strict.txt"
    agree
}

# A minute for each size, from an empty database; what the rules alone give is among what is measured.
tune() { # DEVICE
    for size in "255 1" "128 1" "1024 1" "32 1056"; do
        set -- "$1" $size
        XDG_DATA_HOME=$(mktemp -d) "$heddle" cloth tune --sheet "$2" --copies "$3" --seconds 60 --device "$1" \
            >"$out/tune_$2.txt" 2>"$out/tune_$2.err" || { echo "FAILED  tune $2: $(tail -n 1 "$out/tune_$2.err")"; failed=1; }
    done
}

# Races in local memory; the kernels that `heddle verify` runs, then those that scenes choose.
races() { # uses $device
    set -- timeout 400 compute-sanitizer --tool racecheck --error-exitcode 9 --target-processes all "$heddle"
    check races_kernels "$@" verify --quick --device "$device" --kernel cloth_lines --kernel cloth_chains \
        --kernel cloth_element_patches --kernel cloth_gas --kernel cloth_self_scan --kernel cloth_self_totals \
        --kernel cloth_pairs_find --kernel cloth_pairs_list --kernel cloth_pairs_take
    for scene in "$share"/scenes/*.json; do
        name=$(basename "$scene" .json)
        [ "$name" = million ] || check "races_$name" "$@" cloth run "$scene" --frames 1 --substeps 2 --device "$device" --out "$out/races.pc2"
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
                        cuda*)
                            for tool in memcheck racecheck; do
                                check "sanitize_${tool}_$word" env HEDDLE_DEVICE="$device" timeout 400 compute-sanitizer --tool "$tool" \
                                    --report-api-errors no --error-exitcode 9 --target-processes all "$tests" -j1 --filter 'cloth_patches/*'
                            done
                            races ;;
                    esac ;;
            esac
        done ;;
    esac
done
exit $failed
