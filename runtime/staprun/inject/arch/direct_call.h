/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call without the C library, whose variables a child of vfork() shares with its parent.
 */
#ifndef USTAP_DIRECT_CALL_H
#define USTAP_DIRECT_CALL_H

/* Returns a negative errno on failure. */
static inline __attribute__((always_inline)) long direct_call(long n, long a, long b, long c)
{
#if defined(__x86_64__)
	long r;

	__asm__ volatile("syscall"
			 : "=a"(r)
			 : "0"(n), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return r;
#else
#error "ustap: staprun does not know this architecture yet; see doc/adding.md"
#endif
}

#endif
