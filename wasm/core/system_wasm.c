/* Functions of the C library that emscripten's lacks, or has wrong. */
#include <link.h>

#undef fmaf
float fmaf(float a, float b, float c);

/* Replaces musl's for a caller that was compiled without system.h, such as the library itself. */
float fmaf(float a, float b, float c) { return wasm_fma(a, b, c); }

/* A module has no loaded objects. */
int dl_iterate_phdr(int (*callback)(struct dl_phdr_info *, size_t, void *), void *user)
{
    return 0;
}
