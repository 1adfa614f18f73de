/* Heddle's own models on the processor, from the texts that devices compile: for one state, and
 * for MPPI_LANES samples at a time, with the terms over all states. */
#include "models/native_texts.h"

#define TERM_LINKAGE static
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL cartpole
#define MODEL_STATES 4
#define MODEL_CONTROLS 1
#include "models/cartpole.h"
#include "models/native_model.inc"

#define MODEL double_integrator
#define MODEL_STATES 4
#define MODEL_CONTROLS 2
#include "models/double_integrator.h"
#include "models/native_model.inc"

#define MODEL pendulum
#define MODEL_STATES 2
#define MODEL_CONTROLS 1
#include "models/pendulum.h"
#include "models/native_model.inc"

#define MODEL dubins
#define MODEL_STATES 3
#define MODEL_CONTROLS 1
#include "models/dubins.h"
#include "models/native_model.inc"

#define MODEL differential_drive
#define MODEL_STATES 5
#define MODEL_CONTROLS 2
#include "models/differential_drive.h"
#include "models/native_model.inc"

#define MODEL bicycle
#define MODEL_STATES 6
#define MODEL_CONTROLS 2
#include "models/bicycle.h"
#include "models/native_model.inc"

#define MODEL quadrotor
#define MODEL_STATES 12
#define MODEL_CONTROLS 4
#include "models/quadrotor.h"
#include "models/native_model.inc"
