/* A fault that Oclgrind must find: items read what their neighbours write, without a barrier
 * between. */
__kernel void planted(__global uint *values)
{
    HED_LOCAL_ARRAY(uint, shared, 16);
    uint item = (uint)get_local_id(0);
    shared[item] = item;
    values[get_global_id(0)] = shared[(item + 1) % 16];
}
