#!/bin/sh
# MPPI on the best device of this machine. Short: a car on a track among others. Long: also a pole that is swung up, a
# pendulum, a quadrotor, a robot on two wheels, and the three controllers on a track. `heddle` is on the PATH.
set -eu
# shellcheck source=examples/demo/show.sh
. "$(dirname "$0")/show.sh"

control() { # NAME SCENE WORDS OPTIONS...
    name=$1 scene=$2 words=$3
    shift 3
    say "$words"
    keep "mppi-$name.txt" heddle mppi run "$scene" --plot "$out/mppi-$name.svg" "$@"
    show "mppi-$name.svg" "$words"
    show "mppi-$name.txt" "${words%.}: figures."
}

control car "$data/mppi/car.json" 'A car drives round a map, past discs that stand and others that drive along.' --steps "$(pick 300 600)"
[ "$long" ] || exit 0
control cartpole cartpole 'A pole on a cart is swung up, 20 m to the left.'
control pendulum pendulum 'A pendulum whose motor is too weak to lift it swings up.'
control quadrotor quadrotor 'A quadrotor flies to a place and hovers.'
control robot robot 'A robot on two wheels drives to a goal and turns.'
for kind in mppi tube rmppi; do control "track-$kind" circle "Round a track: $kind." --controller "$kind"; done
