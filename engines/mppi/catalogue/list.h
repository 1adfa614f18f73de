/* Heddle's own models and terms, and their parameters: the only place with the parameters'
 * names, defaults and units. catalogue.c makes descriptions of it, native_texts.h the layout of
 * P(name).
 *
 *   MPPI_MODELS(TEXT), MPPI_TERMS(TEXT)
 *                                       TEXT(name) for each
 *   PARAMETERS_name(NUMBER, STATES, CONTROLS)
 *                                       a number; an array with an element for each state or
 *                                       control: (name, default, summary)
 *   TABLES_name(TABLE)                  tables of the text: (name) */
#ifndef HED_MPPI_LIST_H
#define HED_MPPI_LIST_H

#define MPPI_MODELS(TEXT) \
    TEXT(cartpole) \
    TEXT(double_integrator) \
    TEXT(pendulum) TEXT(dubins) TEXT(differential_drive) TEXT(bicycle) TEXT(quadrotor) TEXT(network)
#define MPPI_TERMS(TEXT) MPPI_STATE_TERMS(TEXT) MPPI_POSE_TERMS(TEXT)
/* terms over all states, and terms that use POSE_X and similar indices */
#define MPPI_STATE_TERMS(TEXT) TEXT(quadratic) TEXT(barrier) TEXT(cosines)
#define MPPI_POSE_TERMS(TEXT) \
    TEXT(goal) \
    TEXT(goal_angle) \
    TEXT(circle) \
    TEXT(circle_robust) TEXT(costmap) TEXT(clearance) TEXT(obstacles) TEXT(path_align) \
        TEXT(path_angle) TEXT(path_follow) TEXT(prefer_forward) TEXT(twirling) TEXT(constraint) \
            TEXT(velocity_deadband) TEXT(speed)

/* ---- models ---- */

#define PARAMETERS_cartpole(NUMBER, STATES, CONTROLS) \
    NUMBER(cart, 1.0f, "mass of the cart, kg") \
    NUMBER(pole, 1.0f, "mass at the pole's end, kg") \
    NUMBER(length, 1.0f, "length of the pole, m") \
    NUMBER(gravity, 9.81f, "m/s^2")
#define TABLES_cartpole(TABLE)

#define PARAMETERS_double_integrator(NUMBER, STATES, CONTROLS)
#define TABLES_double_integrator(TABLE)

#define PARAMETERS_pendulum(NUMBER, STATES, CONTROLS) \
    NUMBER(mass, 1.0f, "at the end, kg") \
    NUMBER(length, 1.0f, "m") \
    NUMBER(gravity, 9.81f, "m/s^2") \
    NUMBER(damping, 0.0f, "torque for each turn rate, N m s")
#define TABLES_pendulum(TABLE)

#define PARAMETERS_dubins(NUMBER, STATES, CONTROLS) NUMBER(speed, 1.0f, "m/s")
#define TABLES_dubins(TABLE)

#define PARAMETERS_differential_drive(NUMBER, STATES, CONTROLS) \
    NUMBER(lag, 0.0f, "time constant of speed and turn rate, s")
#define TABLES_differential_drive(TABLE)

#define PARAMETERS_bicycle(NUMBER, STATES, CONTROLS) \
    NUMBER(mass, 1500.0f, "kg") \
    NUMBER(inertia, 2500.0f, "about the vertical axis, kg m^2") \
    NUMBER(front, 1.2f, "centre of mass to the front axle, m") \
    NUMBER(rear, 1.4f, "centre of mass to the rear axle, m") \
    NUMBER(stiffness_front, 80000.0f, "sideways force of the axle for each slip angle, N/rad") \
    NUMBER(stiffness_rear, 90000.0f, "sideways force of the axle for each slip angle, N/rad") \
    NUMBER(grip, 0.9f, "largest sideways force of an axle as a share of its load") \
    NUMBER(drag, 0.0005f, "deceleration for each square of speed, 1/m") \
    NUMBER(gravity, 9.81f, "m/s^2")
#define TABLES_bicycle(TABLE)

#define PARAMETERS_quadrotor(NUMBER, STATES, CONTROLS) \
    NUMBER(mass, 1.0f, "kg") \
    NUMBER(inertia_x, 0.01f, "kg m^2") \
    NUMBER(inertia_y, 0.01f, "kg m^2") \
    NUMBER(inertia_z, 0.02f, "kg m^2") \
    NUMBER(gravity, 9.81f, "m/s^2")
#define TABLES_quadrotor(TABLE)

#define PARAMETERS_network(NUMBER, STATES, CONTROLS)
#define TABLES_network(TABLE) TABLE(network)

/* ---- terms ---- */

#define PARAMETERS_quadratic(NUMBER, STATES, CONTROLS) \
    STATES(goal, 0.0f, "where to, units of the states") \
    STATES(state, 1.0f, "weight of each state's square") \
    CONTROLS(control, 0.0f, "weight of each control's square")
#define TABLES_quadratic(TABLE)

#define PARAMETERS_goal(NUMBER, STATES, CONTROLS) \
    NUMBER(x, 0.0f, "m") \
    NUMBER(y, 0.0f, "m")
#define TABLES_goal(TABLE)

#define PARAMETERS_goal_angle(NUMBER, STATES, CONTROLS) \
    NUMBER(x, 0.0f, "m") \
    NUMBER(y, 0.0f, "m") \
    NUMBER(angle, 0.0f, "heading at the goal, rad") \
    NUMBER(within, 0.5f, "distance from the goal up to which the heading counts, m")
#define TABLES_goal_angle(TABLE)

#define PARAMETERS_circle(NUMBER, STATES, CONTROLS) \
    NUMBER(radius, 2.0f, "of the middle of the track, m") \
    NUMBER(half_width, 0.125f, "of the track, m") \
    NUMBER(speed, 2.0f, "m/s") \
    NUMBER(crash, 1000.0f, "cost off the track")
#define TABLES_circle(TABLE)

#define PARAMETERS_circle_robust(NUMBER, STATES, CONTROLS) \
    PARAMETERS_circle(NUMBER, STATES, CONTROLS)
#define TABLES_circle_robust(TABLE)

#define PARAMETERS_costmap(NUMBER, STATES, CONTROLS) \
    NUMBER(lethal, 0.65f, "value from which on it is a crash") \
    NUMBER(crash, 1000.0f, "cost of that") \
    NUMBER(outside, 0.0f, "value off the map")
#define TABLES_costmap(TABLE) TABLE(costmap)

#define PARAMETERS_clearance(NUMBER, STATES, CONTROLS) \
    NUMBER(radius, 0.2f, "of the robot, m") \
    NUMBER(margin, 0.5f, "gap below which it costs, m") \
    NUMBER(crash, 1000.0f, "cost of a collision") \
    NUMBER(outside, 0.0f, "distance off the map, m")
#define TABLES_clearance(TABLE) TABLE(distance)

#define PARAMETERS_obstacles(NUMBER, STATES, CONTROLS) \
    NUMBER(radius, 0.2f, "of the robot, m") \
    NUMBER(margin, 0.5f, "gap below which it costs, m") \
    NUMBER(crash, 1000.0f, "cost of a collision")
#define TABLES_obstacles(TABLE) TABLE(obstacles)

#define PARAMETERS_barrier(NUMBER, STATES, CONTROLS) \
    NUMBER(margin, 0.1f, "distance from a limit below which it costs, units of the states") \
    NUMBER(crash, 1000.0f, "cost beyond a limit") \
    STATES(low, 0.0f, "lower limit") \
    STATES(high, 0.0f, "upper limit")
#define TABLES_barrier(TABLE)

#define PARAMETERS_path_align(NUMBER, STATES, CONTROLS)
#define TABLES_path_align(TABLE) TABLE(path)

#define PARAMETERS_path_angle(NUMBER, STATES, CONTROLS)
#define TABLES_path_angle(TABLE) TABLE(path)

#define PARAMETERS_path_follow(NUMBER, STATES, CONTROLS)
#define TABLES_path_follow(TABLE) TABLE(path)

#define PARAMETERS_prefer_forward(NUMBER, STATES, CONTROLS)
#define TABLES_prefer_forward(TABLE)

#define PARAMETERS_twirling(NUMBER, STATES, CONTROLS)
#define TABLES_twirling(TABLE)

#define PARAMETERS_constraint(NUMBER, STATES, CONTROLS) \
    NUMBER(fastest, 0.5f, "m/s") \
    NUMBER(slowest, -0.35f, "m/s; below 0: backwards") \
    NUMBER(turning_radius, 0.0f, "smallest, m")
#define TABLES_constraint(TABLE)

#define PARAMETERS_velocity_deadband(NUMBER, STATES, CONTROLS) \
    NUMBER(speed, 0.05f, "smallest that the drive can do, m/s") \
    NUMBER(turn, 0.05f, "smallest that the drive can do, rad/s")
#define TABLES_velocity_deadband(TABLE)

#define PARAMETERS_speed(NUMBER, STATES, CONTROLS) NUMBER(wanted, 1.0f, "m/s")
#define TABLES_speed(TABLE)

#define PARAMETERS_cosines(NUMBER, STATES, CONTROLS) NUMBER(count, 50.0f, "how many")
#define TABLES_cosines(TABLE)

#endif
