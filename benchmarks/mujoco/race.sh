#!/usr/bin/env bash
# Heddle and predictive sampling over the same models of MuJoCo's, ten seeds each: `race.sh HEDDLE PEER MODELS OUT [JOBS] [SEEDS]`.
# HEDDLE is the command, PEER build/release/benchmarks/predictive_sampling, MODELS data/mppi/mujoco. A run has one thread, and
# JOBS of them run at once. Three kinds of runs: heddle, peer with as many samples, and equal, the peer with as many samples as
# take Heddle's processor time a solve. OUT gets each run's states (CSV) and summary.txt: for each seed and kind, ms of the
# processor a solve (those of a run less those of a run of one step), mean cost and last cost of the run; medians; seeds won.
set -u
export heddle=$1 peer=$2 models=$3 out=$4 OMP_NUM_THREADS=1 XDG_CACHE_HOME=$4/cache TIMEFORMAT='%U %S'
jobs=${5:-1} seeds=${6:-10}
declare -A steps=([cart]=250 [walker]=80) samples=([cart]=128 [walker]=64) equal
mkdir -p "$out"

# KIND TASK SEED STEPS SAMPLES: one run. NAME.row has the ms of the processor, the mean cost, the last cost and the steps.
once() {
    name=$out/$1-$2-$3 model=$models/$2.xml
    seed=${3/start/1}
    {
        if [ "$1" = heddle ]; then
            time "$heddle" mppi run "$model" --device host --threads 1 --seed "$seed" --steps "$4" -n "$5" --quiet --csv "$name.csv" \
                >"$name.log" 2>&1
        else
            time "$peer" run "$model" "$seed" "$4" "$5" >"$name.csv" 2>"$name.log"
        fi
    } 2>"$name.time"
    echo "$(awk '{ print 1000 * ($1 + $2) }' "$name.time") $("$peer" cost "$model" "$name.csv")" >"$name.row"
}
export -f once
race() { xargs -P "$jobs" -L 1 bash -c 'once "$@"' once; } # runs the lines of standard input

# KIND: lines for race, with the samples of $equal for the kind equal.
lines() {
    for task in cart walker; do
        count=${samples[$task]}
        [ "$1" != equal ] || count=${equal[$task]}
        echo "$1 $task start 1 $count"
        for seed in $(seq "$seeds"); do echo "$1 $task $seed ${steps[$task]} $count"; done
    done
}

# KIND TASK: a line for each seed: ms a solve, mean cost, last cost.
rows() {
    for seed in $(seq "$seeds"); do
        cat "$out/$1-$2-start.row" "$out/$1-$2-$seed.row" | awk 'NR == 1 { start = $1 } NR == 2 { print ($1 - start) / ($4 - 1), $2, $3 }'
    done
}
median() { cut -d ' ' -f "$1" | sort -g | awk '{ v[NR] = $1 } END { print (v[int((NR + 1) / 2)] + v[int(NR / 2) + 1]) / 2 }'; }

once heddle cart start 1 128 # compiles the text for MuJoCo's header, which is no part of the times
{ lines heddle; lines peer; } | race
for task in cart walker; do
    equal[$task]=$(echo "$(rows heddle $task | median 1) $(rows peer $task | median 1)" |
        awk -v n="${samples[$task]}" '{ print int(n * $1 / $2 + 0.5) }')
done
lines equal | race
for task in cart walker; do
    echo "$task: seed; heddle, peer, equal (${equal[$task]} samples): ms a solve, mean cost, last cost"
    paste -d ' ' <(seq "$seeds") <(rows heddle $task) <(rows peer $task) <(rows equal $task)
    for kind in heddle peer equal; do
        won=$(paste -d ' ' <(rows heddle $task) <(rows $kind $task) | awk '$2 < $5 { n++ } END { print n + 0 }')
        echo "$task $kind: medians $(for i in 1 2 3; do rows $kind $task | median $i; done | xargs); Heddle ahead in $won of $seeds"
    done
done | tee "$out/summary.txt"
