/* Heddle's own models and terms: the only list of them. A row has all facts about a term except its
 * text, which is NAME.h in state_terms/ or pose_terms/; the build compiles every text of these two
 * folders for the processor and embeds it for devices. catalogue.c makes descriptions of the rows,
 * native_texts.h the layout of P(name). CONTRIBUTING.md has how to add a term.
 *
 *   TERM, SUM(name, summary, parameters, tables, when)
 *   MODEL(name, summary, parameters, tables)
 *                                       the other members of a model are in catalogue.c
 *   NUMBER, STATES, CONTROLS(name, default, summary)
 *                                       a parameter: a number; an array with an element for each
 *                                       state or control
 *   TABLE(name)                         a table of the text
 *
 * A user of a list passes the macros; an empty one removes its part of the row:
 * MPPI_TERMS(DECLARE, , , , ) uses the names alone. */
#ifndef HED_MPPI_LIST_H
#define HED_MPPI_LIST_H

/* clang-format off */
#define MPPI_TERMS(TERM, NUMBER, STATES, CONTROLS, TABLE) \
    MPPI_STATE_TERMS(TERM, TERM, NUMBER, STATES, CONTROLS, TABLE) \
    MPPI_POSE_TERMS(TERM, NUMBER, STATES, CONTROLS, TABLE)

/* Terms over all states, which are compiled for each model: state_terms/. Over lanes, a SUM skips
 * states (SUM_LANES of sample_lanes.h). */
#define MPPI_STATE_TERMS(TERM, SUM, NUMBER, STATES, CONTROLS, TABLE) \
    TERM(quadratic, "weighted squares of states from a goal, and of controls", \
        STATES(goal, 0.0f, "where to, units of the states") \
        STATES(state, 1.0f, "weight of each state's square") \
        CONTROLS(control, 0.0f, "weight of each control's square"), \
        /* no tables */, HED_MPPI_RUNNING) \
    SUM(barrier, "limits of states", \
        NUMBER(margin, 0.1f, "distance from a limit below which it costs, units of the states") \
        NUMBER(crash, 0.0f, "cost beyond a limit; 0: such a future is out") \
        STATES(low, 0.0f, "lower limit") \
        STATES(high, 0.0f, "upper limit"), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(cosines, "a sum of cosines, for measurements", \
        NUMBER(count, 50.0f, "how many"), \
        /* no tables */, HED_MPPI_RUNNING)

/* Offset of a path, map or track, which moves it as a whole. */
#define MPPI_PLACE(NUMBER) \
    NUMBER(x, 0.0f, "offset of the whole, m") \
    NUMBER(y, 0.0f, "offset of the whole, m")

#define MPPI_CIRCLE(NUMBER) \
    NUMBER(radius, 2.0f, "of the middle of the track, m") \
    NUMBER(half_width, 0.125f, "of the track, m") \
    NUMBER(speed, 2.0f, "m/s") \
    NUMBER(crash, 1000.0f, "cost off the track") \
    MPPI_PLACE(NUMBER)

/* Terms that use POSE_X and similar indices, which are compiled once: pose_terms/. */
#define MPPI_POSE_TERMS(TERM, NUMBER, STATES, CONTROLS, TABLE) \
    TERM(goal, "distance from a goal", \
        NUMBER(x, 0.0f, "m") \
        NUMBER(y, 0.0f, "m"), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(goal_angle, "heading at a goal", \
        NUMBER(x, 0.0f, "m") \
        NUMBER(y, 0.0f, "m") \
        NUMBER(angle, 0.0f, "heading at the goal, rad") \
        NUMBER(within, 0.5f, "distance from the goal from which on the heading counts, m"), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(circle, "driving round a circular track, with a crash off it", \
        MPPI_CIRCLE(NUMBER), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(circle_robust, "the same, costing more towards the track's edge", \
        MPPI_CIRCLE(NUMBER), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(costmap, "value of a map at the position, lethal above a bound", \
        NUMBER(lethal, 0.65f, "value from which on it is a crash") \
        NUMBER(crash, 0.0f, "cost of that; 0: such a future is out") \
        NUMBER(outside, 0.0f, "value off the map") \
        MPPI_PLACE(NUMBER), \
        TABLE(costmap), HED_MPPI_RUNNING) \
    TERM(clearance, "gap to the obstacles of a map", \
        NUMBER(radius, 0.2f, "of the robot, m") \
        NUMBER(margin, 0.5f, "gap below which it costs, m") \
        NUMBER(crash, 0.0f, "cost of a collision; 0: such a future is out") \
        NUMBER(outside, 0.0f, "distance off the map, m") \
        MPPI_PLACE(NUMBER), \
        TABLE(distance), HED_MPPI_RUNNING) \
    TERM(obstacles, "gap to discs that move", \
        NUMBER(radius, 0.2f, "of the robot, m") \
        NUMBER(margin, 0.5f, "gap below which it costs, m") \
        NUMBER(crash, 0.0f, "cost of a collision; 0: such a future is out") \
        MPPI_PLACE(NUMBER), \
        TABLE(obstacles), HED_MPPI_RUNNING) \
    TERM(path_align, "distance from a path", \
        MPPI_PLACE(NUMBER), \
        TABLE(path), HED_MPPI_RUNNING) \
    TERM(path_angle, "heading along a path", \
        MPPI_PLACE(NUMBER), \
        TABLE(path), HED_MPPI_RUNNING) \
    TERM(path_follow, "length of a path that is still ahead", \
        NUMBER(left, 0.0f, "length that should be ahead; 0: the path's end, m") \
        MPPI_PLACE(NUMBER), \
        TABLE(path), HED_MPPI_TERMINAL) \
    TERM(prefer_forward, "speed backwards", \
        /* no parameters */, \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(twirling, "turn rate", /* no parameters */, /* no tables */, HED_MPPI_RUNNING) \
    TERM(constraint, "speed and curves beyond what the robot can do", \
        NUMBER(fastest, 0.5f, "m/s") \
        NUMBER(slowest, -0.35f, "m/s; below 0: backwards") \
        NUMBER(turning_radius, 0.0f, "smallest, m"), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(velocity_deadband, "velocities too small for the drive", \
        NUMBER(speed, 0.05f, "smallest that the drive can do, m/s") \
        NUMBER(turn, 0.05f, "smallest that the drive can do, rad/s"), \
        /* no tables */, HED_MPPI_RUNNING) \
    TERM(speed, "distance from a speed that is wanted", \
        NUMBER(wanted, 1.0f, "m/s"), \
        /* no tables */, HED_MPPI_RUNNING)

#define MPPI_MODELS(MODEL, NUMBER, TABLE) \
    MODEL(cartpole, "a pole on a cart that a force moves", \
        NUMBER(cart, 1.0f, "mass of the cart, kg") \
        NUMBER(pole, 1.0f, "mass at the pole's end, kg") \
        NUMBER(length, 1.0f, "length of the pole, m") \
        NUMBER(gravity, 9.81f, "m/s^2"), \
        /* no tables */) \
    MODEL(double_integrator, "a point in the plane that is accelerated", /* no parameters */, /* no tables */) \
    MODEL(pendulum, "a pendulum that a torque swings", \
        NUMBER(mass, 1.0f, "at the end, kg") \
        NUMBER(length, 1.0f, "m") \
        NUMBER(gravity, 9.81f, "m/s^2") \
        NUMBER(damping, 0.0f, "torque for each turn rate, N m s"), \
        /* no tables */) \
    MODEL(dubins, "a car of constant speed that turns", \
        NUMBER(speed, 1.0f, "m/s"), \
        /* no tables */) \
    MODEL(differential_drive, "a robot on two driven wheels, told its speed and turn rate", \
        NUMBER(lag, 0.0f, "time constant of speed and turn rate, s"), \
        /* no tables */) \
    MODEL(bicycle, "a car whose tyres slip (single-track model)", \
        NUMBER(mass, 1500.0f, "kg") \
        NUMBER(inertia, 2500.0f, "about the vertical axis, kg m^2") \
        NUMBER(front, 1.2f, "centre of mass to the front axle, m") \
        NUMBER(rear, 1.4f, "centre of mass to the rear axle, m") \
        NUMBER(stiffness_front, 80000.0f, "sideways force of the axle for each slip angle, N/rad") \
        NUMBER(stiffness_rear, 90000.0f, "sideways force of the axle for each slip angle, N/rad") \
        NUMBER(grip, 0.9f, "largest sideways force of an axle as a share of its load") \
        NUMBER(drag, 0.0005f, "deceleration for each square of speed, 1/m") \
        NUMBER(gravity, 9.81f, "m/s^2"), \
        /* no tables */) \
    MODEL(quadrotor, "a quadrotor, a rigid body with thrust and torques", \
        NUMBER(mass, 1.0f, "kg") \
        NUMBER(inertia_x, 0.01f, "kg m^2") \
        NUMBER(inertia_y, 0.01f, "kg m^2") \
        NUMBER(inertia_z, 0.02f, "kg m^2") \
        NUMBER(gravity, 9.81f, "m/s^2"), \
        /* no tables */) \
    MODEL(network, "a car whose accelerations a neural network gives", /* no parameters */, TABLE(network))
/* clang-format on */

#endif
