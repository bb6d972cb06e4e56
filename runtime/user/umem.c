/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory of the probed process, read from inside.
 *
 * A system call (process_vm_readv on ourselves) reads what is there and fails cleanly otherwise.  It costs a
 * microsecond, so pages that were readable a moment ago are read plainly, as long as a fault would reach
 * fault_handler(), which the loader installs only in a process that has no handler of its own for SIGSEGV and SIGBUS
 * and whose munmap() and sigaction() are hooked.  A page that was never seen is not read plainly: a thread that has
 * blocked SIGSEGV would be killed by a fault.
 */
#include <asm/unistd.h>

#include "user.h"

#define FAULT "read fault at 0x"
#define USER_END 0x7ffffffff000ull      /* TASK_SIZE_MAX: four levels of page tables */

static inline bool is_user(u64 addr, u64 size)
{
	return likely(addr <= USER_END - size);
}

static inline bool has_memory(const struct ust_ctx *c)
{
	return likely(c->hit->mode == MODE_PROBE);
}

/* ----------------------------------------------------------- plain reads */

/* Numbers of pages that were readable, by their low bits; 0: none. */
enum { PAGES = 256 };
static PRIVATE u64 pages[PAGES];

void umem_flush(void)
{
	u32 i;

	for (i = 0; i < PAGES; i++)
		WRITE_ONCE(pages[i], 0);
}

/*
 * bool plain_read(u64 addr, u32 size, u64 *to): one load of 1, 2, 4 or 8 bytes.  A fault between the two labels
 * goes on at plain_fault.
 */
bool plain_read(u64 addr, u32 size, u64 *to);
extern char plain_begin[], plain_end[], plain_fault[];

#if defined(__x86_64__)
__asm__(
	"	.text\n"
	"	.globl plain_read, plain_begin, plain_end, plain_fault, fault_restorer\n"
	"	.hidden plain_read, plain_begin, plain_end, plain_fault, fault_restorer\n"
	"	.type plain_read, @function\n"
	"plain_read:\n"
	"	cmp $8, %esi\n"
	"	jne 1f\n"
	"plain_begin:\n"
	"	mov (%rdi), %rax\n"
	"	jmp 4f\n"
	"1:	cmp $4, %esi\n"
	"	jne 2f\n"
	"	mov (%rdi), %eax\n"
	"	jmp 4f\n"
	"2:	cmp $2, %esi\n"
	"	jne 3f\n"
	"	movzwl (%rdi), %eax\n"
	"	jmp 4f\n"
	"3:	movzbl (%rdi), %eax\n"
	"plain_end:\n"
	"4:	mov %rax, (%rdx)\n"
	"	mov $1, %eax\n"
	"	ret\n"
	"plain_fault:\n"
	"	xor %eax, %eax\n"
	"	ret\n"
	"fault_restorer:\n"
	"	mov $15, %eax\n"        /* rt_sigreturn */
	"	syscall\n");

/* Where a struct ucontext keeps the program counter: 5 words, then r8 .. r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp. */
static inline u64 *context_pc(void *context)
{
	return (u64 *)context + 5 + 16;
}
#endif

struct sigaction_ { void *handler; u64 flags; void *restorer; u64 mask; };

/* Another fault than that of plain_read() is the program's own, which has no handler: it happens again,
 * without us. */
void fault_handler(int signal, void *info, void *context)
{
	const struct sigaction_ standard = {0};
	u64 *pc = context_pc(context);

	(void)info;
	if (*pc >= (u64)plain_begin && *pc < (u64)plain_end)
		*pc = (u64)plain_fault;
	else
		system_call(__NR_rt_sigaction, signal, (long)&standard, 0, 8, 0, 0);
}

/* --------------------------------------------------------- by system call */

struct piece { u64 base, len; };

static noinline bool call_read(void *to, u64 addr, u32 size)
{
	const struct piece local_piece = {(u64)to, size}, remote = {addr, size};
	u32 pid;

	if (process.flags & UST_PROCESS_NO_SYSCALLS)
		return false;
	pid = system_call(__NR_getpid, 0, 0, 0, 0, 0, 0);
	if (system_call(__NR_process_vm_readv, pid, (long)&local_piece, 1, (long)&remote, 1, 0) != (long)size)
		return false;
	WRITE_ONCE(pages[addr / UST_PAGE % PAGES], addr / UST_PAGE);
	return true;
}

static inline bool is_known(u64 addr, u32 size)
{
	u64 page = addr / UST_PAGE;

	return likely(process.flags & UST_PROCESS_CATCH_FAULTS) && likely(READ_ONCE(pages[page % PAGES]) == page) &&
	       likely(page) && likely(addr % UST_PAGE <= UST_PAGE - size);
}

static inline bool read_number(u64 addr, u32 size, u64 *to)
{
	if (likely(is_known(addr, size)) && plain_read(addr, size, to))
		return true;
	*to = 0;
	return call_read(to, addr, size);
}

bool umem_read(void *to, u64 addr, u32 size)
{
	return is_user(addr, size) && call_read(to, addr, size);
}

/* ----------------------------------------------------------------- numbers */

static inline bool try_load(const struct ust_ctx *c, u64 addr, u32 size, u64 *to)
{
	return has_memory(c) && is_user(addr, size) && read_number(addr, size, to);
}

ust_u64 ust_load(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	if (likely(try_load(c, addr, size, &v)))
		return v;
	ctx_fail_addr(c, FAULT, addr);
	return 0;
}

/* Locks are spinning locks of ours, which may be held while a page is brought in. */
ust_u64 ust_touch(struct ust_ctx *c, ust_u64 addr, ust_u32 size)
{
	u64 v;

	return try_load(c, addr, size, &v) ? v : 0;
}

void ust_touch_string(struct ust_ctx *c, ust_u64 addr)
{
	(void)c;
	(void)addr;
}

/* ----------------------------------------------------------------- strings */

#define ONES 0x0101010101010101ull
#define HIGHS 0x8080808080808080ull

static inline u64 zero_bytes(u64 v)
{
	return (v - ONES) & ~v & HIGHS;
}

/* Bytes before the first NUL of the N at S, or N. */
static u32 length(const char *s, u32 n)
{
	u32 i = 0;

	while (i < n && s[i])
		i++;
	return i;
}

struct word { u64 v; } __attribute__((packed, may_alias));

/* Of a page that is known: up to ROOM bytes at ADDR to DST; true: *N is where it ended or ROOM, false: a fault. */
static bool plain_string(char *dst, u64 addr, u32 room, u32 *n)
{
	u64 v;

	for (*n = 0; *n + 8 <= room; *n += 8) {
		if (!plain_read(addr + *n, 8, &v))
			return false;
		((struct word *)(dst + *n))->v = v;
		if (zero_bytes(v)) {
			*n += __builtin_ctzll(zero_bytes(v)) / 8;
			return true;
		}
	}
	for (; *n < room; ++*n) {
		if (!plain_read(addr + *n, 1, &v))
			return false;
		dst[*n] = v;
		if (!dst[*n])
			return true;
	}
	return true;
}

/* The same of one page at most, by whichever way. */
static bool page_string(char *dst, u64 addr, u32 room, u32 *n)
{
	if (is_known(addr, 1) && plain_string(dst, addr, room, n))
		return true;
	if (!call_read(dst, addr, room))
		return false;
	*n = length(dst, room);
	return true;
}

/* Up to MAX bytes, ended by a NUL, in DST; false on a fault. */
static bool read_string(char *dst, u64 addr, u32 max)
{
	u32 n = 0, part, room;

	dst[0] = 0;
	while (n < max) {
		room = UST_PAGE - (addr + n) % UST_PAGE;
		if (room > max - n)
			room = max - n;
		if (!is_user(addr + n, room) || !page_string(dst + n, addr + n, room, &part)) {
			dst[n] = 0;
			return false;
		}
		n += part;
		if (part < room)
			break;
	}
	dst[n] = 0;
	return true;
}

static bool get_string(const struct ust_ctx *c, char *dst, u64 addr, u32 max)
{
	dst[0] = 0;
	return has_memory(c) && is_user(addr, 0) && read_string(dst, addr, max);
}

const char *ust_user_string_n(struct ust_ctx *c, char *dst, ust_long addr, ust_long n)
{
	u32 max = n < 0 ? 0 : n < string_size - 1 ? n : string_size - 1;

	if (unlikely(!get_string(c, dst, addr, max))) {
		ctx_fail_addr(c, FAULT, addr);
		dst[0] = 0;
	}
	return dst;
}

const char *ust_user_string(struct ust_ctx *c, char *dst, ust_long addr)
{
	return ust_user_string_n(c, dst, addr, string_size - 1);
}

const char *ust_user_string2(struct ust_ctx *c, char *dst, ust_long addr, const char *alt)
{
	return get_string(c, dst, addr, string_size - 1) ? dst : alt;
}

/* ---------------------------------------------------------------- builtins */

/* The language has these give 0 where nothing can be read. */
static u64 load_or_zero(const struct ust_ctx *c, u64 addr, u32 size)
{
	u64 v = 0;

	return try_load(c, addr, size, &v) ? v : 0;
}

#define READER(name, type, size)                                               \
	ust_long name(struct ust_ctx *c, ust_long addr)                        \
	{                                                                      \
		return (type)load_or_zero(c, (u64)addr, size);                 \
	}

READER(ust_user_char, s8, 1)
READER(ust_user_short, s16, 2)
READER(ust_user_ushort, u16, 2)
READER(ust_user_int, s32, 4)
READER(ust_user_uint, u32, 4)
READER(ust_user_long, s64, 8)
READER(ust_user_ulong, u64, 8)
READER(ust_user_int8, s8, 1)
READER(ust_user_uint8, u8, 1)
READER(ust_user_int16, s16, 2)
READER(ust_user_uint16, u16, 2)
READER(ust_user_int32, s32, 4)
READER(ust_user_uint32, u32, 4)
READER(ust_user_int64, s64, 8)
READER(ust_user_uint64, u64, 8)
