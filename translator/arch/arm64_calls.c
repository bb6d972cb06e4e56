/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls on arm64, and of its 32-bit programs. */
#include "arm64.h"
#include "base/util.h"

const struct arch_call arm64_calls[] = {
#define CALL(name, number, number_32) {#name, number, number_32},
#include "arm64_calls.h"
#undef CALL
};
const size_t arm64_ncalls = ARRAY_LEN(arm64_calls);
