/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Functions around handlers, which the tables name instead of them: for ust_counted(), which counts
 * hits (-t, --monitor, --explain), and for ust_limited() (--max-overhead). Other programs contain
 * no such code.
 */
#include <ctype.h>

#include "emit.h"
#include "passes.h"

static bool tells_all(const struct emit *e) { return e->s->opt.explain || e->s->opt.expect_hits; }

static bool counts(const struct emit *e)
{
	return e->s->opt.timing || session_has_views(e->s) || e->s->opt.counts_file || tells_all(e);
}

/* Parts of return probes that run at the entry are not counted, nor is what --monitor and --merge
 * add. */
static bool is_counted(const struct emit *e, const struct probe *p)
{
	return counts(e) && !p->sets_saved && p->kind != &probe_monitor &&
	       p->kind != &probe_reset && p->kind != &probe_send;
}

static struct ctext counted_name(const struct emit *e, const struct probe *p)
{
	return is_counted(e, p) ? ctext("%s_counted", p->cname) : p->cname;
}

void emit_count_wrapper(struct emit *e, const struct probe *p)
{
	if (is_counted(e, p))
		cbuf_printf(
			&e->text,
			"\nstatic void %s_counted(struct ust_hit *hit) { ust_counted(hit, %s); }\n",
			p->cname, p->cname);
}

struct ctext handler_name(const struct emit *e, const struct probe *p)
{
	return is_weighted(e) ? ctext("%s_limited", p->cname) : counted_name(e, p);
}

bool is_wrapped(const struct emit *e, const struct probe *p)
{
	return is_weighted(e) || is_counted(e, p);
}

void emit_limit_wrapper(struct emit *e, const struct probe *p)
{
	if (!is_weighted(e))
		return;
	cbuf_printf(&e->text, "\nstatic void %s_limited(struct ust_hit *hit)\n{\n", p->cname);
	if (p->sites.n)
		cbuf_printf(&e->text, "\tust_limited(hit, %s);\n}\n", counted_name(e, p));
	else
		cbuf_printf(&e->text, "\thit->weight = 1;\n\t%s(hit);\n}\n", counted_name(e, p));
}

void emit_refused(struct emit *e)
{
	if (counts(e))
		line(e, "hit->off = 1;");
	emit_gate_closes(e, e->u.probe);
}

/* Exported counts have no times. */
static bool times(const struct emit *e)
{
	return e->s->opt.timing || (session_has_views(e->s) && !session_exports(e->s));
}

struct ctext counting_flags(const struct emit *e)
{
	return ctext("%s%s%s", counts(e) ? C(" | UST_PROG_COUNTS") : C(""),
		     times(e) ? C(" | UST_PROG_TIMES") : C(""),
		     tells_all(e) ? C(" | UST_PROG_TELL_ALL") : C(""));
}

/* The script's text at LOC as one line, its beginning only. */
static const char *one_line(struct loc loc)
{
	char *text = xstrndup(loc.src->text + loc.beg,
			      loc.end - loc.beg < 200 ? loc.end - loc.beg : 200);

	for (char *p = text; *p; p++)
		if (isspace((unsigned char)*p))
			*p = ' ';
	return text;
}

/* "t.stp:2:7, from: process("/usr/bin/x").function("*")": the probe P, and its point. */
static struct ctext origin(const struct probe *p, struct loc point)
{
	unsigned ln, col;

	loc_linecol(p->loc, &ln, &col);
	return c_quoted(xprintf("%s:%u:%u, from: %s", p->loc.src->name, ln, col, one_line(point)));
}

/* In the order of the tables: sites, then probes without. */
bool write_origins(const struct emit *e, struct cbuf *out)
{
	const struct program *p = &e->s->program;

	if (!counts(e))
		return false;
	cbuf_add(out, C("\nstatic const char *const origins[] = {\n"));
	for (size_t i = 0; i < p->probes.n; i++)
		for (size_t j = 0; j < p->probes.v[i]->sites.n; j++)
			cbuf_printf(out, "\t%s,\n",
				    origin(p->probes.v[i], p->probes.v[i]->sites.v[j].pt->loc));
	for (size_t i = 0; i < p->probes.n; i++)
		if (!p->probes.v[i]->kind->has_sites && is_run(p->probes.v[i]))
			cbuf_printf(out, "\t%s,\n", origin(p->probes.v[i], p->probes.v[i]->point));
	cbuf_add(out, C("\t0\n};\n"));
	return true;
}
