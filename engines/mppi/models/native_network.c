/* The car that is a neural network on the processor, as native_models.c has the others: it takes as long to
 * compile as all of them. */
#include "models/native_texts.h"

#define TERM_LINKAGE static
#define LANES_BEGIN
#define LANE LANE_OF_MODEL

#define MODEL network
#define MODEL_STATES 7
#define MODEL_CONTROLS 2
#include "models/network.h"
#include "models/native_model.inc"
