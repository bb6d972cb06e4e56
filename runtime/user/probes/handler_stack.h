/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Stacks of the runtime for handlers (handler_stack.c); read by assembler code, too. */
#ifndef USTAP_HANDLER_STACK_H
#define USTAP_HANDLER_STACK_H

#define HANDLER_STACKS     32
#define HANDLER_STACK_SIZE 40960
/* Offset of status.skipped_context in struct ust_shared. */
#define SHARED_SKIPPED_CONTEXT 64

#ifndef __ASSEMBLER__
#include "user.h"

extern char handler_stacks[HANDLER_STACKS][HANDLER_STACK_SIZE];
extern u8 handler_claims[HANDLER_STACKS];

/* Run FN(ARG), with signals blocked, on the handler stack that this code runs on already: common
 * code has claimed it for a thread whose stack pointer is SP. Without system calls it runs on that
 * one. */
void handler_stack_here(u64 sp, void (*fn)(void *arg), void *arg);
/* The same without blocking signals, for code whose stack has no room for them: their handlers run
 * on the thread's signal stack in any case. */
void handler_stack_open(u64 sp, void (*fn)(void *arg), void *arg);
#endif

#endif
