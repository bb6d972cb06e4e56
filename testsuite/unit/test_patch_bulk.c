/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "patch_test.h"

void test_bulk(void) {}
