/* Heddle's own models and terms: which there are, and what each is parametrised by. This is the only
 * place where parameters have their names, defaults and units; catalogue.c makes descriptions of it,
 * native.c the layout that P(name) stands for.
 *
 *   MPPI_MODELS(TEXT), MPPI_TERMS(TEXT)            TEXT(name) for each
 *   PARAMETERS_name(NUMBER, STATES, CONTROLS)      a number; an array with an element for each state
 *                                                  or control: (name, default, summary)
 *   TABLES_name(TABLE)                             the tables that it reads: (name) */
#ifndef HED_MPPI_LIST_H
#define HED_MPPI_LIST_H

#define MPPI_MODELS(TEXT) TEXT(cartpole) TEXT(double_integrator)
#define MPPI_TERMS(TEXT) TEXT(quadratic)

#define PARAMETERS_cartpole(NUMBER, STATES, CONTROLS) \
    NUMBER(cart, 1.0f, "mass of the cart, kg") \
    NUMBER(pole, 1.0f, "mass at the pole's end, kg") \
    NUMBER(length, 1.0f, "length of the pole, m") \
    NUMBER(gravity, 9.81f, "m/s^2")
#define TABLES_cartpole(TABLE)

#define PARAMETERS_double_integrator(NUMBER, STATES, CONTROLS)
#define TABLES_double_integrator(TABLE)

#define PARAMETERS_quadratic(NUMBER, STATES, CONTROLS) \
    STATES(goal, 0.0f, "where to, units of the states") \
    STATES(state, 1.0f, "weight of each state's square") \
    CONTROLS(control, 0.0f, "weight of each control's square")
#define TABLES_quadratic(TABLE)

#endif
