#!/bin/sh
# sh mppi.sh HEDDLE: `heddle mppi` as a user runs it, on host alone: figures, log and picture of a run, wrong inputs, Ctrl-C.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE

# value KEY: the first number behind "KEY": in the JSON on stdout.
value() { sed -n "s/^ *\"$1\": \(.*[^,]\),*$/\1/p" "$work/out" | head -n 1; }
# A picture is whole and well-formed.
svg_is_whole() {
    [ "$(tail -n 1 "$1")" = '</svg>' ] || complain "$1 is not whole"
    if command -v python3 > /dev/null; then
        python3 -c 'import sys, xml.dom.minidom; xml.dom.minidom.parse(sys.argv[1])' "$1" || complain "$1 is not XML"
    fi
    ! grep -q -e nan -e inf "$1" || complain "$1 holds a number that is none"
}

# ---- what it says of itself ----
run 2 mppi; out_is_empty; err_has 'run, '
run 2 mppi run; out_is_empty; err_has 'name a model or a scene'
run 0 mppi models; err_is_empty; out_has '^model  cartpole '; out_has '  gravity  *9.81 .*m/s^2'; out_has '^term   quadratic '
run 0 mppi models --json; out_is_json kind name summary parameters
run 0 mppi models cartpole; out_has '^model  cartpole'; [ "$(grep -c '^model\|^term' "$work/out")" = 1 ] || complain "more than one model"
run 2 mppi models nothing; out_is_empty; err_has 'no model or term "nothing"'
run 0 mppi models --text cartpole; out_has 'void model_step(float \*x'
run 2 mppi models --text nothing; out_is_empty; err_has 'no model or term "nothing"'

# ---- a run: the pole stands, the log and the picture are there ----
run 0 mppi run cartpole --csv "$work/log.csv" --plot "$work/run.svg" --json; err_is_empty
out_is_json model controller device solver samples horizon steps state cost ess solve_ms missed hash
out_has '"steps": 1000'; out_has '"interrupted": false'
awk -v theta="$(value theta)" -v x="$(value x)" 'BEGIN { exit !((theta - 3.14159265) ^ 2 < 0.0004 && (x + 20) ^ 2 < 0.01) }' ||
    complain "the pole does not stand at -20 m: x $(value x), theta $(value theta)"
head -n 1 "$work/log.csv" | grep -q '^step,time,x,velocity,theta,rate,force,cost,free_energy,ess,crashed,lambda,solve_us,missed,outcome$' ||
    complain "the log begins with $(head -n 1 "$work/log.csv")"
awk -F, 'NR > 1 && ($1 != NR - 2 || ($2 - 0.01 * $1) ^ 2 > 1e-10 || NF != 15 || $15 != "solved" || $13 <= 0) { bad = 1 } END { exit bad || NR != 1001 }' "$work/log.csv" ||
    complain "the log is not of 1000 steps"
svg_is_whole "$work/run.svg"
grep -q '>theta</text>' "$work/run.svg" || complain "no strip of the angle in the picture"

# ---- options change what they say; a seed is the whole of chance ----
hash_of() { run 0 mppi run cartpole --steps 20 -n 256 -t 30 --json "$@"; hash=$(value hash); }
hash_of --seed 7; first=$hash
out_has '"samples": 256'; out_has '"horizon": 30'; out_has '"steps": 20'; out_has '"seed": 7'
hash_of --seed 7; [ "$hash" = "$first" ] || complain "one seed, two runs: $first and $hash"
hash_of --seed 7 --threads 1; [ "$hash" = "$first" ] || complain "one seed, another number of threads: $first and $hash"
hash_of --seed 8; [ "$hash" != "$first" ] || complain "two seeds, one run"
hash_of --seed 7 --set length=0.5; [ "$hash" != "$first" ] || complain "--set length=0.5 changes nothing"
hash_of --seed 7 --set quadratic.goal.x=3; [ "$hash" != "$first" ] || complain "--set quadratic.goal.x=3 changes nothing"
run 0 mppi run double_integrator --steps 30 --plot "$work/plane.svg"; err_is_empty
out_has '^double_integrator: 30 steps of 0.02 s on host (mppi, cpu, '; out_has '^a solve: p50 .* p99 .* max '; out_has '^last state: x '; out_has 'plane.svg: the picture'
svg_is_whole "$work/plane.svg"

# ---- against the clock: nothing is allocated in the loop ----
run 0 mppi bench --device host --problem cartpole --solver cpu --samples 64 --solves 20 --rate 200 --json; err_is_empty
out_is_json device problem samples solver rate_hz solves median_us p99_us max_us missed allocations misses
out_has '"solves": 20'; out_has '"allocations": 0'
run 0 mppi bench --device host --problem cartpole --solver cpu --samples 64 --solves 20 --stages --json; err_is_empty
out_is_json device problem samples solver math range solves percent mean_us submit_us wait_us finish_us gap_us switched
run 0 mppi bench --device host --problem nav2 --samples 64 --solves 5 --json; err_is_empty
out_is_json device problem samples critics segments median_us p99_us max_us min_us
out_has '"critics": 8'; out_has '"critics": 5'

# ---- a robot of one's own: on host a C compiler makes lanes of its texts ----
run 0 mppi new "$work/my_robot"; err_is_empty; out_has 'my_robot: a model, a term, a scene and a program'
[ "$(cd "$work/my_robot" && echo *)" = 'CMakeLists.txt README.md keep_out.h main.c my_robot.h my_robot.json' ] || complain "other files: $(ls "$work/my_robot")"
! grep -r '@' "$work/my_robot" || complain "a template is not filled in"
if command -v cc > /dev/null || command -v gcc > /dev/null || command -v clang > /dev/null; then
    run 0 mppi run "$work/my_robot/my_robot.json" --device host; err_is_empty; out_has '200 steps of 0.05 s on host (mppi, cpu, '; out_has 'last state: x \(5.9\|6\|6.0\)'
    run 0 mppi run "$work/my_robot/my_robot.json" --device host --controller tube --steps 20; err_is_empty
    run 0 mppi run "$work/my_robot/my_robot.json" --device host --plant drag=0.5 --steps 20; err_is_empty
    sed 's/x\[2\] += dt \* u\[1\];/x[2] += dt * u[1]/' "$work/my_robot/my_robot.h" > "$work/my_robot/broken.h"
    sed 's/"my_robot.h"/"broken.h"/' "$work/my_robot/my_robot.json" > "$work/broken.json"; mv "$work/broken.json" "$work/my_robot"
    run 1 mppi run "$work/my_robot/broken.json" --device host; out_is_empty; err_has 'broken.h does not compile with .*: broken.h:9:[0-9]*: error: '
    rm "$work/my_robot"/broken.*
fi
CC=none run 1 mppi run "$work/my_robot/my_robot.json" --device host; out_is_empty; err_has 'CC is "none", which is no program; on Debian: apt install gcc'
run 1 mppi new "$work/my_robot"; err_has 'File exists'
(
    ulimit -f 1 # blocks of 512 bytes: a file above it cannot be written
    trap '' XFSZ
    run 1 mppi new "$work/full"; err_has 'cannot write'
    exit $failed
) || failed=1
[ ! -e "$work/full" ] || complain "a part of a robot was left: $(ls "$work/full")"
run 2 mppi new "$work/My-Robot"; err_has 'a-z, 0-9 and _'
[ ! -e "$work/My-Robot" ] || complain "a folder of a name that was refused"
run 0 mppi run --schema; out_has '"title": "Heddle mppi scene"'; err_is_empty
run 1 mppi run "$work/nothing.json"; out_is_empty; err_has 'nothing.json'
cat > "$work/pole.json" << 'SCENE'
{ "model": "cartpole", "terms": [{ "term": "quadratic", "parameters": { "goal": { "theta": 3.14159265 }, "state": [1, 1, 20, 1] } }],
  "start": { "x": 1 }, "controller": { "samples": 128, "steps": 40 }, "run": { "steps": 7 } }
SCENE
run 0 mppi run "$work/pole.json" --csv "$work/pole.csv" --json; err_is_empty; out_has '"steps": 7'; out_has '"horizon": 40'; out_has '"samples": 128'
[ "$(sed -n '2s/^0,0,\([^,]*\),.*/\1/p' "$work/pole.csv")" = 1 ] || complain "a scene's start is not where the run begins"
run 0 mppi run "$work/pole.json" -n 64 --steps 3 --set pole=2 --json; out_has '"samples": 64'; out_has '"steps": 3'
# The scene of docs/mppi-scene.md, with the room of data/mppi.
root=$(dirname "$0")/../..
awk '/^```json$/ { inside = 1; next } /^```$/ { inside = 0 } inside' "$root/docs/mppi-scene.md" > "$work/doc.json"
cp "$root"/data/mppi/room.* "$work/"
run 0 mppi run "$work/doc.json" --json --plot "$work/doc.svg"; err_is_empty; out_has '"outcomes": {'
awk -v x="$(value x)" -v y="$(value y)" 'BEGIN { exit !((x - 4) ^ 2 + (y - 3) ^ 2 < 0.01) }' || complain "the scene of docs/mppi-scene.md ends at $(value x), $(value y)"
svg_is_whole "$work/doc.svg"; grep -q '>doc.json</text>' "$work/doc.svg" || complain "the picture has another title"
# A fleet: each robot at its own goal; a row a step and robot; a plane for each.
run 0 mppi run "$root/data/mppi/fleet.json" -n 512 --plot "$work/fleet.svg" --csv "$work/fleet.csv"; err_is_empty; out_has 'robot 8, last state: x 6\.[23]'
out_has 'robot 0, last state: x 4\.[23]'; [ "$(wc -l < "$work/fleet.csv")" = 4051 ] || complain "a fleet's CSV has $(wc -l < "$work/fleet.csv") lines"
svg_is_whole "$work/fleet.svg"; grep -q '>9 robots, ' "$work/fleet.svg" || complain "the picture of a fleet lacks its number of robots"
run 0 mppi run "$root/data/mppi/fleet.json" -n 64 --steps 2 --json; [ "$(grep -c '"heading"' "$work/out")" = 10 ] || complain "the fleet's states are not in the JSON"
sed 's/"theta"/"thetta"/' "$work/pole.json" > "$work/wrong.json"
run 1 mppi run "$work/wrong.json"; out_is_empty; err_has 'thetta.*wrong.json:1:'

# ---- texts of one's own that come with Heddle reach their goals; MuJoCo's models ----
if command -v cc > /dev/null || command -v gcc > /dev/null || command -v clang > /dev/null; then
    near() { awk "BEGIN { exit !(sqrt(($1) ^ 2 + ($2) ^ 2) < $3) }" || complain "heddle $words: the end is $1, $2 away from the goal"; }
    run 0 mppi run "$root/data/mppi/arm.json" --device host --json -n 1024; err_is_empty
    near "0.5 * sin($(value shoulder)) + 0.4 * sin($(value shoulder) + $(value elbow)) - 0.4" \
        "-0.5 * cos($(value shoulder)) - 0.4 * cos($(value shoulder) + $(value elbow)) - 0.5" 0.1
    run 0 mppi run "$root/data/mppi/tyres.json" --device host --json -n 512 --steps 250; err_is_empty; near "$(value x) - 60" "$(value y)" 2
    run 0 mppi run "$root/data/mppi/wind.json" --device host --json -n 512; err_is_empty; near "$(value x) - 6" "$(value y) - 4" 1
    near "$(value z) - 2" 0 0.5
    if "$heddle" doctor | grep -q '^mujoco  *works' && [ -f /usr/include/mujoco/mujoco.h ]; then
        run 0 mppi run "$root/data/mppi/mujoco/cart.xml" --seconds 0.2 -n 32 --json --plot "$work/cart.svg"; err_is_empty
        out_has '"steps": 10,'; out_has '"theta": '; svg_is_whole "$work/cart.svg"
        run 0 mppi run "$root/data/mppi/mujoco/walker.xml" --steps 4 -n 32 --csv "$work/walker.csv"; err_is_empty; out_has 'root_x '
        echo nothing > "$work/wrong.xml"; run 1 mppi run "$work/wrong.xml"; out_is_empty; err_has 'wrong.xml: MuJoCo does not load it: '
    fi
    HEDDLE_MUJOCO_LIBRARY=none run 1 mppi run "$root/data/mppi/mujoco/cart.xml"; out_is_empty; err_has 'apt install libmujoco-dev'
fi

# ---- models by name, and the car among others ----
for model in dubins circle double_integrator; do
    run 0 mppi run $model --steps 12 -n 128 --plot "$work/$model.svg"; err_is_empty; out_has "^$model: 12 steps"
    svg_is_whole "$work/$model.svg"
done
run 0 mppi run "$root/data/mppi/car.json" --steps 40 -n 256 --plot "$work/car.svg"; err_is_empty; svg_is_whole "$work/car.svg"
grep -q 'class="obstacle"' "$work/car.svg" || complain "no other cars in the picture"
grep -q 'data:image/png;base64' "$work/car.svg" || complain "no map in the picture"
# near KEY VALUE [DISTANCE]: within 0.15, or the distance.
near() { awk -v found="$(value "$1")" -v wanted="$2" -v within="${3:-0.15}" 'BEGIN { exit !((found - wanted) ^ 2 < within ^ 2) }' || complain "heddle $words: $1 is $(value "$1") instead of $2"; }
run 0 mppi run pendulum --json; near angle 3.14159 0.35 # red noise keeps it moving
run 0 mppi run differential_drive --json; near x 3.5; near y 3; near heading 1.57
run 0 mppi run quadrotor --json; near x 1; near y 1; near z 2
for kind in tube rmppi; do
    run 0 mppi run double_integrator --controller $kind --steps 12 --json; err_is_empty; out_has "\"controller\": \"$kind\""
done
run 0 mppi run network --steps 1
run 1 mppi tune cartpole; err_has 'nothing to choose'

# ---- a plant that is not what the controller knows: gusts, a push, another pole ----
# off_track: rows of the log off the track and its verge, 1.675 to 2.325 m
off_track() { awk -F, 'NR > 1 { r = sqrt($3 ^ 2 + $4 ^ 2); n += r < 1.675 || r > 2.325 } END { print n + 0 }' "$work/gusts.csv"; }
for kind in mppi tube rmppi; do
    run 0 mppi run -q gusts --controller $kind --csv "$work/gusts.csv"; err_is_empty
    if [ $kind = mppi ]; then [ "$(off_track)" -gt 0 ] || complain "MPPI alone should leave track and verge in gusts"
    else [ "$(off_track)" = 0 ] || complain "$kind leaves the track in $(off_track) steps"; fi
done
run 0 mppi run gusts --steps 30 --seed 5 --json; first=$(value hash)
run 0 mppi run gusts --steps 30 --seed 5 --json; [ "$(value hash)" = "$first" ] || complain "one seed, two runs in gusts"
run 0 mppi run gusts --steps 30 --seed 5 --disturb vx=0 --json; [ "$(value hash)" != "$first" ] || complain "--disturb vx=0 changes nothing"
hash_of --seed 7 --plant length=0.5; [ "$hash" != "$first" ] || complain "--plant length=0.5 changes nothing"
run 0 mppi run cartpole --steps 3 --push 0.01:x=7 --csv "$work/push.csv"
[ "$(awk -F, 'NR > 2 { print ($3 > 6) }' "$work/push.csv" | tr -d '\n')" = 01 ] || complain "a push at 0.01 s: $(cut -d, -f 3 "$work/push.csv")"
run 2 mppi run cartpole --steps 1 --plant lenth=2; out_is_empty; err_has 'no such parameter'
run 2 mppi run cartpole --steps 1 --plant quadratic.goal.x=2; err_has 'no such parameter'
run 2 mppi run cartpole --steps 1 --plant length; err_has 'expected NAME=VALUE'
run 2 mppi run cartpole --steps 1 --disturb theta=-1; err_has 'STATE=SIGMA.*states of cartpole: x, velocity, theta, rate'
run 2 mppi run cartpole --steps 1 --push x=1; err_has 'SECONDS:STATE=CHANGE'

# ---- real time ----
run 0 mppi run cartpole --steps 20 -n 64 -t 10 --rate 100 --json; out_has '"deadline_ms": 10.0'
run 0 mppi run cartpole --steps 5 -n 4096 --rate 10000; out_has '; [1-5] of 5 missed the deadline of 0.1 ms'

# ---- wrong inputs ----
run 2 mppi run cartpol; out_is_empty; err_has 'no model "cartpol".*did you mean cartpole?.*cartpol.json'
run 2 mppi run cartpole --set nothing=1; out_is_empty; err_has 'nothing'
run 2 mppi run cartpole --set mass; err_has 'expected NAME=VALUE'
run 2 mppi run cartpole --set cart=heavy; err_has 'expected NAME=VALUE'
run 2 mppi run cartpole --set cart=nan; err_has 'expected NAME=VALUE'
run 2 mppi run cartpole -n 0; err_has 'expected a whole number from 1'
run 2 mppi run cartpole -t 0; err_has 'expected a whole number from 1 to 1024'
run 2 mppi run cartpole --controller best; err_has 'mppi, tube, rmppi'
run 1 mppi run cartpole --solver resident --steps 1; out_is_empty; err_has 'host'
run 1 mppi run cartpole --steps 1 --csv "$work/no/log.csv"; err_has 'no/log.csv'
run 1 mppi run cartpole --steps 1 --plot "$work/no/run.svg"; err_has 'no/run.svg'
run 2 mppi run cartpole --device nothing; err_has 'no device fits "nothing"'

# ---- Ctrl-C: what was done is kept ----
"$heddle" mppi run cartpole --steps 1000000 --csv "$work/part.csv" --plot "$work/part.svg" > "$work/out" 2> "$work/err" &
pid=$!
words="mppi run, interrupted"
await_handler 2 $pid
await_work $pid
kill -INT $pid
code=0
wait $pid || code=$?
[ $code = 130 ] || complain "heddle $words: exit code $code instead of 130"
err_has 'interrupted after step [0-9]* of 1000000'; out_has '^cartpole: [1-9][0-9]* steps of '
svg_is_whole "$work/part.svg"
[ "$(($(wc -l < "$work/part.csv") - 1))" = "$(sed -n 's/^cartpole: \([0-9]*\) steps.*/\1/p' "$work/out")" ] || complain "the log has other steps than the summary"

exit $failed
