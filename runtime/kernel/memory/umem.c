/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the probed process.
 *
 * All reads are made with page faults disabled. If one fails and the handler may sleep, the locks
 * are dropped, the page is brought in (pagein.c), and the locks are taken again. Globals may have
 * changed then, so emitted code touches the memory before it takes the locks where it can. Probes
 * in the kernel read only resident pages.
 */
#include <linux/module.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/uaccess.h>

#include "probes/probes.h"
#include "rt.h"

#define FAULT "read fault at 0x"

/* False for addresses that no process can map, among them the non-canonical ones, which the kernel
 * would warn about. */
static inline bool is_user(u64 addr, u64 size) { return likely(addr <= TASK_SIZE_MAX - size); }

/* Number of the MAX bytes at ADDR that can be mapped: a string at the very end of the stack is
 * shorter than the buffer. */
static inline u32 within_user(u64 addr, u32 max)
{
	return likely(is_user(addr, max)) ? max : TASK_SIZE_MAX - addr;
}

/* True if MM is the loaded memory map, in any context including NMI: while the kernel switches
 * tasks, the next map is loaded before that task is current, and while it patches its own code a
 * temporary map is loaded. */
static inline bool is_loaded(const struct mm_struct *mm) { return mm && arch_uses_mm(mm); }

static inline bool has_memory(const struct ust_ctx *c)
{
	return likely(c->hit->mode == RT_PROBE) || c->hit->mode == RT_ABOUT ||
	       ((c->hit->mode == RT_ATOMIC || c->hit->mode == RT_KERNEL) && is_loaded(current->mm));
}

/* ----------------------------------------------------------------- numbers */

/* Read a number of SIZE bytes; false if the address is not mapped, or not resident with faults
 * disabled. */
static inline bool read_number(u64 addr, u32 size, u64 *to)
{
	u64 v8;
	u32 v4;
	u16 v2;
	u8 v1;
	int err;

	switch (size) {
	case 1:
		err = get_user(v1, (u8 __user *)addr);
		*to = v1;
		break;
	case 2:
		err = get_user(v2, (u16 __user *)addr);
		*to = v2;
		break;
	case 4:
		err = get_user(v4, (u32 __user *)addr);
		*to = v4;
		break;
	default:
		err = get_user(v8, (u64 __user *)addr);
		*to = v8;
	}
	return !err;
}

static bool read_number_nofault(u64 addr, u32 size, u64 *to)
{
	bool ok;

	pagefault_disable();
	ok = read_number(addr, size, to);
	pagefault_enable();
	return ok;
}

/* A page that was brought in may be evicted again before it is read. */
enum { TRIES = 3 };

static noinline bool read_slowly(struct ctx *x, u64 addr, u32 size, u64 *to)
{
	const struct ust_lockset *locks = x->port.locks;
	bool ok = false;
	int i;

	if (locks)
		context_unlock(x);
	for (i = 0; i < TRIES && !ok && pagein(x, addr, size, false); i++)
		ok = read_number_nofault(addr, size, to);
	if (locks)
		context_relock(x, locks);
	return ok;
}

/* Read memory of another task. */
static bool read_about(struct ctx *x, u64 addr, u32 size, void *to)
{
	const struct ust_lockset *locks = x->port.locks;
	bool ok;

	if (locks)
		context_unlock(x);
	ok = pagein_copy(x, task_of(&x->pub), addr, size, to);
	if (locks)
		context_relock(x, locks);
	return ok;
}

static noinline bool load_otherwise(struct ctx *x, u64 addr, u32 size, u64 *to)
{
	*to = 0;
	return x->pub.hit->mode == RT_ABOUT ? read_about(x, addr, size, to)
					    : read_number_nofault(addr, size, to);
}

static inline bool try_load(struct ctx *x, u64 addr, u32 size, u64 *to)
{
	if (!has_memory(&x->pub) || !is_user(addr, size)) {
		x->port.fault = NULL;
		return false;
	}
	if (unlikely(x->pub.hit->mode != RT_PROBE))
		return load_otherwise(x, addr, size, to);
	return likely(read_number_nofault(addr, size, to)) || read_slowly(x, addr, size, to);
}

static noinline void fail_access(struct ust_ctx *c, const char *what, u64 addr)
{
	const char *why = ctx_of(c)->port.fault;

	ctx_fail_addr_why(c, what, addr, why ? why : "");
}

void port_fault(struct ust_ctx *c, u64 addr) { fail_access(c, FAULT, addr); }

ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	if (likely(try_load(ctx_of(c), addr, size, &v)))
		return v;
	fail_access(c, FAULT, addr);
	return 0;
}

ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	return try_load(ctx_of(c), addr, size, &v) ? v : 0;
}

bool port_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	return try_load(ctx_of(c), addr, size, to);
}

/* Read a resident word; false if that fails. */
static inline bool read_word_nofault(u64 addr, u64 *to)
{
	u64 v;

	pagefault_disable();
	if (unlikely(!user_access_begin((void __user *)addr, sizeof v)))
		goto refused;
	unsafe_get_user(v, (u64 __user *)addr, failed);
	user_access_end();
	pagefault_enable();
	*to = v;
	return true;
failed:
	user_access_end();
refused:
	pagefault_enable();
	return false;
}

/* A walk of a stack reads one or two words of each frame, so this has no call. */
bool port_read_word(struct ust_ctx *c, u64 addr, u64 *to)
{
	return (likely(c->hit->mode == RT_PROBE) && is_user(addr, sizeof *to) &&
		likely(read_word_nofault(addr, to))) ||
	       port_read(c, addr, sizeof *to, to);
}

/* Only handlers that wait must check for SIGKILL; elsewhere the action limit is enough. */
bool port_killed(struct ust_ctx *c)
{
	return (c->hit->mode == RT_PROBE || c->hit->mode == RT_ABOUT) &&
	       fatal_signal_pending(current);
}

/* -------------------------------------------------------- the kernel's own */

ust_u64 ust_kernel_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v = 0;

	if (likely(size <= sizeof v && !copy_from_kernel_nofault(&v, (const void *)addr, size)))
		return v;
	ctx_fail_addr(c, "kernel " FAULT, addr);
	return 0;
}

/* ----------------------------------------------------------------- writing */

static bool write_number(u64 addr, u32 size, u64 v)
{
	switch (size) {
	case 1:
		return !put_user((u8)v, (u8 __user *)addr);
	case 2:
		return !put_user((u16)v, (u16 __user *)addr);
	case 4:
		return !put_user((u32)v, (u32 __user *)addr);
	default:
		return !put_user(v, (u64 __user *)addr);
	}
}

static bool write_number_nofault(u64 addr, u32 size, u64 v)
{
	bool ok;

	pagefault_disable();
	ok = write_number(addr, size, v);
	pagefault_enable();
	return ok;
}

static noinline bool write_slowly(struct ctx *x, u64 addr, u32 size, u64 v)
{
	const struct ust_lockset *locks = x->port.locks;
	bool ok = false;
	int i;

	if (locks)
		context_unlock(x);
	for (i = 0; i < TRIES && !ok && pagein(x, addr, size, true); i++)
		ok = write_number_nofault(addr, size, v);
	if (locks)
		context_relock(x, locks);
	return ok;
}

void ust_store(struct ust_ctx *c, ust_u64 addr, ust_u32 size, ust_u64 v)
{
	struct ctx *x = ctx_of(c);

	x->port.fault = NULL;
	if (c->hit->mode == RT_PROBE && is_user(addr, size) &&
	    (write_number_nofault(addr, size, v) || write_slowly(x, addr, size, v)))
		return;
	fail_access(c, "write fault at 0x", addr);
}

/* ----------------------------------------------------------------- strings */

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

static inline u64 zero_bytes(u64 v) { return (v - ONES) & ~v & HIGHS; }

/* Copy a string of at most MAX bytes; returns its length. Sets *FAULT if the string cannot be read
 * to its end, with the bytes before in DST. Reads words where they do not cross into a page that
 * may be unmapped. */
static __always_inline long read_string(char *dst, u64 addr, u32 max, bool *fault)
{
	u32 n = 0;
	char ch;
	u64 word;

	*fault = true;
	if (!user_access_begin((void __user *)addr, max))
		return 0;
	while (n < max) {
		if (likely(n + 8 <= max && (addr + n) % PAGE_SIZE <= PAGE_SIZE - 8)) {
			unsafe_get_user(word, (u64 __user *)(addr + n), failed);
			memcpy(dst + n, &word, 8);
			if (zero_bytes(word)) {
				n += __builtin_ctzll(zero_bytes(word)) / 8;
				break;
			}
			n += 8;
			continue;
		}
		unsafe_get_user(ch, (char __user *)(addr + n), failed);
		dst[n] = ch;
		if (!ch)
			break;
		n++;
	}
	*fault = false;
failed:
	user_access_end();
	return n;
}

static __always_inline long read_string_nofault(char *dst, u64 addr, u32 max, bool *fault)
{
	long n;

	pagefault_disable();
	n = read_string(dst, addr, max, fault);
	pagefault_enable();
	return n;
}

/* Read the rest of a string that spans at most two pages. */
static noinline long read_string_slowly(struct ctx *x, char *dst, u64 addr, u32 max, long n,
					bool *fault)
{
	const struct ust_lockset *locks = x->port.locks;
	int i;

	if (locks)
		context_unlock(x);
	for (i = 0; i < 2 * TRIES && *fault && pagein(x, addr + n, 1, false); i++)
		n = read_string_nofault(dst, addr, max, fault);
	if (locks)
		context_relock(x, locks);
	return n;
}

/* Read a string of another task page by page. */
static long read_string_about(struct ctx *x, char *dst, u64 addr, u32 max, bool *fault)
{
	u32 n = 0, part, got;

	*fault = false;
	for (; n < max; n += part) {
		part = min_t(u64, max - n, PAGE_SIZE - (addr + n) % PAGE_SIZE);
		*fault = !read_about(x, addr + n, part, dst + n);
		if (*fault)
			break;
		got = strnlen(dst + n, part);
		if (got < part)
			return n + got;
	}
	return n;
}

static long read_string_as(struct ctx *x, char *dst, u64 addr, u32 max, bool *fault)
{
	long n;

	if (unlikely(x->pub.hit->mode == RT_ABOUT))
		return read_string_about(x, dst, addr, max, fault);
	n = read_string_nofault(dst, addr, max, fault);
	return likely(!*fault) || x->pub.hit->mode != RT_PROBE
		       ? n
		       : read_string_slowly(x, dst, addr, max, n, fault);
}

static noinline bool read_string_otherwise(struct ust_ctx *c, char *dst, u64 addr, u32 max,
					   u32 *len)
{
	struct ctx *x = ctx_of(c);
	bool fault = true;
	long n = 0;
	u32 room;

	x->port.fault = NULL;
	if (has_memory(c) && is_user(addr, 0)) {
		room = within_user(addr, max);
		n = read_string_as(x, dst, addr, room, &fault);
		/* the string continues beyond the last address that can be mapped */
		fault |= n == room && room < max;
	}
	dst[n] = 0;
	*len = n;
	return !fault;
}

/* Strings of a program's own probes are mostly in memory. */
bool port_read_string(struct ust_ctx *c, char *dst, u64 addr, u32 max, u32 *len)
{
	bool fault;
	long n;

	if (likely(c->hit->mode == RT_PROBE) && is_user(addr, max)) {
		n = read_string_nofault(dst, addr, max, &fault);
		if (likely(!fault)) {
			dst[n] = 0;
			*len = n;
			return true;
		}
	}
	return read_string_otherwise(c, dst, addr, max, len);
}

void ust_touch_string(struct ust_ctx *c, ust_u64 addr)
{
	u64 end, v;

	if (c->hit->mode != RT_PROBE || !is_user(addr, 1))
		return;
	end = addr + within_user(addr, string_size) - 1;
	/* read both pages that the value can span; the second may well not exist */
	if (try_load(ctx_of(c), addr, 1, &v) && addr / PAGE_SIZE != end / PAGE_SIZE)
		try_load(ctx_of(c), end, 1, &v);
}
