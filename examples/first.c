/* The whole way in one page: a kernel and its native twin, described once, run on the best device there is. */
#include <heddle/heddle.h>
#include <stdio.h>

static const hed_source text = {"square.cl", "__kernel void square(__global float *x, int n)\n"
                                             "{\n"
                                             "    int i = (int)get_global_id(0);\n"
                                             "    if (i < n) x[i] *= x[i];\n"
                                             "}\n", 0};

static void square(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    float *x = call->arguments[0];
    for (uint64_t i = begin; i < end; i++) x[i] *= x[i];
}

static const hed_argument_def parameters[] = {{.name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE},
                                              {.name = "n", .kind = HED_SCALAR, .type = HED_INT32}};
static const hed_kernel_def def = {.name = "square", .sources = &text, .source_count = 1,
                                   .arguments = parameters, .argument_count = 2, .range = square};

int main(void)
{
    float x[5] = {1, 2, 3, 4, 5};
    hed_geometry over = {.dimensions = 1, .global = {5}};
    hed_buffer_def size = hed_default_buffer_def(sizeof x);
    hed_context *context = NULL;
    hed_device *device;
    hed_stream *stream = NULL;
    hed_kernel *kernel = NULL;
    hed_buffer *buffer = NULL;
    hed_error error;
    bool failed = hed_context_create(NULL, &context, &error) || hed_device_find(context, NULL, &device, &error) ||
                  hed_stream_create(device, NULL, &stream, &error) || hed_buffer_create(device, &size, &buffer, &error) ||
                  hed_kernel_create(device, &def, NULL, &kernel, &error) ||
                  hed_write(stream, buffer, 0, x, sizeof x, &error) ||
                  hed_launch_over(stream, kernel, &over, (hed_argument[]){hed_buffer_argument(buffer), hed_int_argument(5)}, 2, &error) ||
                  hed_read(stream, x, buffer, 0, sizeof x, &error) || hed_stream_wait(stream, &error);
    if (failed) fprintf(stderr, "%s\n%s", error.text, error.log);
    else printf("%s: %g %g %g %g %g\n", hed_device_get_info(device)->name, x[0], x[1], x[2], x[3], x[4]);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffer);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    return failed;
}
