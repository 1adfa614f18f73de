#!/bin/sh
# sh db.sh HEDDLE: heddle db as a user runs it: exit codes, what is printed where, and what is carried from one machine to another.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE HEDDLE_DATABASE

# One key with a choice and four evaluations, and a fact.
cat > "$work/blur.json" <<'JSON'
{"format": "heddle tuning", "version": 1,
 "facts": [{"device": {"backend": "cuda", "platform": "NVIDIA CUDA", "name": "NVIDIA H200", "vendor": "NVIDIA", "type": "gpu",
                       "architecture": 90, "compute_units": 132}, "name": "copy bytes/s", "value": 4.1e12}],
 "keys": [{"kernel": "blur", "source": "00112233445566778899aabbccddeeff", "math": "fast", "objective": "time",
           "device": {"backend": "cuda", "platform": "NVIDIA CUDA", "name": "NVIDIA H200", "vendor": "NVIDIA", "type": "gpu",
                      "architecture": 90, "compute_units": 132},
           "driver": "550.1", "compiler": "nvrtc 12.4", "problem": "width=512 height=512",
           "choice": {"session": "0123456789abcdef0123456789abcdef", "settings": "auto", "version": "0.1.0", "begun": 1700000000,
                      "config": "WG=128 TILE=2", "seconds": 1e-3, "low": 0.99e-3, "high": 1.01e-3, "default_seconds": 2.5e-3},
           "sessions": [{"session": "0123456789abcdef0123456789abcdef", "settings": "auto", "version": "0.1.0", "begun": 1700000000,
                         "measurements": [
             {"number": 1, "outcome": "measured", "config": "WG=64 TILE=1", "seconds": 2.5e-3, "runs": 7, "build_seconds": 0.5, "at": 1},
             {"number": 2, "outcome": "crashed", "config": "WG=64 TILE=4", "runs": 0, "build_seconds": 0, "at": 2, "text": "signal 11"},
             {"number": 3, "outcome": "measured", "config": "WG=32 TILE=1", "seconds": 4e-3, "runs": 7, "build_seconds": 0.5, "at": 3},
             {"number": 4, "outcome": "measured", "config": "WG=128 TILE=2", "seconds": 1e-3, "low": 0.99e-3, "high": 1.01e-3,
              "runs": 9, "build_seconds": 0.5, "at": 4, "deviation": 1e-6}]}]}]}
JSON

# Nothing was tuned yet: no failure, and looking makes no file.
run 0 db list; out_has "nothing found in $work/data/heddle/tuning.db"; err_is_empty
run 0 db list --json; out_has '^\[\]$'; err_is_empty
run 1 db show blur; out_is_empty; err_has 'nothing is known about "blur"'
run 1 db export "$work/none.json"; err_has 'nothing was tuned'
[ ! -e "$work/data/heddle" ] || complain "looking made a file"
run 0 db path; out_has "^$work/data/heddle/tuning.db$"
run 0 db path --json; out_is_json file exists; out_has '"exists": false'
HEDDLE_DATABASE="$work/else.db" run 0 db path; out_has "^$work/else.db$"
HEDDLE_DATABASE=none run 0 db path; out_has '^none$'
HEDDLE_DATABASE=none run 1 db import "$work/blur.json"; err_has 'no tuning database'

# In, and in once more.
run 0 db import "$work/blur.json"; out_has '^added 1 key, 4 measurements, 1 choice, 1 fact to .*/tuning.db$'; err_is_empty
run 0 db import "$work/blur.json"; out_has '^added nothing to'
run 0 db import "$work/blur.json" --json; out_is_json file action keys measurements choices facts
run 0 db list; out_has 'blur  *NVIDIA H200 (cuda)  *550.1  *width=512 height=512  *4  *1 ms  *2.50x  *WG=128 TILE=2'
run 0 db list --json; out_is_json kernel device driver problem measurements config seconds gain
run 0 db list -k other; out_has 'nothing found'
run 0 db list -d 'h200'; out_has 'blur'
run 0 db list -d opencl; out_has 'nothing found'
run 0 db show blur; out_has 'evaluations: 3 measured, 1 crashed'; out_has '1\*  *1 ms'; out_has '2.50 times as fast'
run 0 db show blur --json; out_is_json kernel config outcome seconds chosen
run 1 db show blurr; err_has 'nothing is known about "blurr"'
run 2 db show; err_has 'KERNEL'
run 2 db; err_has 'list, show, export, import, merge, prune, path'

# Out, and into another one: nothing is lost, and nothing is there twice.
run 0 db export "$work/out.json"; out_has '^wrote 1 key, 4 measurements, 1 choice, 1 fact to'
if command -v python3 > /dev/null; then
    python3 -m json.tool < "$work/out.json" > /dev/null || complain "the export is not JSON"
fi
run 0 db import "$work/out.json"; out_has '^added nothing'
run 0 db import --database "$work/b.db" "$work/out.json"; out_has '^added 1 key, 4 measurements, 1 choice, 1 fact'
run 0 db export --database "$work/b.db" "$work/out2.json"
cmp -s "$work/out.json" "$work/out2.json" || complain "the second export is another one"
run 0 db export --choices -k blur "$work/choices.json"; out_has '^wrote 1 key, 1 choice to'
run 0 db import --database "$work/c.db" "$work/choices.json"; out_has '^added 1 key, 1 choice'
run 0 db list --database "$work/c.db"; out_has 'blur .* 0  *1 ms  *2.50x'
run 1 db export -k other "$work/empty.json"; out_is_empty; err_has 'has no such results'; [ ! -e "$work/empty.json" ] || complain "a file of nothing was written"
echo '{"format": "heddle tuning", "version": 1, "keys": []}' > "$work/empty.json"
run 0 db import "$work/empty.json"; out_has '^added nothing'
run 0 db merge "$work/b.db" "$work/c.db"; out_has '^added nothing'
run 0 db merge --database "$work/d.db" "$work/b.db" "$work/b.db"; out_has '^added 1 key, 4 measurements, 1 choice, 1 fact'

# What is wrong is said with its place, and nothing is taken in.
sed 's/"outcome": "crashed"/"outcome": "splendid"/' "$work/blur.json" > "$work/bad.json"
run 1 db import --database "$work/e.db" "$work/blur.json" "$work/bad.json"
err_has 'keys\[0\].sessions\[0\].measurements\[1\]: outcome.*splendid.*bad.json:13:'
run 0 db list --database "$work/e.db" --json; out_has '^\[\]'
sed 's/"version": 1,$/"version": 2,/' "$work/blur.json" > "$work/bad.json"
run 1 db import "$work/bad.json"; err_has 'version: .*newer'
echo '{"keys": []}' > "$work/bad.json"
run 1 db import "$work/bad.json"; err_has 'heddle tuning'
run 1 db import "$work/nowhere.json"; err_has 'nowhere.json'
run 1 db merge "$work/blur.json"; err_has 'no tuning database'
run 1 db merge "$work/nowhere.db"; err_has 'nowhere.db'
run 1 db export "$work/nofolder/x.json"; err_has 'nofolder'

# A damaged one: told when it is only read, set aside when it is written to.
head -c 9000 "$work/b.db" > "$work/half.db"
run 1 db list --database "$work/half.db"; err_has 'damaged'
run 0 db import --database "$work/half.db" "$work/blur.json"; err_has 'half.db.damaged-1'; out_has '^added 1 key'

# Away with it.
run 2 db prune; err_has 'older-than'
run 0 db prune --keep-best 1 --dry-run; out_has '^would remove 2 measurements from'
run 0 db prune --keep-best 1; out_has '^removed 2 measurements from'
run 0 db list; out_has 'blur .* 2  *1 ms'
run 0 db prune --older-than 36500; out_has '^removed nothing'
run 0 db prune --older-than 1 --json; out_is_json file action measurements; out_has '"measurements": 2'
run 0 db prune --kernel blur; out_has '^removed 1 key, 1 choice from'
run 2 db prune --installed --kernel blur; err_has 'only read'

# A larger file, of which only some pages are damaged: a tuning finds it, and its results are in the new one. 6,000 measurements, 1.1 MB.
large="$work/large/tuning.db"
{
    sed '/"sessions"/,$d' "$work/blur.json"
    echo '"sessions": [{"session": "0123456789abcdef0123456789abcdef", "settings": "auto", "version": "0.1.0", "begun": 1700000000, "measurements": ['
    awk 'BEGIN { for (n = 1; n <= 6000; n++) printf "%s{\"number\": %d, \"outcome\": \"measured\", \"config\": \"WG=64 TILE=1 AND_A_LONG_NAME_THAT_FILLS_THE_FILE_SOONER_%0100d=1\", \"seconds\": 1e-3, \"runs\": 7, \"build_seconds\": 0.5, \"at\": %d}\n", (n > 1 ? "," : ""), n, n, n }'
    echo ']}]}]}'
} > "$work/large.json"
run 0 db import --database "$large" "$work/large.json"; out_has '6000 measurements'
[ "$(wc -c < "$large")" -gt 1200000 ] || complain "the file is too small: $(wc -c < "$large")"
cp "$large" "$work/large/whole"
tune="tune heddle:transpose --problem width=64,height=64 --budget 2"
for page in 100 101 102 103 150 200 201 202 250 251 252 253; do
    head -c 4096 /dev/urandom | dd of="$large" bs=4096 seek=$page conv=notrunc 2> /dev/null
done
cp "$large" "$work/large/spoiled"
# shellcheck disable=SC2086 # words
HEDDLE_DATABASE=$large run 0 $tune; err_has "found damaged or removed: it was renamed to $large.damaged-1, and a new one is begun"; out_has "kept  *$large$"
cmp -s "$large.damaged-1" "$work/large/spoiled" || complain "another file was kept"
run 0 db list --database "$large"; out_has 'transpose'; err_is_empty
# What cannot be replaced: nothing is said to be there that is not, and the exit code is 1.
cp "$work/large/spoiled" "$large"
seq -f "$large.damaged-%.0f" 1000 | xargs touch
# shellcheck disable=SC2086
HEDDLE_DATABASE=$large run 1 $tune; err_has 'is damaged and cannot be renamed'; out_has 'kept  *nowhere: the database cannot be used'
rm -rf "$work/large"

# Only a file is a database.
mkfifo "$work/pipe.db"
run 1 db list --database "$work/pipe.db"; err_has 'pipe.db is not loaded: it is a pipe; expected a file'
# shellcheck disable=SC2086
HEDDLE_DATABASE=$work/pipe.db run 1 $tune; err_has 'it is a pipe; expected a file'; out_has 'kept  *nowhere: the database cannot be used'
[ "$(grep -c 'it is a pipe' "$work/err")" = 1 ] || complain "the warning is repeated: $(cat "$work/err")"
# shellcheck disable=SC2086
HEDDLE_DATABASE=none run 0 $tune; out_has 'kept  *nowhere'
! grep 'not loaded' "$work/err" || complain 'HEDDLE_DATABASE=none is not what fails'
# shellcheck disable=SC2086
HEDDLE_DATABASE=$work/pipe.db run 0 $tune --no-keep; out_has 'kept  *nowhere: --no-keep'

# A module for browsers: devices whose names have 300 characters and differ in the last ones are two, 64 have room, one more is refused.
cat > "$work/blur.wgsl" <<'WGSL'
/* heddle {"problem": {"n": 64}, "parameters": {"WG": [32, 64]}, "groups": ["n / WG"]} */
override WG: u32 = 64;
@group(0) @binding(0) var<storage, read_write> r: array<f32>;
@compute @workgroup_size(WG) fn blur(@builtin(global_invocation_id) id: vec3u) { r[id.x] = 1.0; }
WGSL
HEDDLE_DATABASE=$work/none.db run 0 serve "$work/blur.wgsl" --page "$work/page.html"
source=$(grep -o '"source":"[^"]*"' "$work/page.html" | head -1 | sed 's/.*:"//; s/"$//')
for count in 64 65; do
    awk -v source="$source" -v count=$count -v long="$(head -c 300 /dev/zero | tr '\0' d)" 'BEGIN {
        printf "{\"format\": \"heddle tuning\", \"version\": 1, \"keys\": ["
        for (n = 1; n <= count; n++)
            printf "%s{\"kernel\": \"blur\", \"source\": \"%s\", \"math\": \"fast\", \"objective\": \"time\", \"device\": {\"backend\": \"browser\", \"platform\": \"WebGPU\", \"name\": \"%s%03d\", \"vendor\": \"v%s\", \"type\": \"gpu\", \"architecture\": 7, \"compute_units\": 1}, \"driver\": \"a page\", \"compiler\": \"a page\", \"problem\": \"n=64\", \"sessions\": [{\"session\": \"%032d\", \"settings\": \"auto\", \"version\": \"0.1.0\", \"begun\": 1700000000, \"measurements\": [{\"number\": 1, \"outcome\": \"measured\", \"config\": \"WG=32\", \"seconds\": 1e-3, \"runs\": 7, \"build_seconds\": 0.5, \"at\": 1}]}]}", (n > 1 ? "," : ""), source, long, n, long, n
        printf "]}\n" }' > "$work/browsers.json"
    run 0 db import --database "$work/browsers-$count.db" "$work/browsers.json"; out_has "^added $count keys, $count measurements"
done
run 0 db export --database "$work/browsers-64.db" --shader "$work/blur.wgsl" "$work/blur.js"
[ "$(grep -o 'd[0-9][0-9][0-9]'"'" "$work/blur.js" | sort -u | wc -l)" = 64 ] || complain "not 64 devices in the module"
rm "$work/blur.js"
run 1 db export --database "$work/browsers-65.db" --shader "$work/blur.wgsl" "$work/blur.js"; err_has 'is device 65 that has measured blur; a module has at most 64'
[ ! -e "$work/blur.js" ] || complain "a module that lacks a device was written"

# Another text of the same name has no results of its own.
sed 's/r\[id.x\] = 1.0/r[id.x] = 2.0/' "$work/blur.wgsl" > "$work/blur2.wgsl"
run 1 db export --database "$work/browsers-64.db" --shader "$work/blur2.wgsl" "$work/blur2.js"; err_has 'no browser has measured this text of blur yet (found 64 measurements of other texts)'

# A number that was set and is no size of the problem tells results apart: a module has those of its own numbers alone.
sed 's/r: array<f32>;/r: array<f32>; struct P { gain: f32, offset: f32 } @group(0) @binding(1) var<uniform> p: P;/; s/= 1.0;/= p.gain + p.offset;/' "$work/blur.wgsl" > "$work/gain.wgsl"
HEDDLE_DATABASE=$work/none.db run 0 serve "$work/gain.wgsl" --page "$work/page.html"
gain=$(grep -o '"source":"[^"]*"' "$work/page.html" | head -1 | sed 's/.*:"//; s/"$//')
sed "s/\"kernel\": \"blur\"/\"kernel\": \"blur gain=3 offset=0.5\"/g; s/$source/$gain/g" "$work/browsers.json" > "$work/gain.json"
run 0 db import --database "$work/gain.db" "$work/gain.json"
run 1 db export --database "$work/gain.db" --shader "$work/gain.wgsl" "$work/gain.js"; err_has 'no browser has measured this text of blur yet'
run 1 db export --database "$work/gain.db" --shader "$work/gain.wgsl" --set offset=0.5 --set gain=4 "$work/gain.js"; err_has 'this text of blur gain=4 offset=0.5 yet'
run 1 db export --database "$work/gain.db" --shader "$work/gain.wgsl" --set offset=0.5 --set gain=3.0 "$work/gain.js"; err_has 'device 65 that has measured blur gain=3 offset=0.5;'

# The numbers of a shader's comment do so too: two values are two records, and each export has its own.
for number in 3 4; do
    sed "s/\"groups\": \[[^]]*\]/&, \"arguments\": [{\"name\": \"gain\", \"value\": $number}]/" "$work/gain.wgsl" > "$work/gain$number.wgsl"
    awk -v source="$gain" -v number=$number 'BEGIN {
        printf "{\"format\": \"heddle tuning\", \"version\": 1, \"keys\": [{\"kernel\": \"blur gain=%d\", \"source\": \"%s\", \"math\": \"fast\", \"objective\": \"time\", \"device\": {\"backend\": \"browser\", \"platform\": \"WebGPU\", \"name\": \"gpu of gain %d\", \"vendor\": \"v\", \"type\": \"gpu\", \"architecture\": 7, \"compute_units\": 1}, \"driver\": \"a page\", \"compiler\": \"a page\", \"problem\": \"n=64\", \"sessions\": [{\"session\": \"%032d\", \"settings\": \"auto\", \"version\": \"0.1.0\", \"begun\": 1700000000, \"measurements\": [{\"number\": 1, \"outcome\": \"measured\", \"config\": \"WG=32\", \"seconds\": 1e-3, \"runs\": 7, \"build_seconds\": 0.5, \"at\": 1}]}]}]}\n", number, source, number, number }' > "$work/gain$number.json"
    run 0 db import --database "$work/gains.db" "$work/gain$number.json"; out_has '^added 1 key, 1 measurement '
done
for number in 3 4; do
    run 0 db export --database "$work/gains.db" --shader "$work/gain$number.wgsl" "$work/gain$number.js"
    [ "$(grep -o "gpu of gain [0-9]" "$work/gain$number.js" | sort -u)" = "gpu of gain $number" ] || complain "gain $number: the module has the results of another number"
done

# The dashboard follows a database that others write, from before it is there on; Ctrl-C ends it.
if command -v python3 > /dev/null && "$heddle" doctor | grep -q '^microhttpd *works'; then
    rm -f "$work/live.db"
    HEDDLE_DATABASE="$work/live.db" "$heddle" serve > "$work/out" 2> "$work/err" &
    server=$!
    words=serve
    await "grep -q '^open ' '$work/out'"
    cat > "$work/ask.py" <<'PYTHON'
import json, sys, urllib.request
address, token = sys.argv[1].split("#")
where = address.replace("serve.html", "api/state")
state = json.load(urllib.request.urlopen(urllib.request.Request(where, headers={"Authorization": "Bearer " + token})))
kernels = [tuning["kernel"] for tuning in state["tunings"]]
shown = [measurement["tuning"] for measurement in state["measurements"]]
if len(sys.argv) > 2: print(*sorted({shown.count(i) for i in range(len(kernels))}))
else: print(len(kernels), max(kernels, default=None))
PYTHON
    address=$(sed -n 's/^open //p' "$work/out")
    shown() { python3 "$work/ask.py" "$address" 2>> "$work/err"; }
    [ "$(shown)" = "0 None" ] || complain "an empty dashboard shows something"
    "$heddle" db import --database "$work/live.db" "$work/blur.json" > /dev/null
    [ "$(shown)" = "1 blur" ] || complain "the dashboard does not see what was imported"
    [ "$(shown)" = "1 blur" ] || complain "the dashboard forgets"
    # a kernel whose name has 301 characters, and one that differs in the last: each has its own measurements
    for n in 1 2; do
        sed "s/\"blur\"/\"$(head -c 300 /dev/zero | tr '\0' k)$n\"/; s/\"begun\": [0-9]*/\"begun\": 180000000$n/; s/\"session\": \"./\"session\": \"$n/" "$work/blur.json" > "$work/named.json"
        "$heddle" db import --database "$work/live.db" "$work/named.json" > /dev/null
    done
    [ "$(shown)" = "3 $(head -c 300 /dev/zero | tr '\0' k)2" ] || complain "a long name is cut: $(shown)"
    python3 "$work/ask.py" "$address" measurements > "$work/out" 2>> "$work/err"
    [ "$(cat "$work/out")" = "$(grep -c '"outcome"' "$work/blur.json")" ] || complain "measurements of another kernel are shown"
    for n in 1 2; do "$heddle" db prune --database "$work/live.db" --kernel "$(head -c 300 /dev/zero | tr '\0' k)$n" > /dev/null; done
    "$heddle" db prune --database "$work/live.db" --kernel blur > /dev/null
    [ "$(shown)" = "0 None" ] || complain "the dashboard shows what was removed"
    kill -INT "$server"
    wait "$server" || complain "Ctrl-C is how it ends"
fi
exit "$failed"
