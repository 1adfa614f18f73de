/* Weighted squares of each state's distance from its goal, an angle's by the shorter turn,
 * and of the controls. */
MPPI_FUNCTION float term_quadratic(const float *x, const float *u, int t, MPPI_WORLD w)
{
    float cost = 0.0f;
    MPPI_UNROLL
    for (int i = 0; i < MODEL_STATES; i++)
        cost = hed_fma(
            P_ARRAY(state)[i], mppi_square(mppi_difference(x[i], P_ARRAY(goal)[i], i)), cost);
    MPPI_UNROLL
    for (int i = 0; i < MODEL_CONTROLS; i++)
        cost = hed_fma(P_ARRAY(control)[i], mppi_square(u[i]), cost);
    return cost;
}
