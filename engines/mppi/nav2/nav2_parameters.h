/* Parameters of Nav2's controller that have a meaning here, one row each: name in the file, kind,
 * default of Nav2's code, smallest and largest value. Every list makes a struct of doubles and a
 * table for the reader (nav2_rows.c); flags are 0 or 1. */
#ifndef HED_NAV2_PARAMETERS_H
#define HED_NAV2_PARAMETERS_H

/* default of max_robot_pose_search_dist: half the larger side of the costmap */
#define NAV2_HALF_COSTMAP -1e6

/* parameters of controller_server */
#define NAV2_SERVER(P) \
    P(controller_frequency, NUMBER, 20, 0.01, 10000) \
    P(failure_tolerance, NUMBER, 0, -1, 1e6) \
    P(min_x_velocity_threshold, NUMBER, 1e-4, 0, 1e3) \
    P(min_y_velocity_threshold, NUMBER, 1e-4, 0, 1e3) \
    P(min_theta_velocity_threshold, NUMBER, 1e-4, 0, 1e3)

/* parameters of the goal checker */
#define NAV2_GOAL(P) \
    P(xy_goal_tolerance, NUMBER, 0.25, 0, 1e3) \
    P(xy_goal_tolerance_buffer, NUMBER, 0, 0, 1e3) \
    P(yaw_goal_tolerance, NUMBER, 0.25, 0, 7) \
    P(symmetric_yaw_tolerance, FLAG, 0, 0, 1) \
    P(path_length_tolerance, NUMBER, 1, 0, 1e6) \
    P(stateful, FLAG, 1, 0, 1)

/* parameters of the path handler; releases before 1.5 have them below the controller */
#define NAV2_PATH(P) \
    P(prune_distance, NUMBER, 2, 0.01, 1e4) \
    P(max_robot_pose_search_dist, NUMBER, NAV2_HALF_COSTMAP, -1e5, 1e5) \
    P(enforce_path_inversion, FLAG, 0, 0, 1) \
    P(inversion_xy_tolerance, NUMBER, 0.2, 0, 1e3) \
    P(inversion_yaw_tolerance, NUMBER, 0.4, 0, 7) \
    P(enforce_path_rotation, FLAG, 0, 0, 1) \
    P(minimum_rotation_angle, NUMBER, 0.785, 0, 7) \
    P(reject_unit_path, FLAG, 0, 0, 1)

/* parameters of the controller */
#define NAV2_CONTROL(P) \
    P(model_dt, NUMBER, 0.05, 1e-3, 10) \
    P(time_steps, WHOLE, 56, 2, 1024) \
    P(batch_size, WHOLE, 1000, 1, 1048576) \
    P(iteration_count, WHOLE, 1, 1, 100) \
    P(temperature, NUMBER, 0.3, 1e-6, 1e6) \
    P(gamma, NUMBER, 0.015, 0, 1e6) \
    P(vx_max, NUMBER, 0.5, -1e3, 1e3) \
    P(vx_min, NUMBER, -0.35, -1e3, 1e3) \
    P(vy_max, NUMBER, 0.5, 0, 1e3) \
    P(wz_max, NUMBER, 1.9, 0, 1e3) \
    P(ax_max, NUMBER, 3, -1e4, 1e4) \
    P(ax_min, NUMBER, -3, -1e4, 1e4) \
    P(ay_max, NUMBER, 3, -1e4, 1e4) \
    P(ay_min, NUMBER, -3, -1e4, 1e4) \
    P(az_max, NUMBER, 3.5, 0, 1e4) \
    P(vx_std, NUMBER, 0.2, 0, 1e3) \
    P(vy_std, NUMBER, 0.2, 0, 1e3) \
    P(wz_std, NUMBER, 0.4, 0, 1e3) \
    P(model_delay_vx, NUMBER, 0, 0, 2) \
    P(model_delay_vy, NUMBER, 0, 0, 2) \
    P(model_delay_wz, NUMBER, 0, 0, 2) \
    P(open_loop, FLAG, 0, 0, 1) \
    P(clamp_raw_controls, FLAG, 0, 0, 1) \
    P(sgf_order, WHOLE, 2, -100, 100) \
    P(retry_attempt_limit, WHOLE, 1, 0, 1000) \
    P(regenerate_noises, FLAG, 0, 0, 1)

/* parameters of the validator of the plan, release 1.5 */
#define NAV2_VALIDATOR(P) \
    P(collision_lookahead_time, NUMBER, 2, 0, 100) \
    P(consider_footprint, FLAG, 0, 0, 1)

/* parameters of the local costmap */
#define NAV2_COSTMAP(P) \
    P(width, WHOLE, 5, 1, 1e5) \
    P(height, WHOLE, 5, 1, 1e5) \
    P(robot_radius, NUMBER, 0.1, 0, 1e3) \
    P(footprint_padding, NUMBER, 0.01, -1e3, 1e3) \
    P(track_unknown_space, FLAG, 0, 0, 1)

/* parameters of its inflation layer */
#define NAV2_INFLATION(P) \
    P(inflation_radius, NUMBER, 0.55, 0, 1e3) \
    P(cost_scaling_factor, NUMBER, 10, 0, 1e6) \
    P(inflate_unknown, FLAG, 0, 0, 1) \
    P(enabled, FLAG, 1, 0, 1)

/* ---- critics: parameters; a row; a function of the same name in nav2_critics.h ---- */

#define NAV2_WEIGHT(P, weight) \
    P(enabled, FLAG, 1, 0, 1) \
    P(cost_weight, NUMBER, weight, -1e9, 1e9) P(cost_power, WHOLE, 1, 0, 64)
#define NAV2_WITHIN(P, distance) P(threshold_to_consider, NUMBER, distance, -1e6, 1e6)

#define NAV2_CONSTRAINT(P) NAV2_WEIGHT(P, 4)
#define NAV2_GOAL_CRITIC(P) NAV2_WEIGHT(P, 5) NAV2_WITHIN(P, 1.4)
#define NAV2_GOAL_ANGLE(P) \
    NAV2_WEIGHT(P, 3) NAV2_WITHIN(P, 0.5) P(symmetric_yaw_tolerance, FLAG, 0, 0, 1)
#define NAV2_PREFER_FORWARD(P) NAV2_WEIGHT(P, 5) NAV2_WITHIN(P, 0.5)
#define NAV2_TWIRLING(P) NAV2_WEIGHT(P, 10)
#define NAV2_DEADBAND(P) \
    NAV2_WEIGHT(P, 35) \
    P(deadband_vx, LIST, 0, -1e3, 1e3) \
    P(deadband_vy, LIST, 0, -1e3, 1e3) \
    P(deadband_wz, LIST, 0, -1e3, 1e3)
#define NAV2_PATH_FOLLOW(P) \
    NAV2_WEIGHT(P, 5) NAV2_WITHIN(P, 1.4) P(offset_from_furthest, WHOLE, 6, 0, 1e5)
#define NAV2_PATH_ANGLE(P) \
    NAV2_WEIGHT(P, 2.2) \
    NAV2_WITHIN(P, 0.5) \
    P(offset_from_furthest, WHOLE, 4, 0, 1e5) \
    P(max_angle_to_furthest, NUMBER, 0.785398, 0, 10) \
    P(mode, WHOLE, 0, 0, 2)
#define NAV2_PATH_ALIGN(P) \
    NAV2_WEIGHT(P, 10) \
    NAV2_WITHIN(P, 0.5) \
    P(offset_from_furthest, WHOLE, 20, 0, 1e5) \
    P(trajectory_point_step, WHOLE, 4, 1, 1024) \
    P(max_path_occupancy_ratio, NUMBER, 0.07, 0, 1e6) \
    P(use_path_orientations, FLAG, 0, 0, 1)
#define NAV2_COST(P) \
    NAV2_WEIGHT(P, 3.81) \
    P(near_collision_cost, WHOLE, 253, 0, 1e6) \
    P(critical_cost, NUMBER, 300, -1e9, 1e9) \
    P(collision_cost, NUMBER, 1e6, -1e12, 1e12) \
    P(near_goal_distance, NUMBER, 0.5, -1e6, 1e6) \
    P(trajectory_point_step, WHOLE, 2, 1, 1024) \
    P(consider_footprint, FLAG, 0, 0, 1)
#define NAV2_OBSTACLES(P) \
    P(enabled, FLAG, 1, 0, 1) \
    P(cost_power, WHOLE, 1, 0, 64) \
    P(repulsion_weight, NUMBER, 1.5, -1e9, 1e9) \
    P(critical_weight, NUMBER, 20, -1e9, 1e9) \
    P(collision_cost, NUMBER, 1e5, -1e12, 1e12) \
    P(collision_margin_distance, NUMBER, 0.1, -1e6, 1e6) \
    P(near_goal_distance, NUMBER, 0.5, -1e6, 1e6) \
    P(consider_footprint, FLAG, 0, 0, 1)

/* The critics: name, parameters, and the gate that switches it on for a cycle: ALWAYS; NEAR and
 * FAR by the distance left and threshold_to_consider; OWN: a NAV2_GATE of its own.
 * Then the stage at which a tile is scored: ROLLED, while it is in the cache; REACHED, once the
 * furthest point of all futures is known. */
#define NAV2_CRITICS(C) \
    C(ConstraintCritic, NAV2_CONSTRAINT, ALWAYS, ROLLED) \
    C(CostCritic, NAV2_COST, OWN, ROLLED) \
    C(GoalCritic, NAV2_GOAL_CRITIC, NEAR, ROLLED) \
    C(GoalAngleCritic, NAV2_GOAL_ANGLE, NEAR, ROLLED) \
    C(ObstaclesCritic, NAV2_OBSTACLES, OWN, ROLLED) \
    C(PathAlignCritic, NAV2_PATH_ALIGN, OWN, REACHED) \
    C(PathAngleCritic, NAV2_PATH_ANGLE, OWN, REACHED) \
    C(PathFollowCritic, NAV2_PATH_FOLLOW, OWN, REACHED) \
    C(PreferForwardCritic, NAV2_PREFER_FORWARD, FAR, ROLLED) \
    C(TwirlingCritic, NAV2_TWIRLING, OWN, ROLLED) \
    C(VelocityDeadbandCritic, NAV2_DEADBAND, ALWAYS, ROLLED)

#define NAV2_MEMBER(name, kind, value, low, high) double name;
typedef struct nav2_server { NAV2_SERVER(NAV2_MEMBER) } nav2_server;
typedef struct nav2_goal { NAV2_GOAL(NAV2_MEMBER) } nav2_goal;
typedef struct nav2_path_rules { NAV2_PATH(NAV2_MEMBER) } nav2_path_rules;
typedef struct nav2_control { NAV2_CONTROL(NAV2_MEMBER) } nav2_control;
typedef struct nav2_validator { NAV2_VALIDATOR(NAV2_MEMBER) } nav2_validator;
typedef struct nav2_costmap { NAV2_COSTMAP(NAV2_MEMBER) } nav2_costmap;
typedef struct nav2_inflation { NAV2_INFLATION(NAV2_MEMBER) } nav2_inflation;
#define NAV2_CRITIC_STRUCT(name, parameters, ...) \
    typedef struct nav2_##name { \
        parameters(NAV2_MEMBER) \
    } nav2_##name;
NAV2_CRITICS(NAV2_CRITIC_STRUCT)

#endif
