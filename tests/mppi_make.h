/* A controller of a test, on the device of the fixture. */
#ifndef HED_TESTS_MPPI_MAKE_H
#define HED_TESTS_MPPI_MAKE_H

#include "fixture.h"
#include "heddle/mppi.h"

static hed_mppi *make(const hed_mppi_def *def)
{
    hed_mppi *c = NULL;
    hed_error error = {0};
    OK(hed_mppi_create(here.device, def, &c, &error));
    return c;
}

#endif
