/* The device of HEDDLE_DEVICE, open during each test of a suite that says so:
 * TestSuite(name, .init = here_open, .fini = here_close). */
#ifndef HED_TESTS_FIXTURE_H
#define HED_TESTS_FIXTURE_H

#include "testing.h"

static test_device here;

static inline void here_open(void) { here = test_open(NULL); }
static inline void here_close(void) { test_close(&here); }

#endif
