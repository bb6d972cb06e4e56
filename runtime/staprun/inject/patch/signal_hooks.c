/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hooks at system calls that change signal handlers and masks, in the C library, the dynamic linker
 * and the program.
 */
#define _GNU_SOURCE
#include "inject/arch/arch.h"
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patched_file.h"
#include "inject/patch/signals.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <elf.h>
#include <string.h>
#include <sys/syscall.h>

static const struct {
	const char *function;
	unsigned argument;
} waits[] = {
	{"sigsuspend", 0}, {"ppoll", 3}, {"epoll_pwait", 4}, {"epoll_pwait2", 4}, {"pselect", 5}};

static void add_place(struct file *f, uint64_t addr, uint16_t hook)
{
	struct place *p = addr ? file_place(f, addr) : NULL;

	if (p)
		p->hook = hook;
}

static const unsigned numbers[CALLS] = {
	[CALLS_ACTION] = SYS_rt_sigaction, [CALLS_MASK] = SYS_rt_sigprocmask};

/* Code of a file, and the search in it. */
struct search {
	struct file *file;
	enum calls kind;
	bool near; /* only calls that closely follow the number */
	const uint8_t *text;
	size_t size, done; /* bytes; those searched */
	uint64_t addr;     /* address of the code */
	uint64_t generic;  /* address of syscall(), which can make any call */
};

/* A `syscall' instruction. */
struct call {
	const uint8_t *text;
	uint64_t start, end, addr;
};

static bool may_be(const struct search *s, const struct call *c, enum calls kind)
{
	return c->start == s->generic ||
	       call_may_be(c->text, c->start, c->end, c->addr, &numbers[kind], 1);
}

/* A call that may be either is hooked as CALLS_ACTION, whose hooks handle both. */
static bool is_wanted(const struct search *s, const struct call *c)
{
	return may_be(s, c, s->kind) && (s->kind == CALLS_ACTION || !may_be(s, c, CALLS_ACTION));
}

static void look_at_call(const struct search *s, size_t at)
{
	struct call c = {.addr = s->addr + at};
	const struct elf_file *elf = s->file->elf;
	uint64_t next;

	if (!(elffile_function_at(elf, c.addr, &c.start, &c.end, &next) ||
	      elffile_code_around(elf, c.addr, &c.start, &c.end)) ||
	    c.start < s->addr)
		return;
	c.text = s->text + (c.start - s->addr);
	if (is_wanted(s, &c))
		add_place(s->file, c.addr, UST_HOOK_SIGNALS);
}

/* All calls in the function at byte AT and near it, because functions may be nested. */
static void look_near(struct search *s, size_t at)
{
	enum { NEAR = 4096 };
	size_t from = at > NEAR ? at - NEAR : 0, to = s->size - at > NEAR ? at + NEAR : s->size;
	uint64_t start, end, next;
	const uint8_t *p;

	if (elffile_function_at(s->file->elf, s->addr + at, &start, &end, &next) &&
	    start >= s->addr) {
		from = start - s->addr < from ? start - s->addr : from;
		to = end - s->addr > to && end - s->addr <= s->size ? end - s->addr : to;
	}
	if (from < s->done)
		from = s->done;
	for (; from < to &&
	       (p = memmem(s->text + from, to - from, syscall_insn, sizeof syscall_insn));
	     from = (size_t)(p - s->text) + 1)
		look_at_call(s, (size_t)(p - s->text));
	if (s->done < to)
		s->done = to;
}

/* The number of a call is a constant that its function loads into a register: mov $imm32. */
static void look_for_number(struct search *s)
{
	const uint32_t number = numbers[s->kind];
	const uint8_t *p, *end = s->text + s->size;

	for (p = s->text + 1; p < end && (p = memmem(p, (size_t)(end - p), &number, sizeof number));
	     p++) {
		size_t at = (size_t)(p - 1 - s->text);

		if ((p[-1] & 0xf8) == 0xb8 && (!s->near || call_follows(p - 1, s->size - at)))
			look_near(s, at);
	}
}

static void add_calls(struct file *f, enum calls kind, bool is_library)
{
	struct search s = {.file = f,
			   .kind = kind,
			   .near = !is_library,
			   .addr = f->all_addr,
			   .generic = is_library ? elffile_function(f->elf, "syscall") : 0};

	s.size = elffile_text(f->elf, s.addr, &s.text);
	if (s.size)
		look_for_number(&s);
	s.done = 0;
	if (s.generic > s.addr && s.generic - s.addr < s.size)
		look_near(&s, s.generic - s.addr);
}

/* A file object with the same file and other sites, for all processes. */
static struct file *calls_of(struct file *f, const struct mapping *m, bool is_library,
			     enum calls kind)
{
	struct file *s = f->calls[kind];

	if (s)
		return s;
	s = f->calls[kind] = xrealloc(NULL, sizeof *s);
	*s = (struct file){.path = f->path,
			   .dev = f->dev,
			   .ino = f->ino,
			   .elf = f->elf,
			   .mapped = true,
			   .hooked = true,
			   .watches_signals = true,
			   .all_addr = arm_text_addr(f, m)};
	add_calls(s, kind, is_library);
	for (size_t i = 0; kind == CALLS_MASK && is_library && i < sizeof waits / sizeof *waits;
	     i++)
		add_place(s, elffile_function(s->elf, waits[i].function),
			  (uint16_t)(UST_HOOK_MASK + waits[i].argument));
	if (s->n)
		arm_examine_file(f, m);
	s->all = f->all;
	return s;
}

static bool is_watched(const struct process *p, const struct file *s, const struct mapping *m)
{
	for (size_t i = 0; i < p->nloaded; i++)
		if (p->loaded[i].file == s && p->loaded[i].start == m->start)
			return true;
	return false;
}

static bool all_armed(const struct file *s)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->places[i].told)
			return false;
	return true;
}

/* True if another run has hooked these calls, or the program has changed its code. */
static bool is_changed(const struct tracee *t, const struct mapping *m, const struct file *s)
{
	uint8_t now[sizeof syscall_insn];

	for (size_t i = 0; i < s->n; i++)
		if (s->places[i].hook == UST_HOOK_SIGNALS &&
		    (!tracee_read(t, m->start + (s->places[i].offset - m->offset), now,
				  sizeof now) ||
		     memcmp(now, syscall_insn, sizeof now)))
			return true;
	return false;
}

static bool watch(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		  const struct mapping *m, bool is_library, enum calls kind)
{
	struct file *f = file_of(in, p->pid, m), *s;

	if (!f)
		f = file_add(in, p->pid, m);
	if (!f || !f->elf)
		return false;
	s = calls_of(f, m, is_library, kind);
	if (s->n && !is_watched(p, s, m)) {
		if (is_changed(t, m, s))
			return false;
		arm_file(in, p, t, maps, m, s);
	}
	return all_armed(s);
}

bool signal_hooks_add(struct injector *in, struct process *p, struct tracee *t, struct maps *maps,
		      enum calls kind)
{
	uint64_t linker = auxv_value(p->pid, AT_BASE), entry = auxv_value(p->pid, AT_ENTRY);
	bool all = true;

	for (size_t i = 0; i < maps->n; i++) {
		const struct mapping *m = &maps->v[i];
		bool library = hooks_in(maps, m, linker, entry);

		if (m->exec && m->inode && *m->path && !m->shared &&
		    (library || maps_at(maps, entry) == m))
			all &= watch(in, p, t, maps, m, library, kind);
	}
	return all;
}

void signal_hooks_remove(const struct injector *in, const struct process *p, const struct tracee *t,
			 enum calls kind)
{
	struct overwritten o = {0};

	for (size_t i = 0; i < p->nloaded; i++)
		for (size_t k = 0; k < in->nfiles; k++)
			if (p->loaded[i].file == in->files[k]->calls[kind])
				text_restore(t, p->loaded[i].patches, &o);
}
