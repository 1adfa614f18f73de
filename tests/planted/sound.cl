/* No fault: what the other two do, done right. Oclgrind must be silent. */
__kernel void planted(__global uint *values)
{
    HED_LOCAL_ARRAY(uint, shared, 16);
    uint item = (uint)get_local_id(0);
    shared[item] = item;
    barrier(CLK_LOCAL_MEM_FENCE);
    values[get_global_id(0)] = shared[(item + 1) % 16];
}
