#!/bin/sh
# sh run.sh FUZZERS SEEDS OUT SECONDS [JOBS]: runs every fuzzer of a folder by turns, JOBS at a time (all processors unless told),
# for SECONDS in all. Without FUZZERS and SEEDS, as `sh run.sh OUT SECONDS [JOBS]`, those of the bundle that this script is in (pack.sh).
#
# OUT gets counts.tsv (fuzzer, executions, seconds, failures), corpus/NAME with inputs that reach something new, and failures/ with
# each input that failed beside what was printed. Exit code 1: something failed.
set -u
here=$(cd "$(dirname "$0")" && pwd)
MOST_FAILURES=5 # of one fuzzer in one turn, which then ends

# ---- one fuzzer, for a time: run.sh --turn FUZZER SECONDS NUMBER, with the folders in the environment ----

# How a fuzzer is started: as it is, or, where the system's C library is too old for it, by the loader of the bundle.
start() {
    if [ -n "$FUZZ_LOADER" ]; then "$FUZZ_LOADER" --library-path "$FUZZ_LIBRARIES" "$@"; else "$@"; fi
}

turn() { # FUZZER SECONDS NUMBER
    name=$(basename "$1") begin=$(date +%s) failures=0 executions=0
    corpus=$FUZZ_OUT/corpus/$name log=$FUZZ_OUT/logs/$name.$3
    mkdir -p "$corpus"
    set -- "$1" "$2" "$3" "$corpus"
    [ ! -d "$FUZZ_SEEDS/$name" ] || set -- "$@" "$FUZZ_SEEDS/$name"
    fuzzer=$1 seconds=$2 number=$3
    shift 3
    while left=$((begin + seconds - $(date +%s))) && [ $left -gt 0 ] && [ $failures -lt $MOST_FAILURES ]; do
        code=0
        start "$fuzzer" -max_total_time=$left -timeout=60 -rss_limit_mb=4096 -print_final_stats=1 -reload=0 \
            -artifact_prefix="$FUZZ_OUT/failures/$name-" "$@" >"$log" 2>&1 </dev/null || code=$?
        done_now=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -n 1)
        executions=$((executions + ${done_now:-0}))
        [ $code != 0 ] || continue
        failures=$((failures + 1))
        tail -n 200 "$log" >"$FUZZ_OUT/failures/$name.$number.$failures.txt"
    done
    printf '%s\t%s\t%s\t%s\n' "$name" $executions $(($(date +%s) - begin)) $failures >"$FUZZ_OUT/turns/$name.$number"
}

if [ "${1:-}" = --turn ]; then
    shift
    turn "$@"
    exit 0
fi

# ---- all of them ----

if [ $# -ge 4 ]; then
    fuzzers=$1 seeds=$2
    shift 2
else
    fuzzers=$here/fuzzers seeds=$here/seeds
fi
[ $# -ge 2 ] || { sed -n '2,6s/^# //p' "$0"; exit 2; }
mkdir -p "$1/corpus" "$1/logs" "$1/turns" "$1/failures"
# Absolute: a harness that changes the folder would not find its seeds, which are read one by one.
fuzzers=$(cd "$fuzzers" && pwd) seeds=$(cd "$seeds" && pwd)
FUZZ_OUT=$(cd "$1" && pwd) FUZZ_SEEDS=$seeds FUZZ_LOADER='' FUZZ_LIBRARIES=$here/libc:$here/lib
seconds=$2 jobs=${3:-$(nproc)}
rm -f "$FUZZ_OUT"/turns/*
export FUZZ_OUT FUZZ_SEEDS FUZZ_LOADER FUZZ_LIBRARIES
set -- "$fuzzers"/*_fuzz
[ -x "$1" ] || { echo "run.sh: $fuzzers: no fuzzers found" >&2; exit 2; }
if [ -d "$here/libc" ] && ! "$1" -help=1 >/dev/null 2>&1; then FUZZ_LOADER=$(echo "$here"/libc/ld-linux*); fi
start "$1" -help=1 >/dev/null 2>&1 || { echo "run.sh: $1 does not start here" >&2; start "$1" -help=1 2>&1 | tail -n 5 >&2; exit 2; }

# Each of the processors has as many turns as any other, and each fuzzer one at least.
turns=$((($# + jobs - 1) / jobs))
each=$((seconds / turns))
[ $each -gt 0 ] || each=1
i=0
while [ $i -lt $((turns * jobs)) ]; do
    for fuzzer; do
        [ $i -lt $((turns * jobs)) ] || break
        printf '%s\n%s\n%s\n' "$fuzzer" $each $i
        i=$((i + 1))
    done
done | xargs -n 3 -P "$jobs" sh "$0" --turn

cat "$FUZZ_OUT"/turns/* | awk -F '\t' -v OFS='\t' '
    { executions[$1] += $2; seconds[$1] += $3; failures[$1] += $4; all += $2; bad += $4 }
    END { for (name in executions) print name, executions[name], seconds[name], failures[name] | "sort"
          close("sort"); printf "%.0f executions, %d failures\n", all, bad > "/dev/stderr"; exit bad > 0 }' >"$FUZZ_OUT/counts.tsv"
