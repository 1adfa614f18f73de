/** @file realtime.h
 *  All headers for real time: resident kernels, rings, teams of threads, packing, the deadline
 *  meter, optional libraries, arithmetic with the same bits everywhere. */
#ifndef HEDDLE_REALTIME_H
#define HEDDLE_REALTIME_H

#include "heddle/heddle.h"
#include "heddle/code.h"
#include "heddle/library.h"
#include "heddle/math.h"
#include "heddle/pack.h"
#include "heddle/resident.h"
#include "heddle/ring.h"
#include "heddle/stats.h"
#include "heddle/thread.h"
#include "heddle/tree.h"

#endif
