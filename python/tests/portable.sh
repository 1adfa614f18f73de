#!/bin/sh
# portable.sh PYTHON PREFIX: the wheel of the portable build, unpacked where nothing else of Heddle is, passes the package's tests.
set -eu
python=$1
prefix=$2
here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
"$python" "$here/../wheel.py" "$prefix" "$scratch"
for name in interface devices engines misuse; do
    echo "== $name"
    env -i PATH=/usr/bin:/bin HOME="$scratch" HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none \
        "$python" "$here/run.py" "$(echo "$scratch"/*.whl)" "test_$name.py"
done
