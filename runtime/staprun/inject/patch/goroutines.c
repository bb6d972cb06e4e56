/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goroutines that continue at any instruction: Go's runtime interrupts them by a signal, whose
 * handler has them call asyncPreempt() as if that instruction had done so. The address is on their
 * stacks as a return address, and the garbage collector looks it up, so it can neither be moved nor
 * be in the middle of a jump. Most of them wait; some are still on their threads, in the handler or
 * in asyncPreempt().
 */
#define _GNU_SOURCE
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"
#include "inject/patch/addresses.h"
#include "inject/patch/goroutines.h"
#include "inject/ptrace/ptrace.h"

#include <stddef.h>
#include <stdint.h>
#include <sys/uio.h>

/* The start of struct g (src/runtime/runtime2.go), the same since Go 1.14, which brought such
 * interruptions. */
struct goroutine {
	uint64_t lo, hi; /* its stack */
	uint64_t guards[2], panic, defers, machine;
	uint64_t sp, pc; /* where it continues */
};
struct slice {
	uint64_t at, n, room;
};

/* A program can forge all that is read here. MOST: of goroutines; WAITING: of those whose stacks
 * or signal frames are read; DEEP: bytes of a stack down to the address, with the registers that
 * asyncPreempt() saves. */
enum { MOST = 1 << 20, WAITING = 1 << 16, BATCH = 512, DEEP = 4096 };

struct search {
	const struct tracee *t;
	uint64_t preempt, preempt_end; /* code of asyncPreempt2() */
	size_t waiting;
	struct addresses *found;
};

/* Note what is on a stack from SP on, ROOM bytes at most. */
static void note_stack(const struct search *s, uint64_t sp, uint64_t room)
{
	uint64_t words[DEEP / sizeof(uint64_t)];
	size_t n = tracee_read_some(s->t, sp, words, room < sizeof words ? room : sizeof words);

	for (size_t i = 0; i < n / sizeof *words; i++)
		addresses_add(s->found, words[i]);
}

static void look_at(struct search *s, const struct goroutine *g)
{
	if (g->pc < s->preempt || g->pc >= s->preempt_end || g->sp < g->lo || g->sp >= g->hi ||
	    s->waiting++ >= WAITING)
		return;
	note_stack(s, g->sp, g->hi - g->sp);
}

/* A thread that has not ended: the first one may have. */
static pid_t some_thread(const struct tracee *t)
{
	for (size_t i = 0; i < t->n; i++)
		if (!t->v[i].gone)
			return t->v[i].tid;
	return t->pid;
}

/* Look at the N goroutines that are at AT. */
static void look_at_each(struct search *s, const uint64_t *at, size_t n)
{
	static struct goroutine v[BATCH];
	struct iovec from[BATCH], to = {v, n * sizeof *v};
	ssize_t size;

	for (size_t i = 0; i < n; i++)
		from[i] = (struct iovec){(void *)at[i], sizeof *v};
	size = process_vm_readv(some_thread(s->t), &to, 1, from, n, 0);
	for (ssize_t i = 0; i < size / (ssize_t)sizeof *v; i++)
		look_at(s, &v[i]);
}

bool goroutines_possible(const struct elf_file *f) { return elffile_object(f, "runtime.allgs"); }

/* Look at the goroutines of GS. */
static void look_at_all(struct search *s, const struct slice *gs)
{
	uint64_t at[BATCH];

	for (size_t i = 0, n; i < gs->n && s->waiting <= WAITING; i += n) {
		n = gs->n - i < BATCH ? gs->n - i : BATCH;
		if (!tracee_read(s->t, gs->at + i * sizeof *at, at, n * sizeof *at))
			return;
		look_at_each(s, at, n);
	}
}

/* A thread continues at PC, which is at AT, after the handler of its signal. The handler may have
 * read it, and may have changed it. */
static void note_frame(void *arg, uint64_t at, uint64_t pc)
{
	struct search *s = arg;
	uint64_t sp;

	addresses_add(s->found, pc);
	if (s->waiting++ < WAITING && tracee_read(s->t, at + FRAME_SP, &sp, sizeof sp))
		note_stack(s, sp, DEEP);
}

/* Look at goroutines that are on their threads. */
static void look_at_threads(struct search *s)
{
	for (size_t i = 0; i < s->t->n; i++) {
		if (!thread_is_held(&s->t->v[i]))
			continue;
		note_stack(s, tracee_sp(s->t, i), DEEP);
		frames_visit(s->t, i, note_frame, s);
	}
}

void goroutines_add(struct addresses *to, const struct tracee *t, const struct elf_file *f,
		    uint64_t bias)
{
	uint64_t all = elffile_object(f, "runtime.allgs"), start, end;
	uint64_t preempt = elffile_function(f, "runtime.asyncPreempt2");
	struct search s = {.t = t, .found = to};
	struct slice gs;

	if (!all || !preempt || !elffile_function_at(f, preempt, &start, &end, &s.preempt_end) ||
	    !tracee_read(t, all + bias, &gs, sizeof gs))
		return;
	s.preempt = preempt + bias;
	s.preempt_end += bias;
	look_at_threads(&s);
	if (gs.n <= MOST)
		look_at_all(&s, &gs);
	if (gs.n > MOST || s.waiting > WAITING)
		addresses_add_all(to);
}
