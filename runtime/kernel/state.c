/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the module that all of its files read; main.c changes it. */
#include "rt.h"

struct rt rt;
DEFINE_PER_CPU(struct guard, rt_guard);
bool rt_in_kernel;
