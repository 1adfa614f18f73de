#!/bin/sh
# sh tune_device.sh HEDDLE EXAMPLES: files of examples/tune and a capture, tuned on the device of HEDDLE_DEVICE in worker processes.
heddle=$1
examples=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export XDG_DATA_HOME="$work/data"
unset HEDDLE_DATABASE HEDDLE_CAPTURE
files=$(dirname "$0")/../../examples/tune

run 0 tune "$files/scale.t1.json" --budget 3 --report "$work/report.html"
out_has '^scale on '; out_has '^  winner  *block_size_x='; out_has 'in a worker process'; out_has 'with outputs that were given'
grep -q '</html>' "$work/report.html" || complain 'no report'
run 0 tune "$files/blur.json" --budget 2 --no-isolation --quiet; err_is_empty; out_has 'isolation  none, asked for'; out_has 'VARIANT='
HEDDLE_WORKER=/nowhere run 0 tune "$files/blur.json" --budget 2 --no-keep; out_has 'isolation  none, '; err_has '/nowhere'

(cd "$work" && HEDDLE_CAPTURE=square "$examples/first" > "$work/out" 2> "$work/err") || complain 'the example does not run'
# first.c launches over a geometry of its own, which no capture can describe; blur.c does not.
[ ! -e "$work/square.hcap" ] || complain 'a launch without a problem was captured'
(cd "$work" && HEDDLE_CAPTURE=convolution "$examples/blur" "$work/blur.png" > "$work/out" 2> "$work/err") || complain 'the example does not run'
run 0 tune --capture "$work/convolution.hcap" --budget 2 --json; err_is_empty
out_has '"kernel": "convolution"'; out_has '"isolated": true'; out_has '"compared_with": "outputs that were given"'
exit "$failed"
