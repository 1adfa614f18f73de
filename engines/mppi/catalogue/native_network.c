/* The neural network's car on the processor, as the other models in native_models.c: a separate
 * file, because it takes as long to compile as all of them. */
#include "catalogue/native_texts.h"

#define TERM_LINKAGE static
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL network
#define MODEL_STATES 7
#define MODEL_CONTROLS 2
#define MODEL_ANGLES MPPI_ANGLES_network
#include "catalogue/network.h"
#include "catalogue/native_model.inc"
