#!/bin/sh
# sh synth_check.sh HEDDLE FAKE_OPENCL: `heddle synth check` as a user runs it, on host alone.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none
unset HEDDLE_DEVICE

cat > "$work/string.json" << 'INSTRUMENT'
{ "version": 1, "instrument": { "mode": "voices", "voices": 2, "root_note": 60, "high": 72, "bend_range": 2 },
  "grids": [{ "kind": "string", "name": "string", "size": 14, "tune": 220, "body": { "mass": 0.0002, "damping": 4 } },
            { "kind": "plate", "name": "plate", "size": [3, 3], "origin": [0, 1, 0] }],
  "plectrums": [{ "name": "finger" }], "microphones": [{ "name": "ear", "position": [0.1, 0, 0.2] }],
  "links": [{ "from": "finger", "to": "string[4]" }, { "from": "ear", "to": "string" }] }
INSTRUMENT
sed 's/"high": 72/"high": 120/' "$work/string.json" > "$work/high.json"
sed 's/string\[4\]/string[14]/' "$work/string.json" > "$work/wrong.json"
head -c 200 "$work/string.json" > "$work/cut.json"

out_has_not() { ! grep -q -e "$1" "$work/out" || complain "heddle $words: \"$1\" is on stdout"; }

# ---- the file ----
run 0 synth check --schema; out_has '"title": "Heddle instrument"'
run 2 synth check; err_has 'name an instrument file'
run 1 synth check "$work/none.json"; err_has 'none.json'
run 1 synth check "$work/cut.json"; err_has 'cut.json:2:.*not JSON'; out_is_empty
run 1 synth check "$work/wrong.json"; err_has 'links.0..to: "string.14." is outside "string"'; err_has 'wrong.json:5:'

# ---- what is known without a device ----
run 0 synth check --no-load "$work/string.json"
out_has 'voices, 2 instances, body: 23, spring: 25, microphone: 1, plectrum: 1'
out_has 'stable: at worst '; out_has 'the highest note plays 2.24 times as fast as written'
out_has '220.000000  A3'; out_has_not 'plate   '; out_has_not 'cpu'
run 1 synth check "$work/high.json"
out_has 'NOT STABLE: '; out_has 'times heavier, or the springs at it '; out_has 'semitones'; out_has_not 'cpu'
run 0 synth check --no-load --json "$work/string.json"
out_is_json record; out_has '"stable": true'; out_has '"frequency": 22'; out_has '"note": "A3"'

# ---- what grows, and what cannot sound ----
sed 's/"links"/"lfos": [{ "name": "lfo" }], "modulations": [{ "source": "lfo", "target": "string[3]", "parameter": "damping", "mode": "add", "depth": 9 }], "links"/' \
    "$work/string.json" > "$work/growing.json"
run 1 synth check --no-load "$work/growing.json"
out_has 'NOT STABLE: modulation can take the damping of .*string.3.* below 0'
sed 's/"depth": 9/"depth": 3/' "$work/growing.json" > "$work/calm.json"
run 0 synth check --no-load "$work/calm.json"; out_has 'stable: at worst'
sed 's/"damping", "mode": "add", "depth": 9/"mass", "mode": "multiply", "depth": 1/' "$work/growing.json" > "$work/massless.json"
run 1 synth check --no-load "$work/massless.json"; out_has 'takes the mass of .*string.3.* to 0'; out_has_not 'inf'
sed 's/"microphones": \[[^]]*\][^]]*\],//; s/, { "from": "ear"[^}]*}//' "$work/string.json" > "$work/deaf.json"
run 1 synth check --no-load "$work/deaf.json"; out_has 'SILENT: it has no microphone'
sed 's/string\[4\]/string[0]/' "$work/string.json" > "$work/anchored.json"
run 1 synth check --no-load "$work/anchored.json"; out_has 'SILENT: no exciter is linked to a body that can move'
run 1 synth check --no-load --json "$work/anchored.json"; out_is_json record; out_has '"sounds": false'

# ---- its load ----
run 0 synth check "$work/string.json"
out_has 'host  *cpu'
run 0 synth check --device host --block 64 --json "$work/string.json"
out_has '"solver": "cpu"'; out_has '"load": '; out_has '"store_bytes": '
run 2 synth check --device nothing "$work/string.json"; err_has 'nothing'


# ---- a driver that compiles without an end: Ctrl-C keeps what is measured ----
words='synth check with a driver that hangs'
FAKE_HANG_IN=clBuildProgram HEDDLE_OPENCL_LIBRARY="$2" "$heddle" synth check "$work/string.json" --device host --device opencl:0:0 --json > "$work/out" 2> "$work/err" &
check=$! tries=0
sleep 3; kill -INT $check
while kill -0 $check 2> /dev/null && [ $tries -lt 300 ]; do tries=$((tries + 1)); sleep 0.1; done
kill -KILL $check 2> /dev/null && complain "$words: still there 30 s after Ctrl-C"
code=0; wait $check || code=$?
[ $code = 130 ] || complain "$words: exit code $code instead of 130"
out_is_json record; out_has '"solver": "cpu"'; out_has '"note": "A3"'; err_has 'interrupted'
exit $failed
