#!/bin/sh
# sh merge.sh FUZZERS CORPORA OUT...: takes home what run.sh left in each OUT. Executions are added to executions.tsv and shown in
# docs/status.md. Corpora are minimised into CORPORA/NAME; of each, the smallest inputs that reach every edge of the code go into the
# repository, beside the seeds in tests/fuzz/NAME, as many as fit into MOST_BYTES and MOST_FILES.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
MOST_BYTES=12288 MOST_FILES=32
fuzzers=$1 corpora=$2
shift 2
mkdir -p "$corpora"

# ---- executions; a count is taken once ----

for out; do [ ! -e "$out/counts.tsv" ] || mv "$out/counts.tsv" "$out/counted.tsv.new"; done
for out; do [ ! -e "$out/counted.tsv.new" ] || cat "$out/counted.tsv.new"; done | cat "$here/executions.tsv" - |
    awk -F '\t' -v OFS='\t' '{ sum[$1] += $2 } END { for (name in sum) printf "%s\t%.0f\n", name, sum[name] | "sort" }' >"$corpora/executions.tsv"
mv "$corpora/executions.tsv" "$here/executions.tsv"
for out; do [ ! -e "$out/counted.tsv.new" ] || mv "$out/counted.tsv.new" "$out/counted.tsv"; done
sh "$here/status.sh" >"$corpora/status.md"
mv "$corpora/status.md" "$here/../../docs/status.md"

# ---- corpora ----

hashes='.*/[0-9a-f]{40}' # names of inputs; seeds have names of people

minimise() { # FUZZER TO FROM... [OPTION]
    rm -rf "$2"
    mkdir -p "$2"
    fuzzer=$1
    shift
    "$fuzzer" -merge=1 -timeout=60 -rss_limit_mb=4096 "$@" >"$corpora/merge.log" 2>&1 && return
    echo "merge.sh: $(basename "$fuzzer") is not minimised: $(tail -n 1 "$corpora/merge.log")" >&2
    return 1
}

for fuzzer in "$fuzzers"/*_fuzz; do
    name=$(basename "$fuzzer") kept=$corpora/$name
    mkdir -p "$kept" "$here/$name"
    found="$kept $here/$name"
    for out; do [ ! -d "$out/corpus/$name" ] || found="$found $out/corpus/$name"; done
    # shellcheck disable=SC2086  # a list of folders, whose names hold no spaces
    minimise "$fuzzer" "$kept.new" $found && minimise "$fuzzer" "$kept.edges" "$kept.new" -use_counters=0 || continue
    rm -rf "$kept"
    mv "$kept.new" "$kept"
    find "$here/$name" -type f -regextype posix-egrep -regex "$hashes" -delete
    find "$kept.edges" -type f -size +0 -printf '%s\t%p\n' | sort -n |
        awk -F '\t' -v bytes=$MOST_BYTES -v files=$MOST_FILES '{ sum += $1 } sum <= bytes && NR <= files { print $2 }' |
        while read -r input; do cp "$input" "$here/$name/$(sha1sum <"$input" | cut -c 1-40)"; done
    rm -rf "$kept.edges"
    find "$here/$name" -type f -regextype posix-egrep ! -regex "$hashes" |
        while read -r seed; do rm -f "$here/$name/$(sha1sum <"$seed" | cut -c 1-40)"; done
    rmdir "$here/$name" 2>/dev/null || true
done
