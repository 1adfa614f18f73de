#include <heddle/heddle.h>
#include <stdio.h>

/* The same work in C: what runs where there is no GPU, and what every other device is checked
 * against. */
static void square(const hed_native_call *call, uint64_t begin, uint64_t end)
{
    for (float *x = call->arguments[0]; begin < end; begin++) x[begin] *= x[begin];
}

int main(void)
{
    float x[] = {1, 2, 3, 4, 5};
    hed_source text = {"square.cl",
        "__kernel void square(__global float *x)\n"
        "{\n"
        "    uint i = get_global_id(0);\n"
        "    if (i < 5) x[i] *= x[i];\n"
        "}\n",
        0};
    hed_argument_def argument = {
        .name = "x", .kind = HED_BUFFER, .type = HED_FLOAT, .access = HED_READ_WRITE};
    hed_kernel_def def = {
        .name = "square", .sources = &text, .source_count = 1, .arguments = &argument,
        .argument_count = 1, .range = square,
    };
    hed_geometry five = {.dimensions = 1, .global = {5}};
    hed_buffer_def size = hed_default_buffer_def(sizeof x);
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_buffer *buffer;
    hed_kernel *kernel;
    hed_error error = {0};
    if (hed_context_create(NULL, &context, &error) ||
        hed_device_find(context, NULL, &device, &error) ||
        hed_stream_create(device, NULL, &stream, &error) ||
        hed_buffer_create(device, &size, &buffer, &error) ||
        hed_kernel_create(device, &def, NULL, &kernel, &error) ||
        hed_write(stream, buffer, 0, x, sizeof x, &error) ||
        hed_launch_over(
            stream, kernel, &five, (hed_argument[]){hed_buffer_argument(buffer)}, 1, &error) ||
        hed_read(stream, x, buffer, 0, sizeof x, &error) || hed_stream_wait(stream, &error)) {
        fprintf(stderr, "%s\n%s", error.text, error.log);
        return 1;
    }
    printf("%s: %g %g %g %g %g\n", hed_device_describe(device)->name, x[0], x[1], x[2], x[3], x[4]);
    hed_kernel_destroy(kernel);
    hed_buffer_destroy(buffer);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    return 0;
}
