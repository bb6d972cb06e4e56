/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Numbers of system calls on x86-64, and of its 32-bit programs. */
#include "x86_64.h"
#include "base/util.h"

const struct arch_call x86_64_calls[] = {
#define CALL(name, number, number_32) {#name, number, number_32},
#include "syscall_numbers.h"
#undef CALL
};
const size_t x86_64_ncalls = ARRAY_LEN(x86_64_calls);
