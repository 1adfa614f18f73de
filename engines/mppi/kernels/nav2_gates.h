/* Gates and targets of the critics that depend on the furthest point; nav2_words.h precedes it.
 * NAV2_GATE in nav2/nav2_critics.h has the same formulas. */

/* Gate of PathAlignCritic: its furthest point and the points without validity before it. */
MPPI_FUNCTION int reach_aligns(NAV2_INPUT, uint furthest)
{
    if (!nav2_is_active(f, NAV2_AT_ALIGN) || furthest < f->align_offset || furthest == 0) return 0;
    float blocked = NAV2_FLOATS(f->blocked)[furthest];
    return !(blocked > 2.0f && blocked / (float)furthest > f->align_ratio);
}
/* Target of PathFollowCritic, past points in collision; the last point has no validity. */
MPPI_FUNCTION uint reach_follow(NAV2_INPUT, uint furthest)
{
    uint i = nav2_target(f, furthest, f->follow_offset);
    while (i + 2 < f->points && NAV2_FLOATS(f->valid)[i] == 0.0f) i++;
    return i;
}
/* Gate of PathAngleCritic, from the robot's pose. */
MPPI_FUNCTION int reach_turns(NAV2_INPUT, uint target)
{
    if (!nav2_is_active(f, NAV2_AT_ANGLE)) return 0;
    float bearing =
        mppi_atan2(NAV2_FLOATS(f->path_y)[target] - f->y, NAV2_FLOATS(f->path_x)[target] - f->x);
    float against = mppi_abs(mppi_wrap(bearing - NAV2_FLOATS(f->path_yaw)[target]));
    if (f->angle_mode == 2 && against > 1.57079637f) bearing += 3.14159274f;
    float angle = mppi_abs(mppi_wrap(bearing - f->yaw));
    if (f->angle_mode == 1) angle = mppi_min(angle, 3.14159274f - angle);
    return angle >= f->angle_gate;
}
