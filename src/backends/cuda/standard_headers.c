/* Headers that nvcc takes from the host's compiler and NVRTC lacks: the part of them that kernels
 * use. printf(), assert() and the functions of mathematics are built into NVRTC. Types and limits
 * agree with CUDA's own <cuda/std/...>, which are used where they are installed, so that a text may
 * include both.
 *
 * Headers of the host's library (<iostream>, <vector>, ...) and of CUDA's host API are empty: the
 * host code that uses them is removed from a text (tunefile/cuda_host.c). */
#include "backends/cuda/nvrtc.h"

#include "heddle/author.h"

static const char words[] =
    "#ifndef HED_STANDARD_HEADERS\n"
    "#define HED_STANDARD_HEADERS\n"
    "#if __has_include(<cuda/std/cstdint>)\n"
    "#include <cuda/std/cstdint>\n"
    "#include <cuda/std/climits>\n"
    "#else\n"
    "typedef signed char int8_t;\n"
    "typedef signed short int16_t;\n"
    "typedef signed int int32_t;\n"
    "typedef signed long long int64_t;\n"
    "typedef unsigned char uint8_t;\n"
    "typedef unsigned short uint16_t;\n"
    "typedef unsigned int uint32_t;\n"
    "typedef unsigned long long uint64_t;\n"
    "typedef int64_t intptr_t;\n"
    "typedef uint64_t uintptr_t;\n"
    "typedef int64_t intmax_t;\n"
    "typedef uint64_t uintmax_t;\n"
    "#define INT_MAX 2147483647\n"
    "#define INT_MIN (-INT_MAX - 1)\n"
    "#define UINT_MAX 4294967295u\n"
    "#define INT32_MAX INT_MAX\n"
    "#define UINT32_MAX UINT_MAX\n"
    "#endif\n"
    "typedef decltype(sizeof 0) size_t;\n"
    "typedef decltype((char *)0 - (char *)0) ptrdiff_t;\n"
    "#ifndef FLT_MAX\n"
    "#define FLT_MAX 3.402823466e+38f\n"
    "#define FLT_MIN 1.175494351e-38f\n"
    "#define FLT_EPSILON 1.192092896e-07f\n"
    "#define DBL_MAX 1.7976931348623157e+308\n"
    "#define DBL_MIN 2.2250738585072014e-308\n"
    "#define DBL_EPSILON 2.2204460492503131e-16\n"
    "#endif\n"
    "#ifndef NULL\n"
    "#define NULL 0\n"
    "#endif\n"
    "#ifndef M_PI\n"
    "#define M_PI 3.14159265358979323846\n"
    "#define M_PI_2 1.57079632679489661923\n"
    "#endif\n"
    "#ifndef INFINITY\n"
    "#define INFINITY __int_as_float(0x7f800000)\n"
    "#endif\n"
    "#ifndef NAN\n"
    "#define NAN __int_as_float(0x7fffffff)\n"
    "#endif\n"
    "namespace std {\n"
    "using ::size_t; using ::ptrdiff_t; using ::int8_t; using ::int16_t; using ::int32_t;\n"
    "using ::int64_t; using ::uint8_t; using ::uint16_t; using ::uint32_t; using ::uint64_t;\n"
    "using ::abs; using ::fabs; using ::sqrt; using ::sin; using ::cos; using ::tan; using ::exp;\n"
    "using ::log; using ::pow; using ::floor; using ::ceil; using ::fmin; using ::fmax;\n"
    "}\n"
    "#endif\n";

/* The whole of CUB contains host code, which NVRTC refuses; kernels use its blocks and warps. */
static const char cub[] = "#include <cub/block/block_discontinuity.cuh>\n"
                          "#include <cub/block/block_exchange.cuh>\n"
                          "#include <cub/block/block_histogram.cuh>\n"
                          "#include <cub/block/block_load.cuh>\n"
                          "#include <cub/block/block_radix_sort.cuh>\n"
                          "#include <cub/block/block_reduce.cuh>\n"
                          "#include <cub/block/block_scan.cuh>\n"
                          "#include <cub/block/block_store.cuh>\n"
                          "#include <cub/warp/warp_reduce.cuh>\n"
                          "#include <cub/warp/warp_scan.cuh>\n";

/* cuBLAS's headers include the small floats; the rest of them is of the host. */
static const char float_words[] = "#if __has_include(<cuda_bf16.h>)\n"
                                  "#include <cuda_fp16.h>\n"
                                  "#include <cuda_bf16.h>\n"
                                  "#endif\n";

/* Types and traits of the host's library, by CUDA's own. */
static const char trait_words[] = "#if __has_include(<cuda/std/type_traits>)\n"
                                  "#include <cuda/std/limits>\n"
                                  "#include <cuda/std/tuple>\n"
                                  "#include <cuda/std/type_traits>\n"
                                  "#include <cuda/std/utility>\n"
                                  "namespace std { using namespace cuda::std; }\n"
                                  "#endif\n";

#define EMPTY "\n"
#define EMPTY_HEADERS(X) \
    X("iostream") X("iomanip") X("fstream") X("sstream") X("string") X("vector") X("array") \
    X("algorithm") X("numeric") X("random") X("chrono") X("memory") X("functional") X("map") \
    X("unordered_map") X("stdexcept") X("exception") X("ostream") \
    X("istream") X("iosfwd") X("ios") X("thread") X("mutex") X("time.h") X("ctime") X("sys/time.h") X("unistd.h") \
    X("cuda.h") X("cuda_runtime.h") X("cuda_runtime_api.h") X("device_launch_parameters.h") \
    X("hip/hip_runtime.h") X("hip/hip_runtime_api.h") X("helper_cuda.h") X("helper_functions.h") X("helper_timer.h") X("helper_string.h")
#define LIBRARY_HEADERS(X) \
    X("cufft.h") X("cufftXt.h") X("curand.h") X("cusparse.h") X("cusparse_v2.h") X("cusolverDn.h") \
    X("cusolver_common.h") X("cudnn.h") X("cudnn_frontend.h") X("nccl.h") X("nvml.h") X("mpi.h") \
    X("cuda_profiler_api.h") X("cudaProfiler.h") X("nvToolsExt.h") X("nvtx3/nvToolsExt.h") \
    X("helper_image.h") X("helper_cuda_drvapi.h")
#define SYSTEM_HEADERS(X) \
    X("omp.h") X("pthread.h") X("errno.h") X("cerrno") X("signal.h") X("csignal") X("fcntl.h") \
    X("getopt.h") X("dirent.h") X("sys/types.h") X("sys/stat.h") X("sys/mman.h") X("windows.h") \
    X("typeinfo") X("set") X("list") X("queue") X("deque") X("stack") X("condition_variable") \
    X("filesystem")
#define WORD_HEADERS(X) \
    X("stdint.h") X("cstdint") X("stdio.h") X("cstdio") X("assert.h") X("cassert") X("math.h") \
    X("cmath") X("stdlib.h") X("cstdlib") X("string.h") X("cstring") X("limits.h") X("climits") \
    X("float.h") X("cfloat") X("stddef.h") X("cstddef") X("stdbool.h")
#define FLOAT_HEADERS(X) \
    X("cublas.h") X("cublas_v2.h") X("cublas_api.h") X("cublasLt.h") X("cublasXt.h")
#define TRAIT_HEADERS(X) X("type_traits") X("limits") X("utility") X("tuple")
#define NAME(name) name,
#define EMPTY_TEXT(name) EMPTY,
#define WORD_TEXT(name) words,
#define FLOAT_TEXT(name) float_words,
#define TRAIT_TEXT(name) trait_words,

#define EACH_HEADER(X, EMPTY, FLOATS, TRAITS) \
    WORD_HEADERS(X) EMPTY_HEADERS(EMPTY) LIBRARY_HEADERS(EMPTY) SYSTEM_HEADERS(EMPTY) \
    FLOAT_HEADERS(FLOATS) TRAIT_HEADERS(TRAITS)

static const char *const names[] = {EACH_HEADER(NAME, NAME, NAME, NAME) "cub/cub.cuh"};
static const char *const texts[] = {EACH_HEADER(WORD_TEXT, EMPTY_TEXT, FLOAT_TEXT, TRAIT_TEXT) cub};

const char hed_standard_version[] = "standard headers 3";

uint32_t hed_standard_headers(const char *const **header_names, const char *const **header_texts)
{
    *header_names = names;
    *header_texts = texts;
    return HED_COUNT(names);
}
