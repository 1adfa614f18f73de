/* y = a x + b on vectors of a type that is tuned: `vector` is float, float2 or float4, `width` how
 * many numbers that is. A kernel as Kernel Tuner has them: nothing of Heddle in it. */
__kernel void scale(__global vector *y, __global const vector *x, float a, float b, int n)
{
    for (int i = 0; i < work_per_item; i++) {
        const int at = (get_group_id(0) * work_per_item + i) * block_size_x + get_local_id(0);
        if (at < n / vector_width) y[at] = a * x[at] + b;
    }
}
