/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the probed process, read from inside.
 *
 * A system call (process_vm_readv on the own thread) reads resident memory, brings in other pages,
 * and fails cleanly for unmapped addresses. It costs a microsecond, so pages that were readable a
 * moment ago are read directly, if a fault would reach fault_signal(): the loader ensures that in a
 * program whose munmap(), sigaction() and similar functions are hooked.
 *
 * A fault kills a thread that has blocked SIGSEGV, even if a handler exists. So the signal mask of
 * each thread is read now and then, and only pages seen a moment ago are read directly.
 */
#include <asm/unistd.h>
#include <linux/errno.h>

#include "user.h"

enum { SIGBUS = 7, SIGSEGV = 11 };

static inline bool is_user(u64 addr, u64 size) { return likely(addr <= ARCH_USER_END - size); }

static inline bool has_memory(const struct ust_ctx *c)
{
	return likely(c->hit->mode == MODE_PROBE) || c->hit->mode == MODE_EVENT;
}

/* --------------------------------------------------------- pages seen a moment ago */

/* Indexed by the low bits of the page number: page number << STAMP_BITS | time of the read. The
 * time unit is some milliseconds. */
enum {
	PAGES = 256,
	STAMP_BITS = 20,
	STAMP_MASK = (1 << STAMP_BITS) - 1,
	STAMP_SHIFT = 22,
	A_MOMENT = 6
};
static PRIVATE u64 pages[PAGES];

static inline bool is_recent(u64 have, u32 stamp)
{
	return likely(have & stamp & 1 && ((stamp - (u32)have) & STAMP_MASK) <= A_MOMENT);
}

/* ------------------------------------------- threads that faults reached a moment ago */

/* Two entries for each hash, in one cache line: two busy threads must not evict each other. */
enum { THREADS_SHIFT = 53, PLACES = 2, MASK_SIZE = 8, POINTER_SHIFT = 4 };
#define THREAD_HASH 0x9e3779b97f4a7c15ull
/* By the hash of their thread pointers; entries have the format of pages[]. */
static PRIVATE u64 threads[1 << (64 - THREADS_SHIFT)][PLACES];

static inline u64 *thread_places(u64 thread)
{
	return threads[thread * THREAD_HASH >> THREADS_SHIFT];
}
static inline u64 thread_word(u64 thread) { return thread >> POINTER_SHIFT << STAMP_BITS; }
static inline bool is_of_thread(u64 have, u64 thread)
{
	return !((have ^ thread_word(thread)) >> STAMP_BITS);
}

static inline bool was_open(u64 have, u64 thread, u32 stamp)
{
	return is_of_thread(have, thread) && is_recent(have, stamp);
}

static void note_open(u64 thread, u32 stamp)
{
	u64 *v = thread_places(thread);
	u32 i = is_of_thread(v[0], thread) || !is_recent(v[0], stamp) ? 0 : 1;

	WRITE_ONCE(v[i], thread_word(thread) | stamp);
}

static bool faults_open(void)
{
	const u64 both = 1ull << (SIGSEGV - 1) | 1ull << (SIGBUS - 1);
	u64 blocked = both;

	system_call(__NR_rt_sigprocmask, 0, 0, (long)&blocked, MASK_SIZE, 0, 0);
	return !(blocked & both);
}

static noinline bool ask_mask(u64 thread, u32 stamp)
{
	u64 mask;

	/* on such a stack the mask is the runtime's own, see handler_stack_run() */
	if (handler_stack_mask(&mask))
		return true;
	if (process.flags & UST_PROCESS_NO_SYSCALLS || !faults_open())
		return false;
	note_open(thread, stamp);
	return true;
}

/* True if this thread has blocked neither SIGSEGV nor SIGBUS. */
static inline bool is_open(u32 stamp)
{
	u64 thread = arch_thread_pointer();
	const u64 *v = thread_places(thread);

	if (likely(thread && (likely(was_open(READ_ONCE(v[0]), thread, stamp)) ||
			      was_open(READ_ONCE(v[1]), thread, stamp))))
		return true;
	return ask_mask(thread, stamp);
}

void umem_blocked(void)
{
	u64 thread = arch_thread_pointer(), *v = thread_places(thread);
	u32 i;

	for (i = 0; i < PLACES; i++)
		if (is_of_thread(v[i], thread))
			WRITE_ONCE(v[i], 0);
}

/* The current time stamp, an odd number, so that initially no page is known; 0: no direct reads. A
 * child of vfork() shares the memory, but has signal handlers of its own. */
static inline u32 stamp_now(u64 *ticks)
{
	u32 stamp;

	if (!(process.flags & UST_PROCESS_CATCH_FAULTS) || (unlikely(local.vforks) && in_vfork()) ||
	    unlikely(handler_stack_closed()))
		return 0;
	*ticks = arch_ticks();
	if (unlikely(!*ticks))
		return 0;
	stamp = (u32)(*ticks >> STAMP_SHIFT & STAMP_MASK) | 1;
	return is_open(stamp) ? stamp : 0;
}

/* The time stamp is constant within a handler. */
static inline u32 stamp_of(struct ctx *x)
{
	if (!x->port.stamp)
		x->port.stamp = stamp_now(&x->port.ticks);
	return x->port.stamp;
}

static inline bool is_known(u64 addr, u32 stamp)
{
	u64 page = addr / UST_PAGE, have = READ_ONCE(pages[page % PAGES]);

	return likely(have >> STAMP_BITS == page) && is_recent(have, stamp);
}

static inline void note(u64 addr, u32 stamp)
{
	u64 page = addr / UST_PAGE;

	if (stamp)
		WRITE_ONCE(pages[page % PAGES], page << STAMP_BITS | stamp);
}

void umem_flush(void)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		WRITE_ONCE(pages[i], 0);
}

/* ------------------------------------------------------- within one page */

struct word {
	u64 v;
} __attribute__((packed, may_alias));

static bool plain_read(char *to, u64 addr, u32 size)
{
	struct loaded l;

	for (; size >= 8; size -= 8, to += 8, addr += 8) {
		l = arch_load_8(addr);
		if (unlikely(!l.ok))
			return false;
		((struct word *)to)->v = l.v;
	}
	for (; size; size--, to++, addr++) {
		l = arch_load_1(addr);
		if (unlikely(!l.ok))
			return false;
		*to = l.v;
	}
	return true;
}

struct piece {
	u64 base, len;
};

/* Id of this thread: that of the process has no memory once the main thread has ended. It is
 * queried each time: the child of a fork may not know that it is one. */
static long memory_of(void)
{
	return event_memory ? event_memory : system_call(__NR_gettid, 0, 0, 0, 0, 0, 0);
}

/* If a sandbox forbids the call, read directly, after checking with another call. */
static noinline bool call_read(void *to, u64 addr, u32 size, u32 stamp)
{
	const struct piece here = {(u64)to, size}, there = {addr, size};
	long n;

	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return false;
	n = system_call(__NR_process_vm_readv, memory_of(), (long)&here, 1, (long)&there, 1, 0);
	if (n == -EPERM && event_memory)
		return event_read(to, addr, size);
	if (n == -EPERM || n == -ENOSYS)
		n = stamp && faults_open() && plain_read(to, addr, size) ? (long)size : n;
	if (n != (long)size)
		return false;
	note(addr, stamp);
	return true;
}

static bool read_in_page(char *to, u64 addr, u32 size, u32 stamp)
{
	return (is_known(addr, stamp) && plain_read(to, addr, size)) ||
	       call_read(to, addr, size, stamp);
}

/* Number of the N bytes from ADDR on that are in its page. */
static inline u32 within_page(u64 addr, u32 n)
{
	u32 room = UST_PAGE - addr % UST_PAGE;

	return n < room ? n : room;
}

static noinline bool read_pages(char *to, u64 addr, u32 size, u32 stamp)
{
	u32 part;

	for (; size; to += part, addr += part, size -= part) {
		part = within_page(addr, size);
		if (!read_in_page(to, addr, part, stamp))
			return false;
	}
	return true;
}

bool umem_read(void *to, u64 addr, u32 size)
{
	u64 ticks;

	return is_user(addr, size) && read_pages(to, addr, size, stamp_now(&ticks));
}

/* ----------------------------------------------------------------- numbers */

static inline struct loaded plain_load(u64 addr, u32 size)
{
	switch (size) {
	case 1:
		return arch_load_1(addr);
	case 2:
		return arch_load_2(addr);
	case 4:
		return arch_load_4(addr);
	default:
		return arch_load_8(addr);
	}
}

static inline bool try_load(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	u32 stamp;

	if (unlikely(size > sizeof *to) || !has_memory(c) || !is_user(addr, size))
		return false;
	stamp = stamp_of(ctx_of(c));
	if (likely(is_known(addr, stamp) && addr % UST_PAGE <= UST_PAGE - size)) {
		struct loaded l = plain_load(addr, size);

		*to = l.v;
		if (likely(l.ok))
			return true;
	}
	*to = 0;
	return read_pages((char *)to, addr, size, stamp);
}

ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	if (likely(try_load(c, addr, size, &v)))
		return v;
	port_fault(c, addr);
	return 0;
}

static noinline bool read_any(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	return try_load(c, addr, size, to);
}

/* Mostly words of stacks. */
bool port_read(struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	u32 stamp = ctx_of(c)->port.stamp;

	if (likely(size == sizeof *to && stamp && c->hit->mode == MODE_PROBE && addr % 8 == 0 &&
		   is_user(addr, sizeof *to) && is_known(addr, stamp))) {
		struct loaded l = arch_load_word(addr);

		*to = l.v;
		if (likely(l.ok))
			return true;
	}
	return read_any(c, addr, size, to);
}

void port_fault(struct ust_ctx *c, u64 addr)
{
	ctx_fail_addr_why(c, "read fault at 0x", addr,
			  process.flags & UST_PROCESS_NO_SYSCALLS
				  ? ", in a seccomp sandbox that forbids the calls for it"
				  : "");
}

/* The kernel ends the task inside any handler, so no check is needed. */
bool port_killed(struct ust_ctx *c)
{
	(void)c;
	return false;
}

/* Scripts for this runtime cannot read kernel memory. */
ust_u64 ust_kernel_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	(void)size;
	ctx_fail_addr(c, "kernel read fault at 0x", addr);
	return 0;
}

/* Writes are rare: the system call cannot damage anything unmapped, and fails where the program
 * itself could not write. */
static bool call_write(u64 addr, const void *from, u32 size)
{
	const struct piece here = {(u64)from, size}, there = {addr, size};

	long n;

	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return false;
	n = system_call(__NR_process_vm_writev, memory_of(), (long)&here, 1, (long)&there, 1, 0);
	return n == -EPERM && event_memory ? event_write(addr, from, size) : n == (long)size;
}

bool umem_write(u64 addr, const void *from, u32 size)
{
	return is_user(addr, size) && call_write(addr, from, size);
}

void ust_store(struct ust_ctx *c, ust_u64 addr, ust_u32 size, ust_u64 v)
{
	if (size > sizeof v || !has_memory(c) || !is_user(addr, size) ||
	    !call_write(addr, &v, size))
		ctx_fail_addr(c, "write fault at 0x", addr);
}

/* Locks are held while a page is brought in, but it is better done before. */
ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	return try_load(c, addr, size, &v) ? v : 0;
}

void ust_touch_string(struct ust_ctx *c, ust_u64 addr)
{
	u64 v;

	try_load(c, addr, 1, &v);
}

/* ----------------------------------------------------------------- strings */

#define ONES  0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

static inline u64 zero_bytes(u64 v) { return (v - ONES) & ~v & HIGHS; }

/* Number of the SIZE bytes at S before the first NUL. */
static u32 length(const char *s, u32 size)
{
	u32 n = 0;

	while (n + 8 <= size && !zero_bytes(((const struct word *)(s + n))->v))
		n += 8;
	while (n < size && s[n])
		n++;
	return n;
}

/* Copy a string within a known page: up to SIZE bytes, with or without a NUL at the end; *N of them
 * precede it. */
static bool plain_string(char *dst, u64 addr, u32 size, u32 *n)
{
	u32 at = 0;
	u64 zeros;

	for (; at + 8 <= size; at += 8) {
		struct loaded l = arch_load_8(addr + at);

		if (unlikely(!l.ok))
			return false;
		((struct word *)(dst + at))->v = l.v;
		zeros = zero_bytes(l.v);
		if (zeros) {
			*n = at + __builtin_ctzll(zeros) / 8;
			return true;
		}
	}
	if (!plain_read(dst + at, addr + at, size - at))
		return false;
	*n = at + length(dst + at, size - at);
	return true;
}

static bool string_in_page(char *dst, u64 addr, u32 size, u32 stamp, u32 *n)
{
	if (is_known(addr, stamp) && plain_string(dst, addr, size, n))
		return true;
	if (!call_read(dst, addr, size, stamp))
		return false;
	*n = length(dst, size);
	return true;
}

/* Copy up to MAX bytes and a NUL to DST; false on a fault, with the bytes before it in DST. The
 * string may end at the last byte of the address space. */
static bool read_string(char *dst, u64 addr, u32 max, u32 stamp, u32 *len)
{
	u32 n = 0, part, size = 0;
	bool ok = true;

	for (part = 0; n < max && part == size; n += part) {
		size = within_page(addr + n, max - n);
		part = 0;
		ok = is_user(addr + n, size) &&
		     string_in_page(dst + n, addr + n, size, stamp, &part);
		if (!ok)
			break;
	}
	dst[n] = 0;
	*len = n;
	return ok;
}

/* The usual case of read_string(): the string ends within a known page, with a word of at most MAX
 * bytes. False: not so. */
static inline bool known_string(char *dst, u64 addr, u32 max, u32 stamp, u32 *len)
{
	u32 room = within_page(addr, max), at;

	if (!is_known(addr, stamp) || !is_user(addr, room))
		return false;
	for (at = 0; at + 8 <= room; at += 8) {
		struct loaded l = arch_load_word(addr + at);
		u64 zeros = zero_bytes(l.v);

		if (unlikely(!l.ok))
			return false;
		((struct word *)(dst + at))->v = l.v;
		if (zeros) {
			*len = at + __builtin_ctzll(zeros) / 8;
			return true;
		}
	}
	return false;
}

static noinline bool read_any_string(char *dst, u64 addr, u32 max, u32 stamp, u32 *n)
{
	dst[0] = 0;
	return is_user(addr, 0) && read_string(dst, addr, max, stamp, n);
}

bool port_read_string(struct ust_ctx *c, char *dst, u64 addr, u32 max, u32 *n)
{
	u32 stamp;

	if (unlikely(!has_memory(c))) {
		dst[0] = 0;
		return false;
	}
	stamp = stamp_of(ctx_of(c));
	return likely(known_string(dst, addr, max, stamp, n)) ||
	       read_any_string(dst, addr, max, stamp, n);
}
