/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Frames as the kernel writes them on a stack for a signal, from which a thread gets its registers
 * and signal mask back by rt_sigreturn(2). A file for each architecture defines the two functions.
 */
#ifndef USTAP_INJECT_SIGNAL_FRAME_H
#define USTAP_INJECT_SIGNAL_FRAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

/* Code of a process, as addresses: a system call and a return behind it; the call of
 * rt_sigreturn(2). */
struct return_code {
	uint64_t call, restorer;
};

/* Look for both in the SIZE bytes of CODE, which are at ADDR in the process. */
bool return_code_find(struct return_code *to, const uint8_t *code, size_t size, uint64_t addr);

/* A frame of a thread, to be written to its stack. */
struct signal_frame {
	uint64_t at; /* also the stack pointer with which the code behind a call returns to it */
	size_t size;
	uint8_t *bytes; /* freed by the caller; NULL: no frame */
};

/* Make a frame that ends below END, with what the stopped thread TID has besides the registers of
 * signal_frame_set(). False: they cannot be read. */
bool signal_frame_make(struct signal_frame *f, pid_t tid, uint64_t end);
/* Set where it returns to, and by which code; MASK: signals that are blocked then. */
void signal_frame_set(struct signal_frame *f, uint64_t restorer, const struct user_regs_struct *r,
		      uint64_t mask);

#endif
