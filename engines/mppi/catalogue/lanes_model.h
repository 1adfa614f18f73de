/* One model, for one state and over lanes: see sample_lanes.h. MODEL is its name, and its text is before
 * this one. MODEL_LINKAGE and MODEL_STEP are linkage and name of the functions; with MODEL_HAS_LANES the
 * includer defines the body of the lanes. */
HED_NATIVE_BODY OF_MODEL(_step_body)(
    float *x, const float *u, float dt, const hed_mppi_world *world)
{
    mppi_world w = scalar_world(world);
    model_step(x, u, dt, &w);
}
CLONES(/* extern */, MODEL_STEP, OF_MODEL(_step_body),
    (float *x, const float *u, float dt, const hed_mppi_world *world), (x, u, dt, world))

HED_NATIVE_BODY OF_MODEL(_roll_body)(
    float *states, const float *u, uint32_t steps, float dt, const hed_mppi_world *world)
{
    mppi_world w = scalar_world(world);
    float x[MODEL_STATES];
    memcpy(x, states, sizeof x);
    for (uint32_t t = 0; t < steps; t++) {
        model_step(x, u + t * MODEL_CONTROLS, dt, &w);
        states += MODEL_STATES;
        for (int i = 0; i < MODEL_STATES; i++) states[i] = x[i];
    }
}
CLONES(MODEL_LINKAGE, OF_MODEL(_roll), OF_MODEL(_roll_body),
    (float *states, const float *u, uint32_t steps, float dt, const hed_mppi_world *world),
    (states, u, steps, dt, world))

#ifndef MODEL_HAS_LANES
HED_NATIVE_BODY OF_MODEL(_lanes_body)(float *x, const float *u, const mppi_lanes_world *world)
{
    mppi_world w = lanes_world(world);
    float next[MODEL_STATES][MPPI_LANES]; /* aliases nothing */
    for (int lane = 0; lane < MPPI_LANES; lane++) {
        LANE_OF_MODEL
        model_step(state, control, w.dt, &w);
        for (int i = 0; i < MODEL_STATES; i++) next[i][lane] = state[i];
    }
    memcpy(x, next, sizeof next);
}
#endif
LANES_CLONES(MODEL_LINKAGE, OF_MODEL(_step_lanes), OF_MODEL(_lanes_body),
    (float *x, const float *u, const mppi_lanes_world *world), (x, u, world))
