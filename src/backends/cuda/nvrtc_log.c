/* Logs of NVRTC and hipRTC, and the report of the assembler ptxas in them: the first error with a remedy,
 * lowered names, and the resources of a kernel. */
#include "backends/cuda/nvrtc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- errors ---- */

/* Copies the first line of a log that reports an error. */
static void nvrtc_first_error(const char *log, char *line, size_t size)
{
    const char *at = strstr(log, "error");
    const char *begin = at ? at : log;
    while (begin > log && begin[-1] != '\n') begin--;
    size_t length = strcspn(begin, "\n");
    snprintf(line, size, "%.*s", (int)(length < size ? length : size - 1), begin);
}

/* Names the packages that contain a missing header: NVIDIA's for apt, and pip's. */
static void nvrtc_advise_packages(const char *headers, const char *header, char *text, size_t size)
{
    static const struct {
        const char *begin, *apt, *pip;
    } packages[] = {{"cub/", "cuda-cccl", "nvidia-cuda-cccl"},
        {"thrust/", "cuda-cccl", "nvidia-cuda-cccl"}, {"cuda/", "cuda-cccl", "nvidia-cuda-cccl"},
        {"nv/", "cuda-cccl", "nvidia-cuda-cccl"}, {"crt/", "cuda-crt", "nvidia-cuda-crt"},
        {"curand", "libcurand-dev", "nvidia-curand"},
        {"cuda", "cuda-cudart-dev", "nvidia-cuda-runtime"},
        {"cooperative_groups", "cuda-cudart-dev", "nvidia-cuda-runtime"},
        {"mma.h", "cuda-cudart-dev", "nvidia-cuda-runtime"},
        {"vector_types.h", "cuda-cudart-dev", "nvidia-cuda-runtime"}};
    for (size_t i = 0; i < sizeof packages / sizeof *packages; i++) {
        if (strncmp(header, packages[i].begin, strlen(packages[i].begin)) != 0) continue;
        snprintf(text, size,
            "; CUDA's headers are %s%.150s: \"%.100s\" comes with NVIDIA's package %s, pip's %s, or Debian's nvidia-cuda-dev; "
            "CUDA_HOME names a toolkit in another folder",
            headers[0] ? "taken from " : "not found", headers, header, packages[i].apt,
            packages[i].pip);
        return;
    }
    snprintf(text, size,
        "; \"%.200s\" is not a header of CUDA's: in a tune file \"include\" lists the folders to search",
        header);
}

void hed_nvrtc_read_error(
    const char *log, const char *entry, const char *headers, char *text, size_t size)
{
    const char *at = strstr(log, "open source file \"");
    char header[256] = "";
    nvrtc_first_error(log, text, size < 256 ? size : 256);
    size_t used = strlen(text);
    if (at && sscanf(at, "open source file \"%255[^\"]\"", header) == 1)
        nvrtc_advise_packages(headers, header, text + used, size - used);
    else if (strstr(log, "__nv_name_map"))
        snprintf(text + used, size - used,
            "; the text has no kernel or symbol that \"%.200s\" names alone%s", entry,
            strchr(entry, '<') ? "" : " (a template needs its arguments: \"scale<float, 4>\")");
}

/* ---- names ---- */

bool hed_nvrtc_lowered(const char *log, const char *expression, char *name, size_t size)
{
    size_t length = strlen(expression);
    for (const char *line = log; line && strncmp(line, "name ", 5) == 0;
         line = strchr(line, '\n') + 1) {
        size_t end = strcspn(line, "\n");
        if (!line[end]) return false;
        if (strncmp(line + 5, expression, length) != 0 || strncmp(line + 5 + length, " = ", 3) != 0)
            continue;
        const char *from = line + 5 + length + 3;
        if ((size_t)(line + end - from) >= size) return false;
        memcpy(name, from, (size_t)(line + end - from));
        name[line + end - from] = 0;
        return true;
    }
    return false;
}

/* ---- ptxas' report ---- */

/* Returns the number before `words` on one line, -1 if the line lacks these words. */
static int64_t nvrtc_number_before(const char *line, size_t length, const char *words)
{
    const char *at = memmem(line, length, words, strlen(words));
    if (!at) return -1;
    while (at > line && at[-1] == ' ') at--;
    const char *end = at;
    while (at > line && at[-1] >= '0' && at[-1] <= '9') at--;
    return at < end ? strtoll(at, NULL, 10) : -1;
}

/* ptxas writes "Compiling entry function 'NAME' for 'sm_XX'", then the lines of that kernel, then
 * the next kernel's. Lines of functions that were not inlined come in between ("Function properties
 * for NAME") and do not count for the kernel. */
void hed_nvrtc_read_log(const char *log, const char *entry, hed_kernel_resources *resources)
{
    size_t name = strlen(entry);
    bool ours = false, own_properties = false;
    for (const char *line = log; line && *line;) {
        size_t length = strcspn(line, "\n"), trimmed = length;
        while (trimmed && (line[trimmed - 1] == ' ' || line[trimmed - 1] == '\r')) trimmed--;
        const char *end = line + trimmed, *kernel = memmem(line, length, "entry function '", 16),
                   *function = memmem(line, length, "properties for ", 15);
        if (kernel)
            ours = (size_t)(end - kernel - 16) > name && memcmp(kernel + 16, entry, name) == 0 &&
                   kernel[16 + name] == '\'';
        else if (function)
            own_properties =
                (size_t)(end - function - 15) == name && memcmp(function + 15, entry, name) == 0;
        else if (ours && (own_properties || memmem(line, length, "Used ", 5))) {
            int64_t registers = nvrtc_number_before(line, length, " registers"),
                    stack = nvrtc_number_before(line, length, " bytes stack frame");
            int64_t stores = nvrtc_number_before(line, length, " bytes spill stores"),
                    loads = nvrtc_number_before(line, length, " bytes spill loads");
            if (registers >= 0) resources->registers = registers;
            if (stack >= 0) resources->stack_bytes = stack;
            if (stores >= 0 && loads >= 0) resources->spill_bytes = stores + loads;
        }
        line += length + (line[length] == '\n');
    }
}
