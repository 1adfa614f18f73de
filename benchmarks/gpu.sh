#!/bin/sh
# Checks and times a portable build on a machine with a GPU: `sh benchmarks/gpu.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test verify sanitize bench (all unless told). Everything that is checked prints a line; the exit code says whether all
# of it was well. Results are JSON files named by suite and device, and logs.
set -u
# shellcheck source=benchmarks/machine.sh
. "$(dirname "$0")/machine.sh"
shift 2
parts=${*:-test verify sanitize bench}
# Left out under the sanitizer: it runs kernels one after another, so what must run beside a resident kernel never starts; and its race
# check does not follow a hand-over by arriving at one named barrier and waiting at another, which is the PTX manual's own example.
sanitized='beyond/!(what_was_made*|named_barriers*)'

"$heddle" devices
for device in $devices; do
    word=$(echo "$device" | tr : _)
    for part in $parts; do
        case $part in
            test) check "test_$word" env HEDDLE_DEVICE="$device" timeout 300 "$tests" -j4 ;;
            verify) check "verify_$word" timeout 300 "$heddle" verify --device "$device" ;;
            sanitize)
                case $device in
                    cuda*)
                        for tool in memcheck racecheck synccheck initcheck; do
                            check "sanitize_${tool}_$word" env HEDDLE_DEVICE="$device" timeout 300 compute-sanitizer --tool "$tool" --report-api-errors no \
                                --error-exitcode 9 --target-processes all "$tests" -j1 --filter "$sanitized"
                        done ;;
                esac ;;
            bench)
                for suite in runtime kernels; do
                    "$heddle" bench $suite --json --device "$device" >"$out/${suite}_$word.json" 2>"$out/${suite}_$word.err" ||
                        { echo "FAILED  bench $suite $device: $(tail -n 1 "$out/${suite}_$word.err")"; failed=1; }
                done ;;
        esac
    done
done
exit $failed
