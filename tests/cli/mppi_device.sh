#!/bin/sh
# sh mppi_device.sh HEDDLE: `heddle mppi` on the device that HEDDLE_DEVICE names: every term and words of every kind of model, with the
# bits of host in strict mode; run by on_device.
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
exit $failed
