/* Heddle's own models on the processor, from the texts that devices compile: for one state, and
 * for MPPI_LANES samples at a time, with the terms over all states. */
#include "catalogue/native_texts.h"

#define TERM_LINKAGE static
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL cartpole
#define MODEL_STATES 4
#define MODEL_CONTROLS 1
#define MODEL_ANGLES MPPI_ANGLES_cartpole
#include "catalogue/cartpole.h"
#include "catalogue/native_model.inc"

#define MODEL double_integrator
#define MODEL_STATES 4
#define MODEL_CONTROLS 2
#define MODEL_ANGLES MPPI_ANGLES_double_integrator
#include "catalogue/double_integrator.h"
#include "catalogue/native_model.inc"

#define MODEL pendulum
#define MODEL_STATES 2
#define MODEL_CONTROLS 1
#define MODEL_ANGLES MPPI_ANGLES_pendulum
#include "catalogue/pendulum.h"
#include "catalogue/native_model.inc"

#define MODEL dubins
#define MODEL_STATES 3
#define MODEL_CONTROLS 1
#define MODEL_ANGLES MPPI_ANGLES_dubins
#include "catalogue/dubins.h"
#include "catalogue/native_model.inc"

#define MODEL differential_drive
#define MODEL_STATES 5
#define MODEL_CONTROLS 2
#define MODEL_ANGLES MPPI_ANGLES_differential_drive
#include "catalogue/differential_drive.h"
#include "catalogue/native_model.inc"

#define MODEL bicycle
#define MODEL_STATES 6
#define MODEL_CONTROLS 2
#define MODEL_ANGLES MPPI_ANGLES_bicycle
#include "catalogue/bicycle.h"
#include "catalogue/native_model.inc"

#define MODEL quadrotor
#define MODEL_STATES 12
#define MODEL_CONTROLS 4
#define MODEL_ANGLES MPPI_ANGLES_quadrotor
#include "catalogue/quadrotor.h"
#include "catalogue/native_model.inc"
