#!/bin/sh
# sh tune.sh HEDDLE [FAKES]: `heddle tune` as a user runs it: what it refuses, what it says, what it leaves behind, and Ctrl-C. What
# needs more than one configuration runs on an OpenCL device, where there is one: on host nothing is left to choose.
heddle=$1 fakes=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE HEDDLE_DATABASE HEDDLE_CAPTURE
small='heddle:transpose --problem width=192,height=128'

# One object with these keys.
out_is_object() {
    [ "$(head -c 1 "$work/out")" = '{' ] || complain "heddle $words: no JSON object"
    for key in "$@"; do out_has "\"$key\": "; done
    ! command -v python3 > /dev/null || python3 -m json.tool < "$work/out" > /dev/null || complain "heddle $words: not JSON"
}

# What is refused, and in which words.
run 2 tune; out_is_empty; err_has 'FILE.json, heddle:NAME, or --capture FILE'
run 2 tune one.json --capture two.hcap; out_is_empty; err_has 'name one thing'
run 2 tune heddle:convolutoin; out_is_empty; err_has 'did you mean heddle:convolution?'; err_has 'there are copy, saxpy'
run 2 tune heddle:transpose --problem width=12,hight=3; out_is_empty; err_has 'found "hight=3"'; err_has '--problem width=[0-9]*,height='
run 2 tune heddle:transpose --problem width=0; err_has 'at least 1'
run 2 tune heddle:transpose --problem 'width=3 '; err_has 'found "width=3 "'
run 2 tune one.json --problem n=1; err_has 'define their own'
run 2 tune heddle:copy --strategy luck; err_has 'auto, random, exhaustive, local'
run 2 tune heddle:copy --good-enough 2; err_has 'from 0.01 to 1'
run 1 tune heddle:copy --device all; err_has 'there is no GPU here'
run 1 tune heddle:copy --worker fd:7x; err_has 'fd:7x.*exit code 127'
run 1 tune "$work/nothing.json"; out_is_empty; err_has 'nothing.json'
run 1 tune --capture "$work/nothing.hcap"; out_is_empty; err_has 'nothing.hcap'
printf '{' > "$work/broken.json"
run 1 tune "$work/broken.json"; out_is_empty; err_has 'broken.json:1'
printf '/* heddle {"problem": {"n": 8}} */\n@compute fn f() {}\n' > "$work/broken.wgsl"
run 1 tune "$work/broken.wgsl"; out_is_empty; err_has 'broken.wgsl:2:13: expected @workgroup_size'
printf '@group(0) @binding(0) var<storage, read_write> a: array<i64>;\n@compute @workgroup_size(64) fn f() { a[0] = 1; }\n' > "$work/native.wgsl"
run 1 tune "$work/native.wgsl"; out_is_empty; err_has 'i64 is a type of native wgpu that no browser has'

printf 'void main() {}\n' > "$work/paint.frag"
run 2 tune "$work/paint.frag"; out_is_empty; err_has 'shader of another kind; expected a compute shader'

# A kernel's text without a description: a first one is printed.
cat > "$work/first.cl" <<'TEXT'
// __kernel void comment(int a) {}
#define N 4
__kernel /* note */ __attribute__((reqd_work_group_size(64, 1, 1)))
void scale(__global float4 *restrict y, __global const unsigned int x[], __local float *t,
    float a, const uint rows, int k) { y[get_global_id(0)] = a * x[0]; }
kernel void second(global double *z) { z[get_global_id(1)] = 1; }
TEXT
run 0 tune "$work/first.cl"; out_is_object kernel source problem parameters group global arguments; err_has 'heddle tune kernel.json'; out_has '"parameters": {"WG": \[64\]},$'
out_has '"kernel": "scale"'; out_has '"problem": {"rows": 1048576}'; out_has '"name": "y", "type": "float", "size": "4 \* rows", "access": "read_write"'
out_has '"name": "x", "type": "uint", "size": "rows", "fill": {"integers"'; out_has '"name": "t", "kind": "local"'; out_has '"name": "a", "type": "float", "value": 1'
out_has '"name": "rows", "type": "uint", "value": "rows"'; out_has '"name": "k", "type": "int", "value": 1'
run 0 tune "$work/first.cl" --entry second; out_is_object kernel; out_has '"width": 1024, "height": 1024'; out_has '"size": "width \* height"'
run 2 tune "$work/first.cl" --entry third; out_is_empty; err_has 'no kernel third'
# Names that the text gives to types are read: the first definition of each.
printf '%s\n' '#ifdef DOUBLE' '# define REAL double' '#else' '#define REAL float' '#endif' 'typedef int number; typedef struct { int a; } pair;' \
    '__kernel void f(__global REAL *y, const number n, REAL a, __global pair *p) { y[get_global_id(0)] = a; }' > "$work/named.cl"
run 0 tune "$work/named.cl"; out_has '"name": "y", "type": "double", "size": "n"'; out_has '"name": "n", "type": "int", "value": "n"'
out_has '"name": "a", "type": "double", "value": 1'; out_has '"name": "p", "type": "bytes", "size": "16 \* n"'; err_has 'p: type unknown here'
printf '%s\n' '#define HERE' 'float g(int b);' 'typedef unsigned int word;' '#define WIDE unsigned long' 'typedef struct thing item;' 'typedef unsigned char byte;' \
    '__kernel void f(__global word *y, const word n, WIDE m, HERE item a, __global byte *b, __global const char *c) { y[get_global_id(0)] = n; }' > "$work/named.cl"
run 0 tune "$work/named.cl"; out_has '"name": "y", "type": "uint", "size": "n"'; out_has '"name": "n", "type": "uint", "value": "n"'
out_has '"name": "m", "type": "long", "value": 1'; for name in b c; do out_has "\"name\": \"$name\", \"type\": \"bytes\", \"size\": \"n\""; done
out_has '"name": "a", "kind": "struct", "file": "a.bin"'; err_has 'a: write the bytes of the value'
# Elements of 2 and 4 bytes, numbers that no "value" sets, offsets; a macro whose default only begins with a whole number is no parameter.
printf '%s\n' '#ifndef M_PI' '#define M_PI 3.14159f' '#endif' '#ifndef SPAN' '#define SPAN 8 * 2' '#endif' '#ifndef ITEMS' '#define ITEMS 4u // each' '#endif' '#define ROW 16' \
    '__kernel __attribute__((reqd_work_group_size(ROW, 4, 1)))' \
    'void f(__global ushort *y, __global const uchar4 *x, ulong offset, uint width, half h, float4 v) { y[get_global_id(0)] = x[0].x; }' > "$work/named.cl"
run 0 tune "$work/named.cl"; out_has '"parameters": {"WG": \[16\], "WG_Y": \[4\], "ITEMS": \[1, 2, 4, 8, 16\]},$'; out_has '"problem": {"width": 1024, "height": 1024}'
out_has '"name": "y", "type": "bytes", "size": "2 \* width \* height"'; out_has '"name": "x", "type": "bytes", "size": "4 \* width \* height"'
out_has '"name": "offset", "type": "ulong", "value": 0'; for name in h v; do out_has "\"name\": \"$name\", \"kind\": \"struct\""; done
printf '%s\n' '__kernel void f(__global float *y, read_only image2d_t picture) { y[0] = 1; }' > "$work/named.cl"
run 2 tune "$work/named.cl"; out_is_empty; err_has 'f takes picture, a image2d_t; expected buffers, numbers and structs'
# A const behind the last star is the pointer's.
echo '__global__ void f(float *const y, const float *const x, float const *z) { y[0] = x[0] + z[0]; }' > "$work/named.cu"
run 0 tune "$work/named.cu"; out_has '"name": "y".*read_write'; for name in x z; do ! grep -q "\"$name\".*read_write" "$work/out" || complain "const $name is written"; done
# A template has arguments: float for a type, a macro for a number, and 0 for any other.
printf '%s\n' 'int g();' 'template <typename T, int BLOCK_SIZE = 128, bool FAST, Mode M, class Op = add<int, 3>>' \
    '__global__ void __launch_bounds__(BLOCK_SIZE) work(T *y, int n) { y[threadIdx.x] = 0; }' '__global__ void plain(int *y) { y[0] = 1; }' > "$work/named.cu"
run 0 tune "$work/named.cu"; out_has '"kernel": "work<float, TEMPLATE_BLOCK_SIZE, false, (Mode)0, float>"'; out_has '"defaults": {"TEMPLATE_BLOCK_SIZE": 128}'
out_has '"name": "y", "type": "float", "size": "n"'; run 0 tune "$work/named.cu" --entry plain; out_has '"kernel": "plain"'
# The text's path leads from the description's file to it: beside it, and elsewhere.
# Dynamic shared memory has a size for the author to correct; that of another kernel is none of this one's.
printf '%s\n' '__device__ int helper(int x) { return x; }' \
    '__global__ void sum(double *y, int n) { extern __shared__ double part[]; part[threadIdx.x] = y[0]; }' \
    '__global__ void later(int *y);' 'extern int other;' '__global__ void plain(int *y, int n) { __shared__ int fixed[4]; fixed[0] = helper(n); y[0] = fixed[0]; }' > "$work/shared.cu"
run 0 tune "$work/shared.cu" --entry sum; out_is_object arguments; err_has '  part: how large is'
tail -3 "$work/out" | head -1 | grep -q '"name": "part", "kind": "local", "type": "double", "size": "WG"}$' || complain 'dynamic shared memory is not the last argument'
run 0 tune "$work/shared.cu" --entry plain; out_is_object arguments; ! grep -q local "$work/out" || complain 'shared memory of another kernel'
! grep -q 'how large' "$work/err" || complain 'a question of another kernel'
echo '__device__ float *pool() { extern __shared__ __align__(16) float4 all[]; return (float *)all; }' >> "$work/shared.cu"
run 0 tune "$work/shared.cu" --entry plain; out_has '"name": "all", "kind": "local", "type": "float", "size": "4 \* WG"}$'
# A kernel with more arguments than a tune file has is refused, with 32 it is described.
for count in 32 33 70; do
    { printf '__kernel void f('; seq -s , "$count" | sed 's/[0-9][0-9]*/__global int *a&/g'; echo ') { a1[0] = 1; }'; } > "$work/many.cl"
    if [ "$count" = 32 ]; then run 0 tune "$work/many.cl"; out_has '"a32"'; else
        run 2 tune "$work/many.cl"; out_is_empty; err_has 'f has more than 32 arguments.*as a struct'; fi
done
mkdir -p "$work/texts"; cp "$work/first.cl" "$work/texts/moved.cl"; here=$(pwd); cd "$work" || exit 1
"$heddle" tune texts/moved.cl > texts/moved.json 2> "$work/err" || complain "heddle tune TEXT > FILE: exit code $?"
grep -q '"source": "moved.cl"' texts/moved.json || complain "a description beside its text has another path: $(grep source texts/moved.json)"
"$heddle" tune texts/moved.cl > moved.json 2> "$work/err"; grep -q '"source": "texts/moved.cl"' moved.json || complain "a description elsewhere has another path: $(grep source moved.json)"
cd "$here" || exit 1
# A text that defines a parameter itself hides its values from the kernel.
sed -n '/^{/,$p' "$work/moved.json" > "$work/own.json"; sed -i 's/"texts\/moved.cl"/"own.cl"/' "$work/own.json"
{ echo '/*'; echo '#define WG 3'; echo '*/'; echo '#define WG 64'; cat "$work/first.cl"; } > "$work/own.cl"
run 1 tune "$work/own.json"; out_is_empty; err_has 'own.cl has #define WG outside #if.*Write #ifndef WG before it'
sed -i 's/^#define WG 64/#ifndef WG\n&\n#endif/' "$work/own.cl"; run 1 tune "$work/own.json" --device host; err_has 'host'
{ yes '#define X Y' | head -n 1000000; echo '__kernel void f(__global float *y) { y[0] = 1; }'; } > "$work/named.cl"
run 0 tune "$work/named.cl"; out_has '"name": "y", "type": "float"'
# Macros with a default are its parameters, and one that names the group sizes it; a guard and a macro without a default are none.
printf '%s\n' '#ifndef FIRST_CU' '#define FIRST_CU' '#ifndef ITEMS' '# define ITEMS 6' '#endif' '#ifndef BLOCK' '#define BLOCK 128' '#endif' '#define FIXED 9' \
    '__global__ void f(float *y, int n, int seed = 0) { y[blockIdx.x * BLOCK + threadIdx.x] = ITEMS * FIXED; }' '#endif' > "$work/first.cu"
run 0 tune "$work/first.cu"; out_has '"parameters": {"BLOCK": \[32, 64, 128, 256\], "ITEMS": \[1, 2, 4, 6, 8, 16\]},$'
out_has '"defaults": {"ITEMS": 6, "BLOCK": 128},$'; out_has '"name": "seed"'; out_has '"group": \["BLOCK"\],$'
cp "$work/out" "$work/first.json"; run 1 tune "$work/first.json" --device host; err_has 'cuda c'

# Any user of the machine reads the arguments of a process: the browser gets a file's name, and the file has the token.
if "$heddle" doctor | grep -q '^microhttpd *works'; then
    cat >"$work/browser" <<SCRIPT
#!/bin/sh
echo "\$*" >"$work/browser.arguments"
cp "\${1#file://}" "$work/browser.page"
stat -c '%a %U' "\$(dirname "\${1#file://}")" >"$work/browser.folder"
kill -INT "\$PPID"
SCRIPT
    chmod 700 "$work/browser"
    run 130 tune "$(dirname "$0")/../../examples/web/blur.wgsl" --browser "$work/browser"
    token=$(sed -n 's/.*the page is [^#]*#\([0-9a-f]*\).*/\1/p' "$work/err")
    [ ${#token} = 32 ] || complain "no token in the message: $(cat "$work/err")"
    grep -q "$token" "$work/browser.page" || complain 'the page does not lead to the address with the token'
    if grep -q "$token" "$work/browser.arguments"; then complain "the token is an argument: $(cat "$work/browser.arguments")"; fi
    [ "$(cat "$work/browser.folder")" = "700 $(id -un)" ] || complain "others may enter the folder: $(cat "$work/browser.folder")"
    [ ! -e "$(dirname "$(sed 's|^file://||' "$work/browser.arguments")")" ] || complain 'the folder of the browser is left behind'
fi
run 2 tune heddle:copy --device nothing; out_is_empty; err_has 'no device fits'
for of in 'tune heddle:copy' 'tune sweep heddle:copy' 'batch run jobs.json' 'verify' 'bench kernels' 'devices'; do
    # shellcheck disable=SC2086  # words
    HEDDLE_DEVICE=nothing "$heddle" $of > "$work/out" 2> "$work/err"
    [ $? -lt 128 ] || complain "HEDDLE_DEVICE=nothing heddle $of: ended by a signal"
done
HEDDLE_DEVICE=nothing run 1 tune heddle:copy; out_is_empty; err_has 'HEDDLE_DEVICE'
run 0 tune --help; out_has 'or: heddle tune COMMAND'; out_has '  --good-enough SHARE'
run 0 tune --schema; err_is_empty; out_is_object

# On host: one configuration, which is said and kept, and everything is left behind that is asked for.
# shellcheck disable=SC2086  # words
run 0 tune $small --budget 4 --report "$work/report.html" --csv "$work/table.csv" --t4 "$work/results.t4"
out_has '^transpose on host'; out_has 'width=192 height=128'; out_has '^  winner  *TILE='; out_has '^  tried  *1 of 1 valid'
out_has 'there is nothing to tune: .*native code does not read its parameters'
out_has '^  isolation  none, '; out_has 'compared  *with the native C version'; out_has "^  kept  *$work/data/heddle/tuning.db"; out_has 'now use it'
grep -q '"importance":\[0[0.,]*\]' "$work/report.html" || complain 'a parameter that is not read matters'
[ "$(wc -l < "$work/table.csv")" = 2 ] || complain 'the table has not 1 line below its head'
! command -v python3 > /dev/null || python3 -m json.tool < "$work/results.t4" > /dev/null || complain 'the T4 file is not JSON'
run 0 tune replay "$work/table.csv" --seeds 2 --json; out_has '"table"'
# A kernel on two devices, whose optima are neighbours far from the middle: the best of the one are ahead on the other.
for best in 13 14; do
    awk -v best=$best 'BEGIN {
        printf "# domain: X=1"; for (i = 2; i <= 16; i++) printf ",%d", i
        printf "; Y=1"; for (i = 2; i <= 16; i++) printf ",%d", i
        printf "\nX\tY\ttime_ms\n"
        for (x = 1; x <= 16; x++) for (y = 1; y <= 16; y++) {
            a = x - best; b = y - 3; printf "%d\t%d\t%g\n", x, y, 1 + a * a + b * b } }' > "$work/device$best.tsv"
done
run 0 tune replay "$work/device13.tsv" "$work/device14.tsv" --warm "$work/device13.tsv" "$work/device14.tsv" --seeds 5 --json
out_has '"warm_ahead": 2'; out_has '"gain1": 0.9'; out_has '"cold_first10": '
run 0 tune replay "$work/device13.tsv" --warm "$work/device14.tsv" --seeds 2; out_has 'first 10 evaluations on 1 of 1'
run 0 tune replay "$work/device13.tsv" --seeds 2 --json; out_has '"first10"'; ! grep -q cold "$work/out" || complain 'a replay without --warm has cold figures'
# shellcheck disable=SC2086
run 0 tune $small --budget 6 --resume --json; err_is_empty
out_is_object kernel from device problem winner config seconds low high gain ties evaluations space end isolated checked kept
out_has '"kernel": "transpose"'; out_has '"width": 192'; out_has '"end": "exhausted"'; out_has '"space": 1,'; out_has '"isolated": false'
# shellcheck disable=SC2086
run 0 tune $small --budget 2 --no-keep --quiet; err_is_empty; out_has 'kept  *nowhere: --no-keep'
# shellcheck disable=SC2086
run 1 tune $small --budget 2 --report "$work/no/such/folder.html"; out_is_empty; err_has 'folder.html'
# A database that is not there, or that others may write, is no --no-keep.
: > "$work/shared.db"; chmod 666 "$work/shared.db"
HEDDLE_DATABASE=none run 0 tune heddle:transpose --problem width=64,height=64; out_has 'kept  *nowhere: the database cannot be used'
HEDDLE_DATABASE=$work/shared.db run 1 tune heddle:transpose --problem width=64,height=64; out_has 'kept  *nowhere: the database cannot be used'

# Energy needs a counter; an objective that nobody knows lists those that are known.
for objective in energy time,energy energy,time; do
    # shellcheck disable=SC2086
    run 1 tune $small --budget 2 --objective $objective; out_is_empty; err_has 'host has no counter of energy'
done
# shellcheck disable=SC2086
run 1 tune $small --budget 2 --objective speed; out_is_empty; err_has 'objective "speed"; expected time, energy, time,energy, energy,time, or a metric'

# Time and energy, on stand-ins of the driver and of NVML, which a worker loads by their usual way.
cat > "$work/metric.cl" <<'END'
__kernel void f(__global float *y, int n) { for (int i = get_global_id(0) * PER; i < min(n, (int)get_global_id(0) * PER + PER); i++) y[i] = i; }
END
cat > "$work/metric.json" <<'END'
{"kernel": "f", "source": "metric.cl", "problem": {"n": 4096}, "parameters": {"WG": [16, 64], "PER": [1, 4]}, "group": ["WG"],
 "global": ["n / PER"], "arguments": [{"name": "y", "type": "float", "size": "n", "access": "write"}, {"name": "n", "type": "int", "value": "n"}],
 "work": {"bytes": "4 * n"}, "metrics": {"GB/s": "bytes / time / 1e9", "WG * s": "WG * time"}, "objective": "GB/s"}
END
if [ -d "$fakes" ]; then
    ln -s "$fakes/libfake_nvml.so" "$work/libnvidia-ml.so.1"
    export LD_LIBRARY_PATH="$work" HEDDLE_CUDA_LIBRARY="$fakes/libfake_cuda.so" HEDDLE_NVRTC_LIBRARY="$fakes/libfake_nvrtc.so"
    run 0 tune "$work/metric.json" --device cuda:0 --objective time,energy --reference none --report "$work/energy.html"
    out_has '^  energy  *the winner takes [0-9.]* .J'; out_has 'measured of 4 of the 4 configurations that work'; out_has '^  GB/s '
    grep -q '"both":\[[0-9]' "$work/energy.html" || complain 'the page lacks the front'
    out_has '^  resources  8 registers, 0 KiB of local memory a group; [0-9]* groups of [0-9]* items at once, 2048 items on a unit'
    grep -q '"resources":{"registers":8,.*"local":0,"groups":[1-9]' "$work/energy.html" || complain 'the page lacks the resources'
    run 0 tune "$work/metric.json" --device cuda:0 --objective energy,time --reference none --resume --json; out_is_object joules both_measured front_of_time_and_energy resources
    out_has '"both_measured": 4'; out_has '"objective": "energy"'; out_has '"seconds": [0-9]'
    run 0 db show f; out_has 'energy'; out_has 'time'
    # Energy alone: the search is by time, and three of four configurations have an energy in a limit for fewer.
    HEDDLE_DATABASE=$work/energy.db run 0 tune "$work/metric.json" --device cuda:0 --objective energy --reference none --time 4 --json; err_has 'an energy takes a second'
    out_has '"measured": 3,'; out_has '"dropped": 1,'; out_has '"objective": "energy"'; out_has '"joules": '; out_has '"kept": "'
    HEDDLE_DATABASE=$work/energy.db run 0 db show f; out_has 'energy'; out_has 'time'
    # Hardware counters, by a stand-in of CUPTI in the folder of a toolkit.
    mkdir -p "$work/toolkit/lib64"
    ln -s "$fakes/libfake_cupti.so" "$work/toolkit/lib64/libcupti.so"
    export CUDA_HOME="$work/toolkit"
    run 0 tune "$work/metric.json" --device cuda:0 --counters --reference none --no-keep --report "$work/counters.html"
    out_has '^  counters   warps at work  *61 % of the most possible'; out_has '8 MB read, 4 MB written'; out_has 'memory  *88 % of its peak'
    out_has 'a warp  *issues in 5 %; waits for memory 70 %, for its turn 15 %, for the previous instruction 10 %'
    grep -q '"counters":\[\["warps at work","61 % of the most possible"' "$work/counters.html" || complain 'the page lacks the counters'
    run 0 tune "$work/metric.json" --device cuda:0 --counters --reference none --no-keep --json; out_is_object counters
    out_has '"occupancy": 0.61'; out_has '"for": "memory"'
    rm "$work/toolkit/lib64/libcupti.so"
    ln -s "$fakes/libfake_nvml.so" "$work/toolkit/lib64/libcupti.so"
    run 0 tune "$work/metric.json" --device cuda:0 --counters --reference none --no-keep; out_has '^  takes\|^  reaches'
    out_has '^  counters   not read: .*CUPTI of CUDA 12.6 or later is needed'
    unset LD_LIBRARY_PATH CUDA_HOME
    export HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none
fi

# The rest needs something to choose from.
unset HEDDLE_OPENCL_LIBRARY
several=$("$heddle" devices 2> /dev/null | sed -n 's/^\(opencl:[0-9:]*\) .*/\1/p' | head -n 1)
[ -n "$several" ] || exit "$failed"
export HEDDLE_DEVICE="$several"
run 0 tune heddle:copy --problem n=20000 --budget 3 --report "$work/several.html" --csv "$work/several.csv"
out_has '^  tried  *3 of [1-9][0-9]'; ! grep -q 'nothing to tune' "$work/out" || complain 'there is'
grep -q '"values":\[[^],]*,[^],]*,[^],]*\]' "$work/several.html" || complain 'the report has not 3 marks'
[ "$(wc -l < "$work/several.csv")" = 4 ] || complain 'the table has not 3 lines below its head'
run 0 tune heddle:copy --problem n=20000 --budget 3 --resume --json --no-isolation; err_is_empty; out_has '"end": "evaluations"'

# A metric of a tune file, shown and as the objective.
run 0 tune "$work/metric.json" --report "$work/metric.html" --csv "$work/metric.csv"
out_has '^  reaches  *[0-9.e+-]* GB/s'; out_has '^  WG \* s  *[0-9.e-]*$'; out_has 'for this objective; launches of f take the choice for time'
head -n 1 "$work/metric.csv" | grep -q 'winner,seconds,WG \* s,text' || complain 'the table lacks a metric'
grep -q '"metric":"GB/s","maximized":true' "$work/metric.html" || complain 'the page lacks the metric'
run 0 tune "$work/metric.json" --objective time --json; err_is_empty; out_has '"objective": "time"'; out_has '"GB/s": [0-9]'; out_has '"WG \* s": [0-9]'

# On a terminal the view is drawn in place, in the window's width, and is gone at the end; --quiet draws nothing.
if command -v script > /dev/null; then
    escape=$(printf '\033')
    long='heddle:copy --problem n=20000 --budget 5 --no-keep'
    script -qec "stty cols 50 rows 20; '$heddle' tune $long" "$work/out" > /dev/null < /dev/null
    words='tune, on a terminal'
    out_has "$escape\[[0-9]*A$escape\[J"; out_has '^  tried  '; out_has '^  winner  '
    tr -d '\r' < "$work/out" | sed -n '/^copy on .*(.*n=20000/,$p' | grep -q '^  best ' && complain 'the view is still there'
    # Bytes of the blocks' characters that only go on with one count nothing.
    tr -d '\r\200-\277' < "$work/out" | sed "s/^${escape}[^J]*J//; /^Script/d; /n=20000/,\$d" | awk 'length > 50 { exit 1 }' ||
        complain 'wider than the window'
    script -qec "'$heddle' tune $long --quiet" "$work/out" > /dev/null < /dev/null
    ! grep -q "$escape" "$work/out" || complain '--quiet draws'
fi

# Ctrl-C in the middle: what was measured is shown and kept, the report written. The space is larger than anybody waits for.
"$heddle" tune heddle:matmul --problem m=64,n=64,k=64 --strategy exhaustive --budget 100000 --report "$work/stopped.html" \
    --csv "$work/stopped.csv" > "$work/stopped.out" 2> "$work/stopped.err" < /dev/null &
process=$!
await "grep -qs 'best [0-9]' '$work/stopped.err'"
kill -INT "$process"
code=0
wait "$process" || code=$?
mv "$work/stopped.out" "$work/out"
mv "$work/stopped.err" "$work/err"
words='tune, interrupted'
[ "$code" = 130 ] || complain "heddle tune, interrupted: exit code $code instead of 130"
out_has 'ended since it was stopped'; out_has '^  winner'; grep -q '</html>' "$work/stopped.html" || complain 'no report after Ctrl-C'
known=$(($(wc -l < "$work/stopped.csv") - 1))
run 0 tune heddle:matmul --problem m=64,n=64,k=64 --budget "$known" --resume --csv "$work/resumed.csv" --quiet
out_has "^  tried  *$known of"
exit "$failed"
