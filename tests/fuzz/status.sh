#!/bin/sh
# sh status.sh: docs/status.md with the table of executions.tsv in its place.
set -eu
cd "$(dirname "$0")"
awk -F '\t' '
    NR == FNR { count++; name[count] = $1; number[count] = $2; sum += $2; next }
    function grouped(n,    text) {
        for (text = sprintf("%.0f", n); match(text, /[0-9][0-9][0-9][0-9](,|$)/);) text = substr(text, 1, RSTART) "," substr(text, RSTART + 1)
        return text
    }
    /^<!-- executions/ { print; inside = 1
        printf "%s executions by %d fuzzers so far:\n\n| fuzzer | executions |\n|---|---|\n", grouped(sum), count
        for (i = 1; i <= count; i++) printf "| `%s` | %s |\n", name[i], grouped(number[i]) }
    /^<!-- end of executions/ { inside = 0 }
    !inside' executions.tsv ../../docs/status.md
