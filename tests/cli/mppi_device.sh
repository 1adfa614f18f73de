#!/bin/sh
# sh mppi_device.sh HEDDLE: `heddle mppi` on the device that HEDDLE_DEVICE names: every term and words of every kind of model, with the
# bits of host in strict mode; a robot of one's own, which is a text alone; wrong texts. Run by on_device.
heddle=$1
device=$HEDDLE_DEVICE
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE

cp "$(dirname "$0")"/../../data/mppi/room.* "$work/"
cat > "$work/all.json" << 'SCENE'
{ "model": "differential_drive",
  "terms": [{ "term": "quadratic" }, { "term": "barrier" }, { "term": "cosines" }, { "term": "goal" }, { "term": "goal_angle" },
            { "term": "costmap" }, { "term": "clearance" }, { "term": "obstacles" }, { "term": "path_align" }, { "term": "path_angle" },
            { "term": "path_follow" }, { "term": "prefer_forward" }, { "term": "twirling" }, { "term": "constraint" },
            { "term": "velocity_deadband" }, { "term": "speed" }],
  "map": { "yaml": "room.yaml" }, "obstacles": [{ "radius": 0.3, "points": [[2, 1], [2, 4]], "speed": 0.5 }],
  "path": { "points": [[0, 0], [1, 1], [3, 2]] }, "start": { "x": -1, "y": 3.5 },
  "controller": { "samples": 128, "steps": 20 }, "run": { "steps": 5 } }
SCENE
for scene in "$work/all.json" circle; do
    for where in host "$device"; do
        run 0 mppi run "$scene" --device "$where" --strict --steps 5 -n 128 -t 20 --json; err_is_empty
        grep '"hash"' "$work/out" > "$work/hash-$where"
    done
    cmp -s "$work/hash-host" "$work/hash-$device" || complain "heddle $words: other bits than on host"
done

# ---- a robot of one's own reaches its goal; a wrong text gets the compiler's words with its own line ----
run 0 mppi new "$work/my_robot"
run 0 mppi run "$work/my_robot/my_robot.json" --device "$device" --plot "$work/run.svg" --json; err_is_empty
grep -q '"device": "host"' "$work/out" && complain "a text ran on host"
for goal in 'x 6' 'y 4'; do
    found=$(sed -n "s/^ *\"${goal% *}\": \(.*[^,]\),*$/\1/p" "$work/out" | head -n 1)
    awk -v found="$found" -v wanted="${goal#* }" 'BEGIN { exit !((found - wanted) ^ 2 < 0.04) }' || complain "my_robot ends at ${goal% *} = $found"
done
[ "$(tail -n 1 "$work/run.svg")" = '</svg>' ] || complain "no picture of my_robot"
sed 's/P(drag)/P(dragg)/' "$work/my_robot/my_robot.h" > "$work/text" && mv "$work/text" "$work/my_robot/my_robot.h"
run 1 mppi run "$work/my_robot/my_robot.json" --device "$device"; out_is_empty; err_has 'my_robot.h[:(]10'; err_has 'dragg'
exit $failed
