#!/bin/sh
# sh bench.sh HEDDLE: every bench runs on host and prints records that have what they should.
heddle=$1
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_CACHE_HOME="$work/cache" XDG_DATA_HOME="$work/data"

run 0 bench --json --device host; err_is_empty
out_is_json suite name device value unit spread
out_has '"suite": "runtime"'; out_has '"suite": "kernels"'; out_has '"against": "memcpy"'; out_has '"floor": '
out_has '"suite": "pack"'; out_has 'hed_pack exact-cost'; out_has '"against": "naive order"'
out_has 'a sample of 2240 entities'

run 0 synth bench --json --device host --threads 1 --only string --quiet; err_is_empty
out_is_json suite name device value unit load limit
out_has '"limit": "time"'
run 0 synth bench --json --device host --only entities --quiet; err_is_empty
out_has '"bodies": 216'; out_has '"springs": 648'
exit "$failed"
