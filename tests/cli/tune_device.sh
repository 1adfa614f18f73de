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
# a kernel's text alone: the description that is printed works as it is
cat > "$work/saxpy.cl" << 'END'
__kernel void saxpy(__global const float *x, __global float *y, float a, int n)
{
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) y[i] += a * x[i];
}
END
run 2 tune "$work/saxpy.cl"
cp "$work/out" "$work/saxpy.json"
run 0 tune "$work/saxpy.json" --budget 2 --quiet; out_has '^saxpy .* on .*n=1048576'
# Its name has the fixed argument, "saxpy a=1", and is found without it.
run 0 db show saxpy; out_has 'saxpy a=1'
run 0 tune "$files/blur.json" --budget 2 --no-isolation --quiet; err_is_empty; out_has 'isolation  none, asked for'; out_has 'VARIANT='
HEDDLE_WORKER=/nowhere run 0 tune "$files/blur.json" --budget 2 --no-keep; out_has 'isolation  none, '; err_has '/nowhere'

(cd "$work" && HEDDLE_CAPTURE=square "$examples/first" > "$work/out" 2> "$work/err") || complain 'the example does not run'
# first.c launches over a geometry of its own, which no capture can describe; blur.c does not.
[ ! -e "$work/square.hcap" ] || complain 'a launch without a problem was captured'
# What accuracy costs: BITS of the mantissa are kept, and few of them are fast.
cat > "$work/round.cl" << 'END'
__kernel void round_bits(__global float *y, __global const float *x)
{
    int i = get_global_id(0), last = 0;
    for (int k = 0; k < 8 * BITS * BITS + 4000; k++) last = last * 3 + (k ^ i);
    y[i] = as_float(as_int(x[i]) & (-1 << (23 - BITS))) + (last == 12345 ? 1e-9f : 0);
}
END
cat > "$work/round.json" << 'END'
{"kernel": "round_bits", "source": "round.cl", "problem": {"n": 4096}, "parameters": {"BITS": [23, 8, 14]}, "group": [64],
 "arguments": [{"name": "y", "type": "float", "access": "write", "size": "n", "tolerance": 0.01}, {"name": "x", "type": "float", "access": "read", "size": "n", "fill": {"uniform": [0, 1]}}]}
END
run 0 tune "$work/round.json" --json --no-keep; out_has '"front": \['; out_has '"configuration": "BITS=23"'
run 0 tune "$work/round.json" --no-keep; out_has '  accuracy   the winner.s results differ by up to'; out_has 'times its time: BITS=23'

# A choice that was tuned for another size, here or in the installed database, is no proof of right outputs: none are in the capture.
run 0 tune heddle:convolution --problem width=320,height=200 --budget 4 --quiet
(cd "$work" && HEDDLE_CAPTURE=convolution "$examples/blur" "$work/blur.png" > "$work/out" 2> "$work/err") || complain 'the example does not run'
run 0 tune --capture "$work/convolution.hcap" --budget 2 --json; err_has 'has no outputs'; err_has 'near size'
out_has '"compared_with": "the kernel itself in its default configuration"'
# One that was tuned for this very size is.
run 0 tune heddle:convolution --problem width=1280,height=800 --budget 8 --quiet
(cd "$work" && HEDDLE_CAPTURE=convolution "$examples/blur" "$work/blur.png" > "$work/out" 2> "$work/err") || complain 'the example does not run'
run 0 tune --capture "$work/convolution.hcap" --budget 2 --json; err_is_empty
out_has '"kernel": "convolution"'; out_has '"isolated": true'; out_has '"compared_with": "outputs that were given"'
exit "$failed"
