/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State of the user runtime that all its files use: shared by all processes, and private to one. */
#include "user.h"

struct ust_layout layout;
struct ust_shared shared = {.owner = UST_DISARMED};

PRIVATE_FIRST struct ust_process process;
WIPED_FIRST struct ust_local local;
