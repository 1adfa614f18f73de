#!/bin/sh
# sh crashes.sh HEDDLE FOLDER: drivers that end their process while they list devices, open one, compile, load or launch, with the fake drivers
# of FOLDER. Each costs `doctor` its own line and `devices` its own devices; another command ends with the name of the last step.
heddle=$1 fakes=$2
# shellcheck source=checks.sh
. "$(dirname "$0")/checks.sh"
export HEDDLE_OPENCL_LIBRARY=none HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY=none XDG_DATA_HOME="$work/data"
unset HEDDLE_DEVICE

# crash BACKEND FUNCTION STEP: the driver of this backend ends its process in FUNCTION, and the message names STEP.
crash() {
    export FAKE_ABORT_IN="$2" XDG_CACHE_HOME="$work/cache-$2"
    run 0 doctor
    out_has "^$1  *failed"; out_has "signal 6 .*after \"$1.*$3"; out_has '^host  *works .*runs kernels'; out_has '^data folder'
    case $3 in
        listing*)
            run 1 devices; err_has "^heddle: $1: its driver ended .*HEDDLE_.*_LIBRARY=none"
            # a command on the host lists no driver
            run 0 verify --quick --kernel copy --device host --quiet
            export HEDDLE_DEVICE=host
            run 0 verify --quick --kernel copy --quiet
            unset HEDDLE_DEVICE ;;
        *) run 0 devices; out_has "^$1:0 "; err_is_empty ;;
    esac
    out_has '^host '
    run 134 verify --quick --kernel copy --device "$1:0" --quiet
    err_has "^heddle: ended by signal 6 .*the last step of the drivers was: $1.*$3.*heddle doctor"
    unset FAKE_ABORT_IN
}

export HEDDLE_CUDA_LIBRARY="$fakes/libfake_cuda.so" HEDDLE_NVRTC_LIBRARY="$fakes/libfake_nvrtc.so"
crash cuda cuInit 'listing devices'
crash cuda cuDeviceGetCount 'listing devices'
crash cuda cuDevicePrimaryCtxRetain ':0: opening'
crash cuda nvrtcCompileProgram ':0: compiling copy'
crash cuda cuModuleLoadDataEx ':0: loading copy'
crash cuda cuLaunchKernel ':0: copy loaded'
export HEDDLE_CUDA_LIBRARY=none HEDDLE_NVRTC_LIBRARY=none

# The fakes of Vulkan and OpenGL stand before the real libraries.
export HEDDLE_VULKAN_LIBRARY="$fakes/libfake_vulkan.so" XDG_CACHE_HOME="$work/cache"
if "$heddle" devices 2> /dev/null | grep -q '^vulkan:0 '; then
    crash vulkan vkCreateInstance 'listing devices'
    crash vulkan vkEnumeratePhysicalDevices 'listing devices'
    crash vulkan vkCreateDevice ':0: opening'
    crash vulkan vkCreateShaderModule ':0: compiling copy'
    crash vulkan vkCreateComputePipelines ':0: compiling copy'
    crash vulkan vkQueueSubmit ':0: '
fi
export HEDDLE_VULKAN_LIBRARY=none HEDDLE_GL_LIBRARY="$fakes/libfake_gl.so" XDG_CACHE_HOME="$work/cache"
if "$heddle" verify --quick --kernel copy --device gl:0 > /dev/null 2>&1; then
    crash gl eglInitialize 'listing devices'
    crash gl eglCreateContext 'listing devices'
    crash gl glCompileShader ':0: '
    crash gl glLinkProgram ':0: '
    crash gl glDispatchCompute ':0: '
fi
exit $failed
