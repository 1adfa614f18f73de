/** @file tuning.h
 *  All about tuning: spaces and search, the tuner and its database, captures, tuning while a
 *  program works, the cache of compiled kernels.
 */
#ifndef HEDDLE_TUNING_H
#define HEDDLE_TUNING_H

#include "heddle/cache.h"
#include "heddle/capture.h"
#include "heddle/database.h"
#include "heddle/heddle.h"
#include "heddle/online.h"
#include "heddle/runner.h"
#include "heddle/search.h"
#include "heddle/space.h"
#include "heddle/stats.h"
#include "heddle/tune.h"

#endif
