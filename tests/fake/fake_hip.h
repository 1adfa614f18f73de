/* Included before the files of the fake CUDA driver and of the fake NVRTC, which so become a fake
 * libamdhip64. Functions that HIP lacks keep CUDA's names, under which nobody looks for them. */
#ifndef HED_TESTS_FAKE_HIP_H
#define HED_TESTS_FAKE_HIP_H

#define FAKE_HIP

#define cuInit hipInit
#define cuDriverGetVersion hipDriverGetVersion
#define cuDeviceGetCount hipGetDeviceCount
#define cuDeviceGet hipDeviceGet
#define cuDeviceGetName hipDeviceGetName
#define cuDeviceCanAccessPeer hipDeviceCanAccessPeer
#define cuCtxEnablePeerAccess hipCtxEnablePeerAccess
#define cuDeviceTotalMem hipDeviceTotalMem
#define cuDevicePrimaryCtxRetain hipDevicePrimaryCtxRetain
#define cuDevicePrimaryCtxRelease hipDevicePrimaryCtxRelease
#define cuCtxGetCurrent hipCtxGetCurrent
#define cuCtxSetCurrent hipCtxSetCurrent
#define cuCtxGetDevice hipCtxGetDevice
#define cuCtxSynchronize hipDeviceSynchronize
#define cuCtxGetStreamPriorityRange hipDeviceGetStreamPriorityRange
#define cuMemGetInfo hipMemGetInfo
#define cuMemAlloc hipMalloc
#define cuMemFree hipFree
#define cuMemHostAlloc hipHostMalloc
#define cuMemFreeHost hipHostFree
#define cuMemHostRegister hipHostRegister
#define cuMemHostUnregister hipHostUnregister
#define cuMemHostGetDevicePointer hipHostGetDevicePointer
#define cuMemcpyHtoDAsync hipMemcpyHtoDAsync
#define cuMemcpyDtoHAsync hipMemcpyDtoHAsync
#define cuMemcpyDtoDAsync hipMemcpyDtoDAsync
#define cuMemsetD8Async hipMemsetD8Async
#define cuMemsetD16Async hipMemsetD16Async
#define cuMemsetD32Async hipMemsetD32Async
#define cuStreamCreateWithPriority hipStreamCreateWithPriority
#define cuStreamDestroy hipStreamDestroy
#define cuStreamSynchronize hipStreamSynchronize
#define cuStreamQuery hipStreamQuery
#define cuStreamWaitEvent hipStreamWaitEvent
#define cuEventCreate hipEventCreateWithFlags
#define cuEventDestroy hipEventDestroy
#define cuEventRecord hipEventRecord
#define cuEventQuery hipEventQuery
#define cuEventSynchronize hipEventSynchronize
#define cuEventElapsedTime hipEventElapsedTime
#define cuModuleLoadDataEx hipModuleLoadDataEx
#define cuModuleUnload hipModuleUnload
#define cuModuleGetFunction hipModuleGetFunction
#define cuFuncGetAttribute hipFuncGetAttribute
#define cuOccupancyMaxActiveBlocksPerMultiprocessor \
    hipModuleOccupancyMaxActiveBlocksPerMultiprocessor
#define cuLaunchKernel hipModuleLaunchKernel
#define cuModuleGetGlobal hipModuleGetGlobal
#define cuLaunchCooperativeKernel hipModuleLaunchCooperativeKernel

#define nvrtcVersion hiprtcVersion
#define nvrtcCreateProgram hiprtcCreateProgram
#define nvrtcDestroyProgram hiprtcDestroyProgram
#define nvrtcAddNameExpression hiprtcAddNameExpression
#define nvrtcGetLoweredName hiprtcGetLoweredName
#define nvrtcCompileProgram hiprtcCompileProgram
#define nvrtcGetProgramLogSize hiprtcGetProgramLogSize
#define nvrtcGetProgramLog hiprtcGetProgramLog
#define nvrtcGetCUBINSize hiprtcGetCodeSize
#define nvrtcGetCUBIN hiprtcGetCode

#endif
