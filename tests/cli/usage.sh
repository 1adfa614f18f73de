#!/bin/sh
# sh usage.sh HEDDLE SOURCE: wrong command lines end with 2, endings of names are those of what is written, what is interrupted tells what is
# kept, and printed commands run.
heddle=$1
root=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none
export XDG_DATA_HOME="$work/data" XDG_CACHE_HOME="$work/cache"
mkdir "$work/here"
cd "$work/here" || exit 1
echo '<!doctype html><p class=x>' > p.html
echo '.x { a: b }' > a.css
cp "$root"/data/scenes/cushion.* "$root/data/scenes/table.obj" "$root/data/scenes/body.obj" "$root/data/instruments/vibes.json" "$root"/examples/tune/blur.* .

# ---- endings of another format ----
while read -r ending name words; do
    # shellcheck disable=SC2086  # words are words
    run 2 $words "$name"
    out_is_empty
    err_has "$name: expected a name that ends with .*$ending"
    [ ! -e "$name" ] || complain "heddle $words $name: it was written"
done << 'LINES'
.svg x.png mppi run cartpole --steps 1 --plot
.csv x.svg mppi run cartpole --steps 1 --csv
.png a.jpg synth render vibes.json --spectrogram
.png a.svg cloth check table.obj --picture
.glb a.gltf cloth run cushion.json --frames 1 --glb
.pc2 a.abc cloth run cushion.json --frames 1 --out
.obj a.fbx cloth drape table.obj --over body.obj --out
.html r.pdf tune heddle:copy --report
.csv r.json tune heddle:copy --csv
.json r.csv tune heddle:copy --t4
.html r.PNG css unused p.html --css a.css --report
.html r.css serve blur.wgsl --page
.json r.ank synth import blur.json --out
.json r.csv db export
.html r.css batch l.json --page
LINES
run 0 mppi run cartpole --steps 1 --plot PICTURE.SVG
run 0 mppi run cartpole --steps 1 --plot picture-0.5

# ---- names that select nothing, and other wrong command lines ----
run 2 cloth bench --device host --only nothing; out_is_empty; err_has '--only nothing: no sheet'
run 2 synth bench --device host --only nothing; out_is_empty; err_has '--only nothing: no instrument'
run 2 css bench --device host --case nothing; out_is_empty; err_has '--case nothing: there is no such case'
run 2 mppi bench --device host --problem nothing; out_is_empty; err_has '--problem nothing: there is none'
run 2 mppi bench --device host --solver nothing; out_is_empty; err_has '--solver nothing: there is none'
run 2 css unused p.html --css a.css --fail-over few
run 2 serve blur.wgsl; err_has '--page'
run 2 tune blur.json --device host --input out; err_has '--input out: expected NAME=FILE'
run 2 mppi run cartpole --steps 1 --set mass; run 2 mppi run cartpole --steps 1 --push 1; run 2 mppi new Not-A-Name
run 2 synth render vibes.json --stems --json

while read -r message words; do
    # shellcheck disable=SC2086  # words are words
    run 2 $words
    out_is_empty
    err_has "^heddle: .*$message"
done << 'LINES'
"cartpol" mppi run cartpol
"cartpol" mppi tune cartpol
--set.foo=1:.cartpole.has.no.such.parameter mppi run cartpole --steps 1 --set foo=1
--set.mass.0=1:.cartpole.has.no.such mppi run cartpole --steps 1 --set mass.0=1
--property.colour: css match p.html a.css --property colour
--property.margin: css match p.html a.css --property margin
--nth.4:.1.element.of.p.html css explain p.html a.css p --nth 4
none.of.*elements.matches css explain p.html a.css .gone
no.selector css explain p.html a.css ..
--out.x.mp7:.expected.a.name.that.ends.with synth render vibes.json -o x.mp7
--out.x:.expected.a.name.that.ends.with synth render vibes.json -o x
"heddle:nothing" tune heddle:nothing
"heddle:nothing" sweep heddle:copy heddle:nothing
"nothing" data nothing
LINES
for words in 'cloth run cushion.json --frames 1' 'cloth drape table.obj --over body.obj --out d.obj' 'cloth tune cushion.json' 'cloth bench' \
    'synth render vibes.json --json' 'synth check vibes.json' 'synth tune vibes.json' 'synth bench' 'mppi run cartpole' 'mppi tune cartpole' \
    'mppi bench' 'css match p.html a.css' 'css cost p.html a.css' 'css bench' 'tune heddle:copy' 'sweep heddle:copy' verify 'cache warm' \
    'bench kernels' 'bench runtime' 'bench pack'; do
    # shellcheck disable=SC2086
    run 2 $words --device nothing; out_is_empty; err_has '^heddle: --device nothing: no device fits "nothing"; there are: host'
done
HEDDLE_DEVICE=nothing run 1 verify; err_has 'HEDDLE_DEVICE' # not of the command line
run 1 synth render vibes.json -o note.wav --spectrogram missing/note.png; err_has '^heddle: cannot write --spectrogram missing/note.png: No such file'; [ ! -e note.wav ] || complain "heddle $words: a sound was rendered"
run 1 css match missing.html a.css; run 1 cloth run ./cushion; run 1 mppi run missing.json # files

# ---- nothing to export ----
"$heddle" db import --database t.db "$root"/data/tuning/*.json > "$work/out" 2>&1 || complain "heddle db import"
run 1 db export --database t.db none.json --kernel nothing; out_is_empty; err_has 'none.json is not written'; [ ! -e none.json ] || complain "a file of nothing"
run 1 db export --database t.db none.json --choices --device nothing; [ ! -e none.json ] || complain "a file of nothing"
run 0 db export --database t.db some.json --choices

# ---- help ----
run 0 batch --help; grep -A1 '^Commands:$' "$work/out" | grep -q '^$' && complain "heddle batch --help: no command after Commands:"
grep -q 'or: heddle batch COMMAND\|help COMMAND' "$work/out" && complain "heddle batch --help: it names commands that it does not show"
run 0 tune --help; out_has '^Commands:$'; out_has '^  replay'

# ---- a robot's folder: printed commands run here ----
export CC=none
run 0 mppi new robot; out_has 'the scene needs a C compiler (Debian: apt install gcc) or a GPU, and there is neither here'
run 1 mppi run robot/robot.json; err_has 'CC is "none", which is no program; on Debian: apt install gcc'
grep '^  heddle ' "$work/out" && complain "a command that cannot run here was printed"
unset CC
run 0 mppi new other
sed -n 's/^  heddle \(mppi run .*\)/\1/p' "$work/out" > line
if [ -s line ]; then
    # shellcheck disable=SC2046  # words are words
    run 0 $(sed 's/run.svg/run.svg --steps 2/' line)
    [ -s run.svg ] || complain "heddle $words: no picture"
fi

# ---- interrupted: what is kept ----
"$heddle" cloth drape table.obj --over body.obj --out d.obj --seconds 900 --device host > "$work/out" 2> "$work/err" &
process=$!
words='cloth drape, interrupted'
await_handler 15 $process
await_work $process
kill $process
code=0
wait $process || code=$?
[ "$code" = 130 ] || [ "$code" = 0 ] || complain "heddle $words: exit code $code instead of 130"
[ "$code" = 0 ] || err_has 'interrupted after .* d.obj is not written'
exit $failed
