#!/bin/sh
# Tunes on a machine with a GPU, with a portable build: `sh benchmarks/tuner.sh PORTABLE-FOLDER RESULTS-FOLDER [PART...]`.
#
#   exhaustive[-matmul|-convolution]   every valid configuration at one size; goes on where an earlier call was cut off
#   auto[-matmul|-convolution]         the same problems by the default search in 60 s, caches cold, for each of three seeds
#   kernels                            every canonical kernel tuned at its benchmark's size, then `heddle bench kernels` with that
#   cublas                             cuBLAS's fp32 matrix multiply, for comparison; needs PyTorch
#   energy                             one short tuning by energy
#
# All but `energy` unless told. Each run leaves NAME.json, .csv, .html and .log in the results folder as soon as it has ended, and a
# line here; the exit code says whether all of them were well. Settings from the environment, for other devices and for trying
# this script itself: HEDDLE_DEVICE, MATMUL and CONVOLUTION (sizes), EXHAUSTIVE_SECONDS, AUTO_SECONDS, KERNEL_SECONDS, SEEDS.
set -u
here=$(cd "$1" && pwd)
scripts=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$2"
out=$(cd "$2" && pwd)
shift 2
parts=${*:-exhaustive auto kernels cublas}
heddle=$here/bin/heddle
device=${HEDDLE_DEVICE:-cuda:0}
matmul=${MATMUL:-m=2048,n=2048,k=2048}
convolution=${CONVOLUTION:-width=4096,height=4096}
exhaustive_seconds=${EXHAUSTIVE_SECONDS:-540}
auto_seconds=${AUTO_SECONDS:-60}
kernel_seconds=${KERNEL_SECONDS:-25}
failed=0

# What one part learns is no help to another: each has a cache and a database of its own. The exhaustive ones stay on the machine,
# for a later call to go on with.
kept=${TMPDIR:-/tmp}/heddle-exhaustive
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset HEDDLE_DATABASE

problem_of() { # KERNEL
    case $1 in
        matmul) echo "$matmul" ;;
        convolution) echo "$convolution" ;;
    esac
}

# NAME DATA-FOLDER SECONDS KERNEL OPTIONS...: one tuning. What has not ended in its time is interrupted as by Ctrl-C, which keeps what
# was measured.
tune() {
    name=$1 data=$2 seconds=$3 kernel=$4
    shift 4
    began=$(date +%s)
    XDG_DATA_HOME=$data timeout -s INT -k 20 $((seconds + 30)) "$heddle" tune "heddle:$kernel" --device "$device" --time "$seconds" \
        --csv "$out/$name.csv" --report "$out/$name.html" --json "$@" >"$out/$name.json.part" 2>"$out/$name.log"
    code=$?
    if [ -s "$out/$name.json.part" ]; then mv "$out/$name.json.part" "$out/$name.json"; else rm -f "$out/$name.json.part"; fi
    if [ $code -eq 0 ]; then
        echo "ok      $name  $(($(date +%s) - began)) s"
    else
        echo "FAILED  $name ($code): $(tail -n 1 "$out/$name.log" | cut -c1-200)"
        failed=1
    fi
}

exhaustive() { # KERNEL
    export XDG_CACHE_HOME="$kept/cache"
    tune "exhaustive_$1" "$kept/data" "$exhaustive_seconds" "$1" --strategy exhaustive --budget 100000 --resume \
        --problem "$(problem_of "$1")"
}

auto() { # KERNEL
    for seed in ${SEEDS:-1 2 3}; do
        export XDG_CACHE_HOME="$scratch/cache_$1_$seed"
        tune "auto_$1_seed$seed" "$scratch/data_$1_$seed" "$auto_seconds" "$1" --strategy auto --seed "$seed" \
            --problem "$(problem_of "$1")"
        rm -rf "$XDG_CACHE_HOME"
    done
}

bench() { # NAME DATA-FOLDER
    if XDG_DATA_HOME=$2 "$heddle" bench kernels --json --device "$device" >"$out/$1.json.part" 2>"$out/$1.log"; then
        mv "$out/$1.json.part" "$out/$1.json"
        echo "ok      $1"
    else
        echo "FAILED  $1: $(tail -n 1 "$out/$1.log" | cut -c1-200)"
        failed=1
    fi
}

kernels() {
    export XDG_CACHE_HOME="$scratch/cache_kernels"
    bench bench_default "$scratch/data_none"
    for kernel in copy saxpy transpose reduction scan_tree scan scan_single convolution nbody matmul; do
        tune "tuned_$kernel" "$out/data-kernels" "$kernel_seconds" "$kernel"
    done
    bench bench_tuned "$out/data-kernels"
}

cublas() {
    for size in 2048 4096; do
        if python3 "$scripts/cublas.py" "$size" "$device" >"$out/cublas_$size.json" 2>"$out/cublas_$size.log"; then
            echo "ok      cublas_$size  $(sed -n 's/.*"value": *\([0-9.]*\).*/\1/p' "$out/cublas_$size.json") GFLOP/s"
        else
            echo "FAILED  cublas_$size: $(tail -n 1 "$out/cublas_$size.log" | cut -c1-200)"
            failed=1
        fi
    done
}

for part in $parts; do
    case $part in
        exhaustive)
            exhaustive matmul
            exhaustive convolution
            ;;
        exhaustive-*) exhaustive "${part#*-}" ;;
        auto)
            auto matmul
            auto convolution
            ;;
        auto-*) auto "${part#*-}" ;;
        kernels) kernels ;;
        cublas) cublas ;;
        energy)
            export XDG_CACHE_HOME="$scratch/cache_energy"
            tune energy_matmul "$scratch/data_energy" "$auto_seconds" matmul --objective energy --problem "$matmul"
            ;;
        *)
            echo "tuner.sh: no part \"$part\": exhaustive auto kernels cublas energy"
            failed=1
            ;;
    esac
done
exit $failed
