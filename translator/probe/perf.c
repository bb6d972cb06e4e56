/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf.type(N).config(N): a handler for every so many events of the kernel's counters, or counters
 * that @perf() reads.
 *
 * Which events a machine has is found out when the script is loaded.
 */
#include <inttypes.h>
#include <string.h>
#include "process_point.h"
#include "sema/points/point.h"
#include "session.h"

/* Events between two hits, unless .sample or .hz is given. */
#define DEFAULT_PERIOD 1000000

/* -------------------------------------------------------------- @perf() */

static bool is_perf(const struct probe *p) { return p->kind->holds == HOLDS_PERF; }

struct check {
	const struct session *s;
	struct smap said;
};

static void counter_names(const struct session *s, name_vec *out)
{
	for (size_t i = 0; i < s->program.probes.n; i++)
		if (is_perf(s->program.probes.v[i]) && s->program.probes.v[i]->perf.counter)
			vec_push(out, s->program.probes.v[i]->perf.counter);
}

static bool see_read(struct node *n, void *arg)
{
	struct check *c = arg;
	const char *name, *near, *key = xprintf("%p:%u", (const void *)n->loc.src, n->loc.beg);
	name_vec names = {0};

	if (n->kind != N_CALL || strcmp(n->call.name, "__perf") || n->call.args->kind != N_STR)
		return true;
	name = n->call.args->str.s;
	counter_names(c->s, &names);
	for (size_t i = 0; i < names.n; i++)
		if (!strcmp(names.v[i], name))
			return true;
	if (smap_get(&c->said, key))
		return true;
	smap_put(&c->said, key, n);
	near = nearest(name, names.v, names.n);
	diag_error(E_NO_VARIABLE, n->loc, "no counter \"%s\"%s", name,
		   near ? xprintf("; did you mean \"%s\"?", near) : "");
	diag_hint("define it with a probe: perf.type(N).config(N).counter(\"%s\") {}", name);
	return true;
}

static void check_counters(const struct session *s)
{
	struct check c = {.s = s};

	for (size_t i = 0; i < s->program.probes.n; i++)
		node_walk(s->program.probes.v[i]->body, see_read, NULL, &c);
	for (size_t i = 0; i < s->script.funcs.n; i++)
		if (s->script.funcs.v[i]->resolved)
			node_walk(s->script.funcs.v[i]->body, see_read, NULL, &c);
}

/* ---------------------------------------------------------------- points */

static bool number(const struct point_comp *c, int64_t least, int64_t most)
{
	if (c->arg->num >= least && c->arg->num <= most)
		return true;
	diag_error(E_PROBE_POINT, c->arg->loc,
		   "the %s of an event is from %" PRId64 " to %" PRId64 ", not %" PRId64, c->name,
		   least, most, c->arg->num);
	return false;
}

static bool read_numbers(struct probe *p, const struct point *pt)
{
	const struct point_comp *type = point_comp(pt, "type"), *sample = point_comp(pt, "sample"),
				*hz = point_comp(pt, "hz");

	if (!number(type, 0, UINT32_MAX) || (sample && !number(sample, 1, INT64_MAX)) ||
	    (hz && !number(hz, 1, 1000000)))
		return false;
	p->perf.type = (unsigned)type->arg->num;
	p->perf.config = (uint64_t)point_comp(pt, "config")->arg->num;
	p->perf.by_rate = hz != NULL;
	p->perf.count = hz ? hz->arg->num : sample ? sample->arg->num : DEFAULT_PERIOD;
	return true;
}

static bool read_name(const struct session *s, struct probe *p, const struct point *pt)
{
	const struct point_comp *c = point_comp(pt, "counter");

	if (!c)
		return true;
	p->perf.counter = c->arg->str.s;
	p->perf.count = 0;
	if (!c->arg->str.len) {
		diag_error(E_PROBE_POINT, c->arg->loc, "the name of a counter is empty");
		return false;
	}
	for (size_t i = 0; i < s->program.probes.n; i++)
		if (is_perf(s->program.probes.v[i]) && s->program.probes.v[i]->perf.counter &&
		    !strcmp(s->program.probes.v[i]->perf.counter, p->perf.counter)) {
			diag_error(E_PROBE_POINT, c->arg->loc, "counter \"%s\" is already defined",
				   p->perf.counter);
			return false;
		}
	return true;
}

static bool add(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		const struct point *pt, struct module *program)
{
	struct probe *p = probe_new(s, k, decl, pt);

	p->program = program;
	if (!read_numbers(p, pt) || !read_name(s, p, pt) || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

/* process(...) and what follows it. */
static struct point process_of(const struct point *pt)
{
	struct point sub = {.loc = pt->loc};
	bool found = false;

	for (size_t i = 0; i < pt->comps.n; i++) {
		found |= !strcmp(pt->comps.v[i].name, "process");
		if (found)
			vec_push(&sub.comps, pt->comps.v[i]);
	}
	return sub;
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	struct point process = process_of(pt);
	module_vec modules = {0};
	bool any = false;

	if (!process.comps.n)
		return add(s, k, decl, pt, NULL);
	if (!point_modules(s, &process, quiet, &modules))
		return false;
	for (size_t i = 0; i < modules.n; i++)
		any |= add(s, k, decl, pt, modules.v[i]);
	return any;
}

#define EVENT(text)                                                                               \
	{                                                                                         \
		.pattern = "perf.type(n).config(n)" text, .rt = "UST_PROBE_PERF",                 \
		.holds = HOLDS_PERF, .in_irq = true, .lacking = 1u << RT_USER, .resolve = resolve \
	}
const struct probe_kind probe_perfs[] = {
	{.pattern = "perf.type(n).config(n)",
	 .rt = "UST_PROBE_PERF",
	 .holds = HOLDS_PERF,
	 .in_irq = true,
	 .lacking = 1u << RT_USER,
	 .resolve = resolve,
	 .check = check_counters},
	EVENT(".sample(n)"),
	EVENT(".hz(n)"),
	EVENT(".process"),
	EVENT(".process(s)"),
	EVENT(".sample(n).process(s)"),
	EVENT(".hz(n).process(s)"),
	EVENT(".counter(s)"),
	EVENT(".process(s).counter(s)"),
	EVENT(".process.counter(s)"),
	{0},
};

/* ustap-probes.7, PERFORMANCE EVENTS
.TP
.BI perf.type( N ).config( N )
.TQ
.BI perf.type( N ).config( N ).sample( COUNT )
.TQ
.BI perf.type( N ).config( N ).hz( N )
After each
.I COUNT
events on any CPU (1,000,000 by default), or about
.I N
times per second, in the interrupted context:
.BR user_mode() ,
.BR uaddr() ,
.BR addr()
and backtraces have the same meaning as in
.BR timer.profile .
.TP
.BI perf.type( N ).config( N ).process(\(dqPROGRAM\(dq) "\fR, " perf.type( N ).config( N ).process
.TQ
.BI perf.type( N ).config( N ).sample( COUNT ).process(\(dqPROGRAM\(dq)
.TQ
.BI perf.type( N ).config( N ).hz( N ).process(\(dqPROGRAM\(dq)
The same in the threads of one program, or, without a name, of the command. Each thread has its own
count, which starts with the thread or the script.
.TP
.BI perf.type( N ).config( N ).counter(\(dqNAME\(dq)
.TQ
.BI perf.type( N ).config( N ).process(\(dqPROGRAM\(dq).counter(\(dqNAME\(dq)
.TQ
.BI perf.type( N ).config( N ).process.counter(\(dqNAME\(dq)
The handler does not run. In other handlers
.BI @perf(\(dq NAME \(dq)
is the count of the current CPU, or with
.B process
of the current thread.
*/
