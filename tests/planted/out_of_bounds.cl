/* A fault that Oclgrind must find: the last item writes behind the buffer. */
__kernel void planted(__global uint *values)
{
    uint i = (uint)get_global_id(0);
    values[i + 1] = i;
}
