#!/bin/sh
# sh mpi.sh HEDDLE HEDDLE-MPI INSTRUMENTS: `heddle-mpi` with two working ranks on one machine: a tuning, a batch, ranks that die.
heddle=$1
mpi=$2
instruments=$3
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
unset HEDDLE_DEVICE
export HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_DATABASE="$work/tuning.db"
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1 PRTE_MCA_rmaps_default_mapping_policy=:oversubscribe OMPI_MCA_btl=self,vader
export PRTE_ALLOW_RUN_AS_ROOT=1 PRTE_ALLOW_RUN_AS_ROOT_CONFIRM=1
mkdir "$work/here"
cd "$work/here" || exit 1
ranks() { # CODE ARGUMENTS...: of three ranks
    expected=$1
    shift
    words="(mpirun) $*"
    code=0
    mpirun --bind-to none -n 3 "$mpi" "$@" > "$work/out" 2> "$work/err" < /dev/null || code=$?
    [ "$code" = "$expected" ] || complain "heddle-mpi $words: exit code $code instead of $expected"
}

"$mpi" > "$work/out" 2> "$work/err" && complain "no arguments"
err_has 'usage: mpirun'

# ---- a tuning: several candidates at once, on both ranks; going on from it ----
ranks 0 tune heddle:copy --problem n=100000 --budget 6 --json
out_has '"devices": \['
[ "$(grep -c '"id": ".*:opencl:' "$work/out")" = 2 ] || complain "not two devices"
"$heddle" tune heddle:copy --problem n=100000 --budget 6 --resume --device Portable --json > "$work/out" 2> "$work/err" || complain "not resumed"
out_has '"end": "evaluations"'
ranks 1 tune nothing.json; err_has 'nothing.json'

# ---- as between machines: MPI forwards all bytes ----
export HEDDLE_MPI_REMOTE=1
ranks 0 tune heddle:copy --problem n=100000 --budget 4 --json
[ "$(grep -c '"id": ".*:opencl:' "$work/out")" = 2 ] || complain "not two devices by MPI alone"
mpirun --bind-to none -n 2 "$mpi" measure > "$work/out" 2> "$work/err" < /dev/null || complain "not measured by MPI alone"
out_has 'MPI adds'
unset HEDDLE_MPI_REMOTE
mpirun --bind-to none -n 2 "$mpi" measure > "$work/out" 2> "$work/err" < /dev/null || complain "not measured"
out_has 'MPI adds'

# with_open NAME: processes that run jobs and have a file of this name, or of one that begins with it, open
with_open() {
    for process in $(pgrep -f '^heddle batch stay'); do
        readlink "/proc/$process/fd/"* 2> /dev/null | grep -q "^$work/here/$1" && echo "$process"
    done
}

# ---- a batch; a rank that is killed: with recovery the others do its job, without it a second run does ----
cp "$instruments/harp.json" .
cat > jobs.json <<JOBS
{"jobs": [
  {"name": "a", "run": ["synth", "render", "harp.json", "--tail", "40000", "--out", "a.wav"], "output": "a.wav", "cost": 2},
  {"name": "b", "run": ["mppi", "run", "cartpole", "--steps", "3", "--json"], "stdout": "b.json"},
  {"name": "c", "run": ["mppi", "run", "cartpole", "--steps", "4", "--json"], "stdout": "c.json"}]}
JOBS
mpirun --bind-to none -n 3 "$mpi" batch jobs.json > "$work/out" 2> "$work/err" < /dev/null &
all=$!
await '[ -s b.json ] && [ -s c.json ]'
kill -9 "$(pgrep -f "^$mpi batch jobs.json" | tail -n 1)" # a rank
wait $all && complain "all ended well without a rank"
[ ! -e a.wav ] || complain "half a result"
await '[ -z "$(with_open .heddle-part-)" ]'
sed -i 's/40000/1/' jobs.json
ranks 0 batch jobs.json --resume --json; out_has '"before": 2'; out_has '"done": 3'
if mpirun --help 2>&1 | grep -q enable-recovery; then
    rm -f jobs.json.journal ./*.wav [bc].json
    sed -i 's/"harp.json", "--tail", "1"/"held.json", "--tail", "4"/' jobs.json
    mkfifo held.json
    mpirun --enable-recovery --bind-to none -n 3 "$mpi" batch jobs.json --json > "$work/out" 2> "$work/err" < /dev/null &
    all=$!
    hold held.json # the render
    render=$(with_open held.json)
    rm held.json
    cp harp.json held.json
    # the rank above the render: render, hand, rank
    hand=$(ps -o ppid= -p "$render")
    kill -9 "$(ps -o ppid= -p $hand | tr -d " ")"
    wait $all
    exec 9>&-
    grep -q '"done": 3' "$work/out" || complain "a rank took the batch along"
    out_has '"tries": 2'
fi
exit $failed
