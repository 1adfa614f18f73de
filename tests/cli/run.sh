#!/bin/sh
# sh run.sh HEDDLE FAKE_OPENCL: the command as a user runs it, on host (and interrupted on an OpenCL device, where there is one): what it prints where,
# and its exit codes.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE

run 0 --version; out_has '^heddle [0-9]'; err_is_empty
run 0 version; out_has '^heddle [0-9]'
run 2; out_is_empty; err_has '^Usage: heddle'
run 2 devcies; out_is_empty; err_has 'did you mean "heddle devices"'
run 2 devices --jsno; out_is_empty; err_has 'did you mean --json'
run 2 devices --json extra; out_is_empty; err_has 'one argument too many'

run 0 --help; out_has '^Usage: heddle'; err_is_empty
run 0 bench runtime --help; out_has '^Usage: heddle bench runtime '
run 0 runtime bench --help; out_has '^Usage: heddle runtime bench '
run 0 help cache ship; out_has '^Usage: heddle cache ship '
run 2 help nothing; out_is_empty; err_has '"nothing"'
run 0 help --man; out_has '^\.TH HEDDLE 1'; out_has 'HEDDLE_DEVICE'
run 0 completion bash; out_has '^complete -F _heddle heddle'
run 2 completion tcsh; err_has 'bash, zsh, fish'

run 0 devices; out_has '^host '; err_is_empty
run 0 devices --json; err_is_empty
out_is_json id backend platform name vendor driver compute_units lane_width max_group local_bytes memory_bytes capabilities
out_has '"id": "host"'

run 0 doctor; out_has '^host  *works .*runs kernels'; out_has '^opencl  *absent'; out_has '^cuda  *absent'; out_has 'mend: '
run 0 doctor --json; err_is_empty; out_is_json subject state detail reason remedy
# A driver that ends its process costs its own line alone.
HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=clGetPlatformIDs run 0 doctor
out_has '^opencl  *failed'; out_has 'with signal 6'; out_has 'HEDDLE_OPENCL_LIBRARY=none'; out_has '^host  *works .*runs kernels'; out_has '^gl '
HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=clCreateContext run 0 doctor
out_has '^opencl  *failed'; out_has 'with signal 6'; out_has '^data folder'
# `devices` lists the others and names the driver; a command that opens all of them tells what it was at.
for call in clGetPlatformIDs clGetDeviceInfo; do
    HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=$call run 1 devices
    out_has '^host '; err_has '^heddle: opencl: its driver ended .* signal 6'; err_has 'HEDDLE_OPENCL_LIBRARY=none'
    HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=$call run 1 devices --json
    out_is_json id backend; out_has '"id": "host"'; err_has 'opencl: .* signal 6'
    for command in 'verify --quick --kernel copy --device all' 'bench kernels --device all' 'tune heddle:saxpy --budget 2' 'devices --quiet --json'; do
        code=134; [ "${command#devices}" = "$command" ] || code=1
        # shellcheck disable=SC2086  # words
        HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=$call run $code $command
        err_has 'signal 6 .*opencl: listing\|opencl: .*signal 6'
    done
    HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=$call run 0 __complete verify --device ''
    out_has '^host'; out_has '^best'; err_is_empty
done
HEDDLE_OPENCL_LIBRARY="$2" FAKE_ABORT_IN=clCreateContext run 134 verify --quick --kernel copy --device all --quiet
err_has '^heddle: ended by signal 6 .*opencl:0:0: opening.*heddle doctor'
# What the engines load where it is there: each is named, with its packages where it is not.
optional="jack:libjack-jackd2-0 alsa:libasound2 sndfile:libsndfile1 egl:libegl1 glfw:libglfw3 microhttpd:libmicrohttpd12"
set_libraries() { for library in JACK ALSA SNDFILE EGL GLFW MICROHTTPD; do export HEDDLE_${library}_LIBRARY="$1"; done; }
set_libraries none
run 0 doctor
for library in $optional; do
    out_has "^${library%%:*}  *absent"
    out_has "mend: apt install ${library#*:} (Debian), dnf install .* (Fedora), or set HEDDLE_.*_LIBRARY"
done
set_libraries libc.so.6
run 0 doctor
for library in $optional; do out_has "^${library%%:*}  *works  *libc.so.6: "; done
unset HEDDLE_JACK_LIBRARY HEDDLE_ALSA_LIBRARY HEDDLE_SNDFILE_LIBRARY HEDDLE_EGL_LIBRARY HEDDLE_GLFW_LIBRARY HEDDLE_MICROHTTPD_LIBRARY HEDDLE_WEBKIT_LIBRARY
if [ "$(id -u)" != 0 ]; then
    mkdir "$work/locked"
    chmod 500 "$work/locked"
    XDG_CACHE_HOME="$work/locked" run 0 doctor
    out_has '^cache folder  *failed'; out_has 'XDG_CACHE_HOME'
fi

run 0 verify --quick --kernel copy --kernel saxpy; out_has '^host  *copy  *passed'; out_has '^host  *saxpy  *passed'; err_is_empty
run 0 verify --quick -k copy --json; err_is_empty; out_is_json device kernel math passed not_valid failed
run 2 verify --kernel nothing; out_is_empty; err_has 'there are copy'
run 2 verify --device nothing --json; out_is_empty; err_has 'no device fits "nothing".*host'
HEDDLE_DEVICE=nothing run 1 verify; out_is_empty; err_has 'HEDDLE_DEVICE'

run 0 cache info; out_has "^$work/cache/heddle: 0 compiled kernels"
run 0 cache info --json; out_is_json folder entries bytes damaged
run 0 cache warm --device all; out_has '^host: nothing to compile'
run 0 cache clear; out_has 'removed 0'
run 1 cache ship "$work/ptx"; err_has 'heddle: '

costs=10,2,14,12,20,16,24,9,6,5,7
run 0 pack --counts 40,8,0,60 --warps 4; err_is_empty
out_has '^exact: 2 types at most in a row, the most expensive warp costs 2, 4 of 4 warps used$'; out_has ' A*B*\.*$'
run 0 pack --counts 400,20,400,30,9,8,7,11,30,40,30 --costs "$costs" --json; err_is_empty
out_has '^  "method": "exact-cost",$'; out_has '^  "max_cost": 39.0,$'; out_has '^  "warps_used": 32,$'
run 0 pack --counts 1000,1,1,1,1,1,1,1,1,1,1 --method spread --json; out_has '^  "max_occupancy": 2,$'
run 0 pack --counts 1000000 --method rows; out_has 'more rows are not shown'
run 2 pack --counts 3,x; out_is_empty; err_has 'entry 2, "x"'
run 2 pack --counts 3,4 --costs 1; out_is_empty; err_has 'costs has 1 entries, --counts 2'
run 2 pack --counts 3,4 --costs 1,0; err_has 'entry 2, "0"'
run 2 pack --counts 2147483647,1; err_has '2147483648 entities'
run 2 pack --counts 1 --warps 65; err_has '1 to 64'

# A full disk behind the output.
code=0
"$heddle" devices --json > /dev/full 2> "$work/err" || code=$?
[ "$code" = 1 ] || complain "heddle devices > /dev/full: exit code $code instead of 1"

# Interrupted: at once, and in so many words. SIGTERM, since a shell's background job does not get SIGINT. On host there is no more than
# one configuration of it, which is soon verified.
unset HEDDLE_OPENCL_LIBRARY
several=$("$heddle" devices 2> /dev/null | sed -n 's/^\(opencl:[0-9:]*\) .*/\1/p' | head -n 1)
[ -n "$several" ] || exit "$failed"
"$heddle" verify --full --kernel matmul --device "$several" > "$work/out" 2> "$work/err" &
process=$!
words="verify, interrupted"
await_handler 15 $process
await_work $process
kill "$process"
code=0
wait "$process" || code=$?
err_has 'interrupted after 0 of 1 kernels; the table has those'
[ "$code" = 130 ] || complain "heddle verify, interrupted: exit code $code instead of 130"
exit "$failed"
