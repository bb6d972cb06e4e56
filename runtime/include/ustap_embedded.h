/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Interface for embedded C, in addition to the macros that the translator defines around each piece
 * (STAP_ARG_x, STAP_RETURN, STAP_GLOBAL_GET_x ...). Emitted C includes it, after ustap_rt.h, only
 * if a script has embedded C.
 */
#ifndef USTAP_EMBEDDED_H
#define USTAP_EMBEDDED_H

#ifdef __KERNEL__
/* The headers that SystemTap's own runtime brings: scripts rely on them. */
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/hardirq.h>
#include <linux/hash.h>
#include <linux/init.h>
#include <linux/interrupt.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pagemap.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/proc_fs.h>
#include <linux/profile.h>
#include <linux/ptrace.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/time.h>
#include <linux/timer.h>
#include <linux/types.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <linux/utsname.h>
#include <linux/version.h>
#include <linux/vmalloc.h>
typedef long intptr_t; /* older kernels have only uintptr_t */
#else
typedef signed char int8_t;
typedef unsigned char uint8_t;
typedef short int16_t;
typedef unsigned short uint16_t;
typedef int int32_t;
typedef unsigned int uint32_t;
typedef long int64_t;
typedef unsigned long uint64_t;
typedef unsigned long size_t;
typedef long ssize_t;
typedef long ptrdiff_t;
typedef long intptr_t;
typedef unsigned long uintptr_t;
typedef long intmax_t;
typedef unsigned long uintmax_t;
#define NULL         ((void *)0)
/* memcpy(), memset(), memcmp() and strlen() of the C library, supplied by the runtime. */
void *memcpy(void *dst, const void *src, size_t n);
void *memset(void *dst, int ch, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
#define strcmp(a, b) ust_strcmp(a, b)
#endif

#define MAXSTRINGLEN  UST_MAXSTRINGLEN
#define STAP_RETVALUE (THIS->__retvalue)
#define STAP_NEXT            \
	do {                 \
		c->next = 1; \
		return;      \
	} while (0)
#define STAP_PRINTF(...) ust_printf(c, __VA_ARGS__)
#define STAP_ERROR(...)                     \
	do {                                \
		ust_errorf(c, __VA_ARGS__); \
		return;                     \
	} while (0)

#ifdef __KERNEL__
/* Read kernel memory that may be gone: kread(&p->member), and kderef(SIZE, ADDRESS) of a number. A
 * function that calls one ends with CATCH_DEREF_FAULT(), where it continues after a fault. */
#define kderef(size, addr)                                                                 \
	({                                                                                 \
		ust_u64 kderef_v = ust_kernel_load(c, (ust_u64)(uintptr_t)(addr), (size)); \
		if (c->failed)                                                             \
			goto deref_fault;                                                  \
		kderef_v;                                                                  \
	})
#define kread(ptr) ((typeof(*(ptr)))kderef(sizeof(*(ptr)), (ptr)))
#define CATCH_DEREF_FAULT()              \
	do {                             \
	deref_fault:                     \
		__attribute__((unused)); \
	} while (0)
#endif

/* The value of STAP_GLOBAL_SET_x() is what was written. */
static inline char *ust_set_string(char *dst, const char *src)
{
	ust_strcpy(dst, src);
	return dst;
}

/* Newer kernels have no strlcpy(), and programs without libc have neither function. */
static inline size_t ust_strlcpy(char *dst, const char *src, size_t size)
{
	size_t n = 0, len = 0;

	for (; src[len]; len++)
		if (len + 1 < size)
			dst[n++] = src[len];
	if (size)
		dst[n] = 0;
	return len;
}

/* strlcat(): append SRC to DST of SIZE bytes; returns the length of what it tried to make. */
static inline size_t ust_strlcat(char *dst, const char *src, size_t size)
{
	size_t n = 0;

	while (n < size && dst[n])
		n++;
	return n + ust_strlcpy(dst + n, src, size - n);
}
#undef strlcpy
#undef strlcat
#define strlcpy(dst, src, size) ust_strlcpy(dst, src, size)
#define strlcat(dst, src, size) ust_strlcat(dst, src, size)

#endif
