#!/usr/bin/env bash
# vector_fma.sh CLANG ARGUMENTS...: compiles a file whose loops over lanes call functions of core/fma_lanes.h. Clang vectorizes a call only
# if the call names a form for several lanes, and has no attribute for that on wasm32. So the calls get it between clang and LLVM's passes;
# afterwards both forms are inlined.
set -euo pipefail
first=() passes=() out='' source=''
clang=$1
shift
while [ $# -gt 0 ]; do
    case $1 in
        -o) out=$2 && shift ;;
        -c) source=$2 && shift ;;
        --target=* | -O* | -m* | -ffunction-sections | -fdata-sections) passes+=("$1") && first+=("$1") ;;
        *) first+=("$1") ;;
    esac
    shift
done
trap 'rm -f "$out".[123].ll' EXIT

"$clang" "${first[@]}" -Xclang -disable-llvm-passes -S -emit-llvm -o "$out.1.ll" -c "$source"
{
    sed -E -e 's/(call float @wasm_fma_lane\([^)]*\)).*/\1 #9999/' -e 's/(call i32 @wasm_multiply_high_lane\([^)]*\)).*/\1 #9998/' "$out.1.ll"
    echo 'attributes #9999 = { nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4vvv_wasm_fma_lane(wasm_fma_lanes)" }'
    echo 'attributes #9998 = { nounwind willreturn memory(none) "vector-function-abi-variant"="_ZGV_LLVM_N4vv_wasm_multiply_high_lane(wasm_multiply_high_lanes)" }'
} >"$out.2.ll"
"$clang" "${passes[@]}" -S -emit-llvm -x ir "$out.2.ll" -o "$out.3.ll"
sed -E -e '/^@llvm\.(compiler\.)?used = /d' -e '/^attributes #[0-9]+ = .* noinline /s/ noinline / /' "$out.3.ll" >"$out.2.ll"
"$clang" "${passes[@]}" -c -x ir "$out.2.ll" -o "$out"
