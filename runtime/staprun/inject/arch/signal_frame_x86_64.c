/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signal frames on x86-64: struct rt_sigframe of the kernel (arch/x86/include/asm/sigframe.h), and
 * behind it the state of the floating-point unit in the form of XSAVE, with the marks of
 * struct _fpx_sw_bytes (uapi/asm/sigcontext.h).
 */
#define _GNU_SOURCE
#include "inject/arch/regs.h"
#include "inject/arch/signal_frame.h"

#include <cpuid.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>

/* mov $15, %eax or mov $15, %rax; syscall */
static const uint8_t restorer_short[] = {0xb8, 15, 0, 0, 0, 0x0f, 0x05};
static const uint8_t restorer_long[] = {0x48, 0xc7, 0xc0, 15, 0, 0, 0, 0x0f, 0x05};
static const uint8_t call_and_return[] = {0x0f, 0x05, 0xc3};

bool return_code_find(struct return_code *to, const uint8_t *code, size_t size, uint64_t addr)
{
	const uint8_t *call = memmem(code, size, call_and_return, sizeof call_and_return);
	const uint8_t *restorer = memmem(code, size, restorer_long, sizeof restorer_long);

	if (!restorer)
		restorer = memmem(code, size, restorer_short, sizeof restorer_short);
	if (!call || !restorer)
		return false;
	to->call = addr + (uint64_t)(call - code);
	to->restorer = addr + (uint64_t)(restorer - code);
	return true;
}

struct frame {
	uint64_t restorer;
	uint64_t uc_flags, uc_link, stack;
	uint32_t stack_flags, pad;
	uint64_t stack_size;
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, rdi, rsi, rbp, rbx, rdx, rax, rcx, rsp, rip,
		eflags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
	uint64_t mask;
	uint8_t info[128];
};

enum {
	/* uapi/asm/ucontext.h: floating-point state in the form of XSAVE, a valid SS */
	UC_FLAGS = 1 | 2 | 4,
	/* no flags of sigaltstack(2): the kernel ignores the stack, and keeps the thread's */
	NO_STACK = 8,
	XSTATE = 0x202, /* linux/elf.h: NT_X86_XSTATE */
	MAGIC1 = 0x46505853,
	MAGIC2 = 0x46505845,
	ALIGN = 64, /* of XSAVE */
	MOST_XSTATE = 1 << 14,
	/* Intel SDM volume 1, 13.4: offsets of what XSAVE writes */
	XSTATE_MARKS = 464,
	XSTATE_PRESENT = 512,
	XSTATE_LEGACY = 576,
	/* tiles, which a thread has only after a request: their configuration and data */
	TILES = 17,
	CPUID_XSTATE = 0xd
};

struct marks {
	uint32_t magic1, extended_size;
	uint64_t features;
	uint32_t size, padding[7];
};

/* Bytes of the state of FEATURES. */
static uint32_t state_size(uint64_t features)
{
	uint32_t most = XSTATE_LEGACY, size, offset, flags, unused;

	for (uint32_t i = 2; i < 63; i++)
		if (features >> i & 1 &&
		    __get_cpuid_count(CPUID_XSTATE, i, &size, &offset, &flags, &unused) &&
		    offset + size > most)
			most = offset + size;
	return most;
}

/* Mark the state at V, which has room for N bytes, as the kernel does; returns its size. */
static uint32_t mark_state(uint8_t *v, size_t n)
{
	const uint64_t tiles = 3ull << TILES;
	const uint32_t magic2 = MAGIC2;
	struct marks m = {.magic1 = MAGIC1};
	uint64_t present;

	/* ptrace gives the features that the kernel has enabled here, too */
	memcpy(&m.features, v + XSTATE_MARKS, sizeof m.features);
	memcpy(&present, v + XSTATE_PRESENT, sizeof present);
	if (!(present & tiles))
		m.features &= ~tiles;
	m.size = state_size(m.features);
	m.extended_size = m.size + (uint32_t)sizeof magic2;
	if (m.extended_size > n)
		return 0;
	memcpy(v + XSTATE_MARKS, &m, sizeof m);
	memcpy(v + m.size, &magic2, sizeof magic2);
	return m.extended_size;
}

bool signal_frame_make(struct signal_frame *f, pid_t tid, uint64_t end)
{
	uint8_t *state = aligned_alloc(ALIGN, MOST_XSTATE);
	struct iovec v = {state, MOST_XSTATE};
	struct frame frame = {.uc_flags = UC_FLAGS, .stack_flags = NO_STACK, .cs = USER_CODE_64};
	uint32_t size = 0;
	uint64_t at = 0;

	*f = (struct signal_frame){0};
	if (state && !ptrace(PTRACE_GETREGSET, tid, XSTATE, &v) && v.iov_len >= XSTATE_LEGACY)
		size = mark_state(state, MOST_XSTATE);
	if (size) {
		at = (end - size) & -(uint64_t)ALIGN;
		f->at = (at - sizeof frame) & -(uint64_t)ALIGN;
		f->size = at + size - f->at;
		f->bytes = calloc(1, f->size);
	}
	if (f->bytes) {
		frame.fpstate = at;
		memcpy(f->bytes, &frame, sizeof frame);
		memcpy(f->bytes + (at - f->at), state, size);
	}
	free(state);
	return f->bytes;
}

void signal_frame_set(struct signal_frame *f, uint64_t restorer, const struct user_regs_struct *r,
		      uint64_t mask)
{
	struct frame *to = (struct frame *)(void *)f->bytes;

	to->restorer = restorer;
	to->r8 = r->r8, to->r9 = r->r9, to->r10 = r->r10, to->r11 = r->r11;
	to->r12 = r->r12, to->r13 = r->r13, to->r14 = r->r14, to->r15 = r->r15;
	to->rdi = r->rdi, to->rsi = r->rsi, to->rbp = r->rbp, to->rbx = r->rbx;
	to->rdx = r->rdx, to->rax = r->rax, to->rcx = r->rcx, to->rsp = r->rsp;
	to->rip = r->rip, to->eflags = r->eflags;
	to->ss = (uint16_t)r->ss;
	to->mask = mask;
}
