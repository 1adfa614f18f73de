__kernel __attribute__((x)) void f(__local float *restrict a, local unsigned int *b)
{
    __local float4 c[2][3];
    /* " */ #
}
