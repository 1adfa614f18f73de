#!/bin/sh
# Checks and times a portable build on a machine with a GPU: `sh benchmarks/gpu.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
# Parts: test verify sanitize bench (all unless told). Everything that is checked prints a line; the exit code says whether all
# of it was well. Results are JSON files named by suite and device, and logs.
set -u
here=$(cd "$1" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=${*:-test verify sanitize bench}
heddle=$here/bin/heddle
tests=$here/bin/heddle-tests
failed=0
# Left out under the sanitizer: it runs kernels one after another, so what must run beside a resident kernel never starts; and its race
# check does not follow a hand-over by arriving at one named barrier and waiting at another, which is the PTX manual's own example.
sanitized='beyond/!(what_was_made*|named_barriers*)'

# The driver brings its OpenCL library; a bare machine lacks the file that names it.
if [ ! -e /etc/OpenCL/vendors/nvidia.icd ] && mkdir -p /etc/OpenCL/vendors 2>/dev/null; then
    echo libnvidia-opencl.so.1 >/etc/OpenCL/vendors/nvidia.icd
fi

check() { # NAME COMMAND...
    name=$1
    shift
    if "$@" >"$out/$name.log" 2>&1; then
        echo "ok      $name  $(grep -a 'Synthesis' "$out/$name.log" | tail -n 1)"
    else
        echo "FAILED  $name ($?)"
        grep -aE '^\[FAIL|CRASH|ERROR|heddle:|Synthesis' "$out/$name.log" | cut -c1-200 | head -n 20
        failed=1
    fi
}

"$heddle" devices
devices=$("$heddle" devices --json | tr ',{' '\n\n' | sed -n 's/.*"id": *"\([^"]*\)".*/\1/p')
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
