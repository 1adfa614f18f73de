#!/bin/sh
# sh mppi_nav2.sh HEDDLE DATA: parameter files of Nav2 as a user brings them: import, a run to a goal and along a path, an
# obstacle on the path, wrong inputs.
heddle=$1
data=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE
params=$data/nav2_params.yaml

# ---- import ----
run 0 mppi import "$params" --map "$data/doorway.yaml"; err_is_empty
out_has '^read  *FollowPath.CostCritic.cost_weight  *3.81'; out_has '^without  *FollowPath.visualize'; out_has '140 x 90 cells'
out_has 'Nav2 1.5 (lyrical), DiffDrive, 2000 futures'; out_has ' 0 unknown$'
run 0 mppi import "$data/nav2_params_jazzy.yaml"; out_has 'Nav2 1.3/1.4 (jazzy)'; out_has ' 0 unknown$'
run 0 mppi import "$params" --json; out_is_json treatment key value line text
sed 's/cost_weight: 3.81/cost_wieght: 3.81/; s/vx_max: 0.5/vx_max: 1/' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^unknown  *FollowPath.CostCritic.cost_wieght .*did you mean cost_weight?'
out_has 'FollowPath.vx_max .*ROS 2 refuses a whole number'
printf '    FollowPath.AckermannConstrains.min_turning_r: 0.5\n' > "$work/tail"
sed '/^controller_server/,/ros__parameters/{ /ros__parameters/r '"$work/tail"'
}' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^unknown  *FollowPath.AckermannConstrains.min_turning_r .*did you mean AckermannConstraints?'
# of two controllers the one that the server loads; parameters beside the controller are named
sed 's/controller_plugins: \[FollowPath\]/controller_plugins: [Second]/; s/^    FollowPath:$/    AckermannConstraints: {min_turning_r: 1.0}\n    FollowPath: {plugin: "nav2_mppi_controller::MPPIController", vx_max: 0.9}\n    Second:/' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^read  *Second.vx_max  *0.5'; out_has '^without  *FollowPath.plugin .*another MPPI controller'
out_has '^unknown  *AckermannConstraints.min_turning_r .*expected below Second'
sed 's/controller_plugins: \[FollowPath\]/controller_plugins: [Other]/' "$params" > "$work/p.yaml"
run 1 mppi import "$work/p.yaml"; err_has 'controller_plugins of controller_server names none'
sed 's/temperature: 0.3/temperature: warm/' "$params" > "$work/p.yaml"
run 1 mppi import "$work/p.yaml"; out_is_empty; err_has 'p.yaml:[0-9]*: FollowPath.temperature: expected a number, found "warm"'
sed 's/nav2_mppi_controller::MPPIController/dwb_core::DWBLocalPlanner/' "$params" > "$work/p.yaml"
run 1 mppi import "$work/p.yaml"; err_has 'no controller with plugin nav2_mppi_controller.*FollowPath is dwb_core'
sed 's/controller_frequency: 20.0/controller_frequency: 10.0/; s/critical_cost: 300.0/critical_cost: 3e99/' "$params" > "$work/p.yaml"
run 1 mppi import "$work/p.yaml"; err_has 'p.yaml:[0-9]*: FollowPath.CostCritic.critical_cost: 3e99; expected a number from -1e+09 to 1e+09'
sed 's/controller_frequency: 20.0/controller_frequency: 10.0/; s/critics: \[/critics: [CostCritic, /; s/ax_min: -3.0/ax_min: 3.0/; s/consider_footprint: false, near/consider_footprint: true, near/' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^unknown  *controller_frequency .*above model_dt, 0.05 s: Nav2 refuses'; out_has '^unknown  *critics  *CostCritic .*twice in the list'
out_has '^unknown  *FollowPath.ax_min .*use its negative'; out_has '^unknown  *FollowPath.CostCritic.consider_footprint .*refuses to start with robot_radius'
printf 'a: [1\n' > "$work/p.yaml"
run 1 mppi import "$work/p.yaml"; err_has 'p.yaml:[0-9]*:[0-9]*: not YAML'
# Merge keys: the map's own members count before merged ones, and an earlier map before a later one.
cat > "$work/p.yaml" << 'YAML'
slow: &slow {vx_max: 0.7, vx_min: -0.1, vx_std: 0.3}
fast: &fast {vx_max: 0.9, wz_max: 1.0}
controller_server:
  ros__parameters: &server
    controller_frequency: 20.0
    FollowPath:
      plugin: "nav2_mppi_controller::MPPIController"
      vx_std: 0.25
      <<: [*slow, *fast]
      critics: ["GoalCritic"]
YAML
run 0 mppi import "$work/p.yaml"; out_has '^read  *FollowPath.vx_max  *0.7'; out_has '^read  *FollowPath.vx_min  *-0.1'; out_has '^read  *FollowPath.wz_max  *1.0'
out_has '^read  *FollowPath.vx_std  *0.25'; ! grep -q '<<\|again' "$work/out" || complain "a merged key is no parameter: $(grep '<<\|again' "$work/out")"
echo '/robot2/controller_server: {ros__parameters: {<<: *server, FollowPath: {vx_min: -0.9}}}' >> "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^read  *FollowPath.vx_min  *-0.1'; out_has '^unknown  *robot2/controller_server .*of another robot: controller_server is read'
echo 'controller_server: {ros__parameters: {FollowPath: {vx_max: 0.6}}}' >> "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^read  *FollowPath.vx_max  *0.6'; out_has '^unknown  *FollowPath.vx_max  *0.7 .*given again in line 12, which counts'
printf 'a: &a 1\nb: {<<: *a}\n' > "$work/p.yaml"; run 1 mppi import "$work/p.yaml"; err_has 'p.yaml:2:[0-9]*: merge key << without a map'

# ---- run ----
run 0 mppi run "$params" --map "$data/pillars.yaml" --start 5.2,2.2,0.5 --goal 6.4,3.9,1 --json --csv "$work/log.csv" --plot "$work/run.svg"
err_is_empty; out_is_json arrived seconds touched failures critics; out_has '"arrived": true'; out_has '"touched": false'
[ "$(tail -n 1 "$work/run.svg")" = '</svg>' ] || complain "the picture is not whole"
[ "$(wc -l < "$work/log.csv")" = "$(($(sed -n 's/^ *"steps": \([0-9]*\).*/\1/p' "$work/out") + 1))" ] || complain "the log has other rows than the run"
run 0 mppi run "$params" --map "$data/pillars.yaml" --path "$data/pillars_path.csv" --disc 3.68,1.73,0.2 -n 1000
out_has 'no contact of the footprint'; out_has 'led around obstacles [1-9]'
run 1 mppi run "$params" --map "$data/pillars.yaml" --path "$data/pillars_path.csv" --steps 10; out_has '^not arrived'
run 0 mppi run "$params" --map "$data/pillars.yaml" --start 5.2,2.2,0.5 --goal 6.4,3.9,1 --set CostCritic.cost_weight=3 --set vx_max=0.4 -t 50; out_has 'of 50 steps'
# gates leave five of the eight critics active; thresholds switch all of them on
run 1 mppi run "$params" --map "$data/doorway.yaml" --path "$data/doorway_path.csv" --steps 40 -n 100; out_has 'critics active in a cycle: [45]\.'
run 1 mppi run "$params" --map "$data/doorway.yaml" --path "$data/doorway_path.csv" --steps 40 -n 100 --set GoalCritic.threshold_to_consider=100 --set GoalCritic.cost_weight=0.0001 --set GoalAngleCritic.threshold_to_consider=100 --set GoalAngleCritic.cost_weight=0.0001 --set PathAngleCritic.max_angle_to_furthest=0; out_has 'critics active in a cycle: [78]\.'
# goal checkers: one without an angle, one for a robot with two fronts, a distance that is lost again, one that Heddle does not have
turned="--map $data/pillars.yaml --start 6.4,3.9,-2.1 --goal 6.4,3.9,1 -n 500"
sed 's/SimpleGoalChecker/PositionGoalChecker/' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^read  *general_goal_checker.plugin .*angle at the goal does not count'
# shellcheck disable=SC2086
{
    run 0 mppi run "$work/p.yaml" $turned --steps 1
    run 1 mppi run "$params" $turned --steps 1
    run 0 mppi run "$params" $turned --steps 1 --set symmetric_yaw_tolerance=true
    run 0 mppi run "$params" $turned --steps 100 --set xy_goal_tolerance=0.001
    run 1 mppi run "$params" $turned --steps 100 --set xy_goal_tolerance=0.001 --set xy_goal_tolerance_buffer=0.0001
    run 0 mppi run "$params" $turned --steps 100 --set xy_goal_tolerance=0.001 --set xy_goal_tolerance_buffer=1
}
sed 's/SimpleGoalChecker/AxisGoalChecker/' "$params" > "$work/p.yaml"
run 0 mppi import "$work/p.yaml"; out_has '^unknown  *general_goal_checker.plugin .*rules of SimpleGoalChecker'

# outcomes of Nav2's server: patience with a robot that cannot move, and a rest beside the goal
blocked="--map $data/pillars.yaml --start 0.6,0.6,1.2 --goal 6.4,3.9,1 --disc 0.6,0.6,0.3"
# shellcheck disable=SC2086
run 1 mppi run "$params" $blocked; out_has 'not arrived after 0.35 s'; out_has 'aborts here: PatienceExceeded (failure_tolerance 0.3 s)'
# shellcheck disable=SC2086
run 1 mppi run "$params" $blocked --set failure_tolerance=0 --json; out_has '"aborted": "NoValidControl"'; out_has '"steps": 1'
# shellcheck disable=SC2086
run 1 mppi run "$params" $blocked --set failure_tolerance=-1 --steps 30; out_has 'not arrived after 1.50 s'; out_has ' 30 cycles without a valid control'
run 1 mppi run "$params" --map "$data/pillars.yaml" --start 5.9,2.6,1 --goal 6.3,3.7,0 --steps 500 -n 500; out_has 'at rest since .* from the goal (tolerances 0.25 m, 0.25 rad)'
run 1 mppi run "$params" --map "$data/pillars.yaml" --start 0.6,0.6,1.2 --goal 6.4,3.9,1 --steps 400 -n 200 --set vx_max=0.03; out_has 'within 0\.5 m since .* creeps'

# ---- wrong inputs ----
run 2 mppi run "$params"; err_has 'no map: give --map'
run 2 mppi run "$params" --map "$data/pillars.yaml"; err_has 'nowhere to go: give --goal X,Y,YAW or --path'
run 2 mppi run "$params" --map "$data/pillars.yaml" --goal 1,2; err_has 'expected X,Y,YAW'
run 2 mppi run "$params" --map "$data/pillars.yaml" --goal 60,2,0 --start 1,1,0; err_has 'no path from 1,1 to 60,2'
run 2 mppi run "$params" --map "$data/pillars.yaml" --goal 6.4,3.9,1 --set vx_maxx=1; err_has 'no parameter "vx_maxx"'
run 2 mppi run "$params" --map "$data/pillars.yaml" --goal 6.4,3.9,1 --rate 20; err_has 'option of scenes'

exit $failed
