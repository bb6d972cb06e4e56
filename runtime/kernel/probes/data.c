/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * kernel.data(): accesses to kernel memory, watched by debug registers.
 *
 * The handler runs in the debug exception after the access, which is like an NMI. The loader passes
 * the addresses of symbols from /proc/kallsyms.
 */
#include <linux/ctype.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <linux/slab.h>

#include "error_text.h"
#include "probes/cpus.h"
#include "probes/probes.h"
#include "rt.h"
#include "probes/sample.h"
#include "wire_records.h"

struct watched {
	unsigned long addr; /* 0 if the symbol was not found */
	bool sure;
	int err;
	const struct ust_probe *probe;
	struct cpu_events events;
};

static struct watched *watched; /* by probe number */
static struct {
	unsigned long start, end;
} own; /* range of the per-CPU symbols in /proc/kallsyms */

static bool is_data(const struct ust_probe *p) { return p->kind == UST_PROBE_DATA; }

bool data_is_used(void)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++)
		if (is_data(&ust_program.probes[i]))
			return true;
	return false;
}

int data_init(void)
{
	if (!data_is_used())
		return 0;
	watched = kcalloc(ust_program.nprobes, sizeof *watched, GFP_KERNEL);
	return watched ? 0 : -ENOMEM;
}

void data_exit(void)
{
	kfree(watched);
	watched = NULL;
}

/* ----------------------------------------------------------------- symbols */

u32 data_symbols(void)
{
	u32 n = 0, i;

	for (i = 0; i < ust_program.nprobes; i++)
		n += is_data(&ust_program.probes[i]) && ust_program.probes[i].data.symbol;
	return n;
}

static bool same_name(const char *name, size_t n, const char *want)
{
	return strlen(want) == n && !memcmp(name, want, n);
}

/* SURE: the symbol is known to be a variable. */
static void see_symbol(const char *name, size_t n, unsigned long addr, bool sure)
{
	u32 i;

	for (i = 0; i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];

		if (!is_data(p) || !p->data.symbol || !same_name(name, n, p->data.symbol) ||
		    (watched[i].addr && (!sure || watched[i].sure)))
			continue;
		watched[i].addr = addr;
		watched[i].sure = sure;
	}
}

static void see_own(const char *name, size_t n, unsigned long addr)
{
	if (same_name(name, n, "__per_cpu_start"))
		own.start = addr;
	if (same_name(name, n, "__per_cpu_end"))
		own.end = addr;
}

/* By its letter in kallsyms. 7.2 has some data among the functions, as far as the letters show. */
static bool is_text(char type) { return type == 't' || type == 'T'; }
static bool is_variable(char type) { return strchr("bBdDgGrRsSvV", type) && type; }

/* True for a per-CPU variable: its symbol is the address of the initial value only. Before 6.15
 * these addresses were absolute and began with 0. */
static bool is_own(const struct watched *w) { return w->addr >= own.start && w->addr < own.end; }
static bool is_absolute(char type) { return type == 'a' || type == 'A'; }

/* TEXT consists of whole lines "ADDRESS TYPE NAME", with the module after a tab. */
void data_read_symbols(const char *text)
{
	const char *line, *end;

	if (!watched)
		return;
	for (line = text; *line; line = *end ? end + 1 : end) {
		const char *p = line;
		unsigned long addr = 0;

		end = line + strcspn(line, "\n");
		while (isxdigit(*p))
			addr = addr << 4 | hex_to_bin(*p++);
		if (end - p <= 3 || *p != ' ')
			continue;
		see_own(p + 3, strcspn(p + 3, " \t\n"), addr);
		if (is_variable(p[1]) || is_text(p[1]) || is_absolute(p[1]))
			see_symbol(p + 3, strcspn(p + 3, " \t\n"), addr, is_variable(p[1]));
	}
}

/* -------------------------------------------------------------- start, stop */

static void on_access(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	sample_run(event->overflow_handler_context, regs);
}

static const char *watch_error(int err)
{
	switch (err) {
	case -ENOENT:
		return "the kernel has no variable of that name";
	case -EXDEV:
		return "it is a per-CPU variable";
	case -ENOSPC:
		return "all debug registers of the processor are in use";
	case -EINVAL:
		return "the address is not aligned to its length, or the kernel does not allow it";
	default:
		return error_text(err);
	}
}

static struct perf_event *watch_on_cpu(struct cpu_events *e, int cpu)
{
	struct watched *w = container_of(e, struct watched, events);
	const struct ust_probe *p = w->probe;
	struct perf_event_attr attr;
	struct perf_event *event;

	if (w->err)
		return NULL;
	hw_breakpoint_init(&attr);
	attr.bp_addr = p->data.symbol ? w->addr : p->data.addr;
	attr.bp_len = p->data.length;
	attr.bp_type = p->data.is_read ? HW_BREAKPOINT_RW : HW_BREAKPOINT_W;
	event = perf_event_create_kernel_counter(&attr, cpu, NULL, on_access, (void *)p);
	if (!IS_ERR(event))
		return event;
	if (PTR_ERR(event) != -ENODEV) /* -ENODEV: the CPU has gone offline */
		w->err = PTR_ERR(event);
	return NULL;
}

static void unwatch(struct watched *w)
{
	cpu_events_stop(&w->events);
	synchronize_rcu(); /* wait for running handlers */
	kfree(w->events.on);
	w->events.on = NULL;
}

static int watch_one(struct watched *w, const struct ust_probe *p)
{
	int err;

	if (p->data.symbol && !w->addr)
		return -ENOENT;
	if (p->data.symbol && is_own(w))
		return -EXDEV;
	w->probe = p;
	w->events.make = watch_on_cpu;
	w->err = 0;
	err = cpu_events_start(&w->events);
	if (!err && w->err) {
		err = w->err;
		unwatch(w);
	}
	return err;
}

int data_start(void)
{
	u32 i;

	for (i = 0; watched && i < ust_program.nprobes; i++) {
		const struct ust_probe *p = &ust_program.probes[i];
		int err = is_data(p) ? watch_one(&watched[i], p) : 0;

		if (err)
			relay_message(UST_REC_WARN, "probe %s cannot be armed: %s (%d)", p->pp,
				      watch_error(err), err);
	}
	return 0;
}

void data_stop(void)
{
	u32 i;

	for (i = 0; watched && i < ust_program.nprobes; i++)
		if (watched[i].events.on)
			unwatch(&watched[i]);
}
