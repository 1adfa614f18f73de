#include <heddle/heddle.h>
#include <stdio.h>

/* The same work in C: it runs where there is no GPU, and checks every other device. */
static void square(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (float *x = call->arguments[0]; begin < end; begin++) x[begin] *= x[begin];
}
static const char text[] = "__kernel void square(__global float *x)\n"
                           "{ uint i = get_global_id(0); if (i < 5) x[i] *= x[i]; }\n";
static const hed_kernel_def def = {.name = "square",
    HED_SOURCES({"square.cl", text, 0}),
    HED_ARGUMENTS(HED_INOUT(float, x)),
    .range = square};
int main(void)
{
    float x[] = {1, 2, 3, 4, 5};
    hed_geometry five = {.dimensions = 1, .global = {5}};
    hed_error error = {0};
    hed_session on = {0};
    hed_buffer *buffer = NULL;
    hed_kernel *kernel = NULL;
    hed_open(&on, &error); /* after an error, the next calls do nothing */
    hed_buffer_create(on.device, &(hed_buffer_def){.size = sizeof x}, &buffer, &error);
    hed_kernel_create(on.device, &def, NULL, &kernel, &error);
    hed_write(on.stream, buffer, 0, x, sizeof x, &error);
    hed_launch_over(on.stream, kernel, &five, HED_ARGS(buffer), &error);
    hed_read(on.stream, x, buffer, 0, sizeof x, &error);
    if (hed_stream_wait(on.stream, &error)) fprintf(stderr, "%s\n%s", error.text, error.log);
    else printf("%s: %g %g %g %g %g\n", on.name, x[0], x[1], x[2], x[3], x[4]);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffer);
    hed_close(&on);
    return hed_failed(&error);
}
