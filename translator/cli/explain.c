/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Explain: what became of each probe point of the script: its sites, which instruction each is at
 * and why, and which variables are to be had there and elsewhere.  Sites are numbered as the
 * runtimes number them.
 */
#include <inttypes.h>
#include <string.h>

#include "dwarf/code_locations.h"
#include "passes.h"

/* Above this number of sites of one probe point, each is one line unless -v. */
enum { SITES_TOLD = 64 };

/* --------------------------------------------------------------------- one site */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void explain_place(struct strbuf *out, const struct site *site)
{
	const struct function *f = site->f;
	const char *id = module_build_id(site->mod), *file;
	int line;

	sb_printf(out, "      in %s, %s%s\n", module_path(site->mod),
		  *id ? "build-id " : "without a build-id", id);
	sb_printf(out, "      at offset %#" PRIx64 ", address %#" PRIx64, site->offset, site->addr);
	if (*f->name && site->addr >= f->entry)
		sb_printf(out, ", %s+%#" PRIx64, *f->linkage ? f->linkage : f->name,
			  site->addr - f->entry);
	if (module_line_at(site->mod, site->addr, &file, &line))
		sb_printf(out, ", %s:%d", file, line);
	sb_add(out, "\n");
}

/* Addresses of its module are made up: where it is, the kernel says when the script is loaded. */
static void explain_kernel_place(struct strbuf *out, const struct site *site, bool traced)
{
	sb_printf(out,
		  traced ? "      in the kernel, tracepoint %s\n"
			 : "      in the kernel, at the address of symbol %s\n",
		  site->symbol);
	if (site->is_return)
		sb_add(out, "      the return is caught by replacing the return address there\n");
}

/* Numbers are one more in a site, 0 means none. */
static void explain_call(struct strbuf *out, const struct site *site)
{
	const char *when = site->is_return ? "returns" : "begins";

	if (!*site->symbol) {
		sb_printf(out, "      where any system call of any process %s\n", when);
		return;
	}
	sb_printf(out, "      where the system call %s of any process %s", site->symbol, when);
	if (site->offset)
		sb_printf(out, ", number %" PRIu64, site->offset - 1);
	if (site->addr)
		sb_printf(out, "%s%" PRIu64 " in 32-bit programs",
			  site->offset ? ", " : ", number ", site->addr - 1);
	sb_add(out, "\n");
}

static void explain_inlined(struct strbuf *out, const struct function *f)
{
	name_vec into = {0};

	function_inlined_into(f, &into);
	for (size_t i = 0; i < into.n; i++)
		sb_printf(out, "      inlined into %s\n", into.v[i]);
}

static void explain_instruction(struct strbuf *out, const struct site *site)
{
	sb_printf(out, "      instruction: %s (%s", site_instruction(site),
		  site->why ? site->why : "as the probe point requests");
	sb_printf(out, "%s%s)\n", site->cost ? "; " : "", site->cost ? site->cost : "");
	if (site->is_return)
		sb_add(out, "      the return is caught by replacing the return address there\n");
	if (site->semaphore)
		sb_printf(out,
			  "      semaphore at %#" PRIx64 ", incremented in each probed process\n",
			  site->semaphore);
}

/* -------------------------------------------------------------------- variables */

static void explain_range(struct strbuf *out, const struct var_range *r)
{
	sb_printf(out, "          %#" PRIx64 "-%#" PRIx64 " %s", r->lo, r->hi, r->place);
	if (r->first && r->first == r->last)
		sb_printf(out, ", line %d", r->first);
	else if (r->first)
		sb_printf(out, ", lines %d-%d", r->first, r->last);
	sb_add(out, "\n");
}

static void explain_variable(struct strbuf *out, const struct var_seen *v, bool with_ranges)
{
	sb_printf(out, "      %s", v->name);
	if (v->type)
		sb_printf(out, ": %s", v->type);
	if (v->here)
		sb_printf(out, ", here %s\n", v->here);
	else
		sb_printf(out, ", not here: %s\n", v->why);
	for (size_t i = 0; i < v->ranges.n && with_ranges; i++)
		explain_range(out, &v->ranges.v[i]);
}

static void explain_variables(struct strbuf *out, const struct site *site)
{
	seen_vec seen = {0};
	const char *type = site->is_return ? function_result_type(site->f) : NULL;

	if (site->mark)
		for (unsigned i = 0; i < site->mark->nargs; i++)
			sb_printf(out, "      $arg%u: %s\n", i + 1, site->mark->args[i]);
	if (type)
		sb_printf(out, "      $return: %s\n", type);
	if (!site->f->die && !site->mark)
		sb_add(out, "      no variables are known: it has no debug information\n");
	function_variables(site->f, site->pc, &seen);
	for (size_t i = 0; i < seen.n; i++)
		explain_variable(out, &seen.v[i], !site->symbol);
}

static void explain_watch(struct strbuf *out, const struct site *site)
{
	sb_printf(out, "      in %s\n", module_path(site->mod));
	sb_printf(out, "      %u byte%s at %s %#" PRIx64 ", watched by a debug register\n",
		  site->watch.length, site->watch.length > 1 ? "s" : "",
		  site->watch.absolute ? "address of the process" : "address", site->addr);
}

static void explain_site(struct strbuf *out, const struct site *site, size_t number, bool whole,
			 const struct probe_kind *kind)
{
	sb_printf(out, "  #%zu %s\n", number, site->pp);
	if (kind->is_syscall) {
		explain_call(out, site);
		return;
	}
	if (kind->is_watch) {
		explain_watch(out, site);
		return;
	}
	if (site->symbol) {
		explain_kernel_place(out, site, kind->is_trace);
		if (whole)
			explain_variables(out, site);
		return;
	}
	if (!whole) {
		sb_printf(out, "      %s+%#" PRIx64 "\n", base_name(module_path(site->mod)),
			  site->offset);
		return;
	}
	explain_place(out, site);
	explain_inlined(out, site->f);
	explain_instruction(out, site);
	explain_variables(out, site);
}

/* ------------------------------------------------------------------- the points */

/* Sites of one probe point, as in the program. */
struct numbered {
	const struct site *site;
	size_t number;
	const struct probe_kind *kind;
};
typedef VEC(struct numbered) numbered_vec;

static bool is_named_by(const struct site *site, const struct point *pt)
{
	for (size_t i = 0; site->also && site->pt != pt && i < site->also->v.n; i++)
		if (site->also->v.v[i].pt == pt)
			return true;
	return false;
}

/* Sites of PT, and in SHARED those that a point before it has, too; *RUN: a probe without
 * sites is one of it. */
static void sites_of(const struct session *s, const struct point *pt, numbered_vec *out,
		     numbered_vec *shared, bool *run)
{
	size_t n = 0;

	*run = false;
	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		for (size_t j = 0; j < p->sites.n; j++) {
			n++;
			if (p->sites.v[j].pt == pt)
				vec_push(out, ((struct numbered){&p->sites.v[j], n, p->kind}));
			if (is_named_by(&p->sites.v[j], pt))
				vec_push(shared, ((struct numbered){&p->sites.v[j], n, p->kind}));
		}
		*run |= !p->kind->has_sites && p->point.src == pt->loc.src &&
			p->point.beg == pt->loc.beg;
	}
}

static void explain_point(const struct session *s, struct strbuf *out, const struct point *pt)
{
	numbered_vec sites = {0}, shared = {0};
	unsigned line, col;
	bool run;

	sites_of(s, pt, &sites, &shared, &run);
	loc_linecol(pt->loc, &line, &col);
	sb_printf(out, "%s:%u:%u: %s: ", pt->loc.src->name, line, col, point_text(pt));
	if (!sites.n && shared.n)
		sb_add(out, "the same sites as above\n");
	else if (sites.n)
		sb_printf(out, "%zu site%s\n", sites.n, sites.n == 1 ? "" : "s");
	else
		sb_add(out, run && !strcmp(pt->comps.v[0].name, "process")
				    ? "no site: an event of processes\n"
			    : run ? "no site: an event of the script itself\n"
			    : pt->optional || pt->sufficient
				    ? "no site found (optional probe point)\n"
				    : "not resolved\n");
	for (size_t i = 0; i < sites.n; i++)
		explain_site(out, sites.v[i].site, sites.v[i].number,
			     sites.n <= SITES_TOLD || verbose, sites.v[i].kind);
	for (size_t i = 0; i < shared.n; i++)
		sb_printf(out, "  #%zu also has this name: %s\n", shared.v[i].number,
			  shared.v[i].site->pp);
}

/* Probe points of an alias are printed below it. */
static void explain_decl(const struct session *s, struct strbuf *out, const struct probe_decl *decl)
{
	for (size_t i = 0; i < decl->points.n; i++) {
		const struct point *pt = decl->points.v[i];

		if (!pt->elsewhere)
			explain_point(s, out, pt);
		for (size_t k = 0; k < pt->subs.n; k++)
			explain_decl(s, out, pt->subs.v[k]);
	}
}

void explain(struct session *s)
{
	struct strbuf out = {0};

	for (size_t i = 0; i < s->script.probes.n; i++)
		explain_decl(s, &out, s->script.probes.v[i]);
	if (out.n)
		fputs(printable(out.s), s->opt.stop_after == 2 ? stdout : stderr);
}
