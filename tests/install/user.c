/* A user's program: it knows the installed headers and libraries alone. y = 2 x + 1 on the device
 * that HEDDLE_DEVICE names. */
#include <stdio.h>

#include <heddle/canonical.h>
#include <heddle/heddle.h>

int main(void)
{
    float x[64], y[64];
    for (int i = 0; i < 64; i++) x[i] = (float)i, y[i] = 1;
    hed_error error = {0};
    hed_context *context;
    hed_device *device;
    hed_stream *stream;
    hed_kernel *saxpy;
    hed_buffer *a, *b;
    hed_buffer_def size = hed_default_buffer_def(sizeof x);
    hed_problem problem = hed_problem_1d(64);
    if (hed_context_create(NULL, &context, &error) ||
        hed_device_find(context, NULL, &device, &error) ||
        hed_stream_create(device, NULL, &stream, &error) ||
        hed_buffer_create(device, &size, &a, &error) ||
        hed_buffer_create(device, &size, &b, &error) ||
        hed_kernel_create(device, hed_canonical_find("saxpy"), NULL, &saxpy, &error) ||
        hed_write(stream, a, 0, x, sizeof x, &error) ||
        hed_write(stream, b, 0, y, sizeof y, &error) ||
        hed_launch(stream, saxpy, &problem,
            (hed_argument[]){hed_buffer_argument(a), hed_buffer_argument(b), hed_float_argument(2),
                hed_uint_argument(64)},
            4, &error) ||
        hed_read(stream, y, b, 0, sizeof y, &error) || hed_stream_wait(stream, &error)) {
        fprintf(stderr, "%s\n", error.text);
        return 1;
    }
    printf("Heddle %s on %s: %g %g ... %g\n", hed_version_text(), hed_device_describe(device).name,
        y[0], y[1], y[63]);
    hed_kernel_destroy(saxpy);
    hed_buffer_destroy(a);
    hed_buffer_destroy(b);
    hed_stream_destroy(stream);
    hed_context_destroy(context);
    return y[0] != 1 || y[63] != 127;
}
