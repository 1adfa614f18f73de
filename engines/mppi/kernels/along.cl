/* States along the plan of each system, (systems x STEPS + 1 x MODEL_STATES), for models without
 * a C function: as mppi_keep() of mppi_plan.c. One item of a group steps the model; the others load
 * the inputs. */
__kernel void mppi_along(__global const uint *inputs, __global float *states,
    __global const float *tables, const mppi_fixed fixed, HED_LOCAL(float, block))
{
    HED_LOCAL_USE(float, block);
    const mppi_fixed *f = &fixed;
    uint system = (uint)get_group_id(0), id = (uint)get_local_id(0);
    float registers[MPPI_OWN_PARAMETERS ? PARAMETERS : 1], x[MODEL_STATES], u[MODEL_CONTROLS];
    mppi_tile made, *tile = &made;
    mppi_world world;
    tile->block = block;
    tile->tables = tables;
    for (uint i = id; i < INPUTS; i += (uint)get_local_size(0))
        block[AT_INPUTS + i] = hed_as_float(inputs[system * INPUTS + i]);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id != 0) return;
    tile_world(f, tile, registers, &world);
    states += (size_t)system * (STEPS + 1) * MODEL_STATES;
    for (uint i = 0; i < MODEL_STATES; i++) states[i] = x[i] = INPUT(IN_STATE + i);
    TILE_UNROLL_BY(1)
    for (int t = 0; t < STEPS; t++) {
        for (int i = 0; i < MODEL_CONTROLS; i++) {
            int at = (t - DELAY) * MODEL_CONTROLS + i;
            u[i] = t < DELAY ? INPUT(IN_PAST + PASTS * MODEL_CONTROLS + at) : INPUT(IN_PLAN + at);
        }
        model_step(x, u, world.dt, &world);
        states += MODEL_STATES;
        for (uint i = 0; i < MODEL_STATES; i++) states[i] = x[i];
    }
}
