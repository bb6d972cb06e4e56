/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes and their sites.  Sites whose bodies and accesses come out equal share one probe; a body
 * without $variables is shared by all sites without being looked at.
 */
#include <inttypes.h>
#include <string.h>
#include "dwarf/code_locations.h"
#include "point.h"
#include "session.h"
#include "target_vars.h"

static void add_code(struct strbuf *key, const struct probe *p)
{
	node_dump(key, p->body, 0);
	for (size_t i = 0; i < p->accesses.n; i++)
		access_key(key, &p->accesses.v[i]);
}

/* process(PID) */
static int64_t only_pid(const struct point *pt)
{
	const struct node *arg = pt->comps.v[0].arg;

	return arg && arg->kind == N_NUM ? arg->num : 0;
}

#define MOST_ACTIVE 65535

/* .maxactive(N); false: an error was reported. */
static bool max_active(const struct point *pt, int64_t *n)
{
	const struct point_comp *c = point_comp(pt, "maxactive");

	*n = c && c->arg ? c->arg->num : 0;
	if (*n >= 0 && *n <= MOST_ACTIVE)
		return true;
	diag_error(E_PROBE_POINT, c->arg->loc, "maxactive() takes 0 to %d, not %" PRId64,
		   MOST_ACTIVE, *n);
	diag_hint("0 selects the default, 10 or twice the number of processors; each takes memory "
		  "while the script runs");
	return false;
}

/* The probe for this body and these accesses: an earlier one if there is one. */
static struct probe *shared_probe(struct site_context *sc, const struct probe_decl *decl,
				  bool plain)
{
	static ARENA_STATE struct smap made;
	static ARENA_STATE struct strbuf key;
	struct probe *p;

	key.n = 0;
	sb_printf(&key, "%p %p %lld %d ", (const void *)decl, (const void *)sc->kind,
		  (long long)only_pid(sc->pt), sc->way);
	if (!plain)
		add_code(&key, sc->probe);
	if (!plain && sc->probe->entry)
		add_code(&key, sc->probe->entry);
	for (size_t i = 0; sc->calls && i < sc->calls->n; i++)
		sb_printf(&key, "%p ", (const void *)sc->calls->v[i]);
	p = smap_get(&made, key.s);
	if (p)
		return p;
	p = sc->probe;
	if (p && sc->at_exit)
		exit_pair(sc->s, p, sc->way);
	if (p) {
		p->pid = only_pid(sc->pt);
		if (p->entry)
			p->entry->pid = p->pid;
		if (p->exit_entry)
			p->exit_entry->pid = p->pid;
		smap_put(&made, xstrdup(key.s), p);
		if (p->entry || p->exit_entry)
			vec_push(&sc->s->program.probes, p->entry ? p->entry : p->exit_entry);
		vec_push(&sc->s->program.probes, p);
	}
	return p;
}

static uint64_t site_address(const struct probe_kind *k, const struct function *f,
			     bool uses_variables)
{
	/* its first instruction is for probes, and its code is optimised */
	bool in_kernel = module_is_kernel(f->mod);
	bool in_body = uses_variables && !k->is_return && f->body != f->entry;

	if (f->outer || in_kernel)
		return f->entry;
	return in_body || f->resumes ? f->body : function_site(f);
}

static const char *site_reason(const struct function *f, uint64_t addr)
{
	if (f->outer)
		return "where this instance begins";
	if (addr == f->entry)
		return "the function's first";
	if (f->resumes)
		return "after the stack check, which a call passes twice if the stack is too small";
	return addr == f->body
		       ? "after the prologue: before it some parameters have no known location"
		       : "at the function's entry, after the endbr64: every call executes it, and "
			 "it costs less";
}

bool target_add_site(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct function *f, bool quiet)
{
	struct spot spot = {.f = f, .pp = site_text(pt, f)};
	text_vec also = {0};

	for (size_t i = 0; f->also && i < f->also->n; i++)
		vec_push(&also, site_text_named(pt, f, f->also->v[i]));
	spot.also = also.n ? &also : NULL;
	spot.addr = site_address(k, f, target_any(decl->body));
	spot.why = site_reason(f, spot.addr);
	return target_add_spot(s, k, decl, pt, &spot, quiet);
}

static void add_names(struct site *site, const struct point *pt, const struct spot *spot)
{
	for (size_t i = 0; spot->also && i < spot->also->n; i++)
		site_add_name(site, pt, spot->also->v[i]);
}

/* The declaration has SITE already, as SAME: what either needs holds for both. */
static void merge_site(struct site *same, const struct site *site, const struct spot *spot)
{
	same->any &= site->any;
	same->optional &= site->optional;
	same->named |= site->named;
	same->maxactive = site->maxactive > same->maxactive ? site->maxactive : same->maxactive;
	site_add_name(same, site->pt, site->pp);
	add_names(same, site->pt, spot);
}

/* The site at SPOT, which PT names; false: it has no place in the file, or an
 * error was reported. */
static bool make_site(const struct probe_kind *k, const struct point *pt, const struct spot *spot,
		      bool quiet, struct site *site)
{
	const struct function *f = spot->f;

	*site = (struct site){.mod = f->mod,
			      .is_return = k->is_return,
			      .func = f->name,
			      .pp = spot->pp,
			      .addr = spot->addr,
			      .pc = spot->addr,
			      .symbol = spot->symbol,
			      .offset = spot->offset,
			      .optional = quiet,
			      .named = spot->named,
			      .f = f,
			      .pt = pt,
			      .why = spot->why,
			      .mark = spot->mark,
			      .watch = spot->watch};
	site->any = spot->any || point_is_wild(pt);
	if (!site->symbol && module_is_kernel(f->mod)) {
		site->symbol = kernel_place(f->mod, site->addr, &site->offset);
		/* one among many, some in code that only the start needs */
		site->any |= f->outer || point_has_glob(pt);
	}
	if (!max_active(pt, &site->maxactive))
		return false;
	/* the file has no bytes of .bss; the runtime finds the module by its code */
	if (site->watch.length)
		return module_code(f->mod, &site->semaphore, &site->sem_offset);
	if (!site->symbol && !module_file_offset(f->mod, site->addr, &site->offset))
		return false;
	if (spot->mark && module_file_offset(f->mod, spot->mark->semaphore, &site->sem_offset))
		site->semaphore = spot->mark->semaphore;
	return true;
}

/* P sets at the function's entry what its return at SITE has saved. */
static bool add_entry_site(struct probe *p, struct site site)
{
	site.is_return = site.at_exit = false;
	site.addr = site.pc = function_start(site.f);
	site.why = "where values are saved for the return";
	if (!module_file_offset(site.mod, site.addr, &site.offset))
		return false;
	vec_push_large(&p->sites, site);
	return true;
}

static bool add_spot(struct site_context *sc, struct probe_decl *decl, const struct spot *spot)
{
	const struct function *f = sc->f;
	const struct point *pt = sc->pt;
	bool plain = !target_any(decl->body);
	struct site site, *same;
	const struct site_key key = {decl, sc->kind, &site, only_pid(pt)};
	struct probe *p;

	if (!make_site(sc->kind, pt, spot, sc->quiet, &site))
		return false;
	site.at_exit = sc->at_exit && !sc->at_jump;
	sc->pc = sc->at_exit ? function_start(f) : spot->addr;
	same = site_of_key(&key);
	if (same) {
		merge_site(same, &site, spot);
		return true;
	}
	p = plain ? shared_probe(sc, decl, true) : NULL;
	if (!p) {
		const char *why;

		sc->probe = probe_new(sc->s, sc->kind, decl, pt);
		if (!plain && !target_resolve_body(sc))
			return false;
		why = sc->at_exit ? exit_refusal(f, sc->probe) : NULL;
		if (why) {
			exit_report(pt, point_is_wild(pt), f, why, sc->quiet);
			return false;
		}
		p = shared_probe(sc, decl, plain);
	}
	vec_push_large(&p->sites, site);
	site_set_key(&key, p, p->sites.n - 1);
	add_names(&p->sites.v[p->sites.n - 1], pt, spot);
	return sc->first_exit && p->exit_entry ? add_entry_site(p->exit_entry, site) : true;
}

static bool add_exit(const struct site_context *sc, struct probe_decl *decl,
		     const struct spot *spot, uint64_t addr, bool is_first, bool is_jump)
{
	struct site_context each = *sc;
	struct spot exit = *spot;

	each.first_exit = is_first;
	each.at_jump = is_jump;
	exit.addr = addr;
	exit.why = is_jump ? xprintf("a jump to a function, which returns to this one's caller: %s",
				     sc->why)
			   : xprintf("a return instruction: %s", sc->why);
	return add_spot(&each, decl, &exit);
}

/* A site at each return instruction, and one at each jump to another function, whose return is also
 * that of the function. */
static bool add_exits(const struct site_context *sc, struct probe_decl *decl,
		      const struct spot *spot)
{
	addr_vec exits = {0}, jumps = {0};
	const char *why;

	if (!function_exits(sc->f, &exits, &jumps, &why)) {
		exit_report(sc->pt, point_is_wild(sc->pt), sc->f, why, sc->quiet);
		return false;
	}
	for (size_t i = 0; i < exits.n; i++)
		if (!add_exit(sc, decl, spot, exits.v[i], !i, false))
			return false;
	for (size_t i = 0; i < jumps.n; i++)
		if (!add_exit(sc, decl, spot, jumps.v[i], !i && !exits.n, true))
			return false;
	return true;
}

/* The kernel jumps to a program's _start: there is nothing that it could return to. Wildcards leave
 * it out. */
static bool never_returns(const struct probe_kind *k, const struct point *pt,
			  const struct function *f, bool quiet)
{
	if (!k->is_return || f->outer || !f->mod || module_is_kernel(f->mod) ||
	    strcmp(f->name, "_start"))
		return false;
	if (quiet || point_is_wild(pt))
		return true;
	diag_error(E_UNSUPPORTED, pt->loc, "\"_start\" of %s never returns", module_path(f->mod));
	diag_hint("process(\"...\").end is the end of the program");
	return true;
}

/* System calls are of no module, and the kernel's functions are probed by its own means. */
static bool has_file(const struct function *f, const struct spot *spot)
{
	return f->mod && !f->outer && !spot->symbol && !module_is_kernel(f->mod);
}

bool target_add_spot(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		     const struct point *pt, const struct spot *spot, bool quiet)
{
	const struct function *f = spot->f;
	struct site_context sc = {
		.s = s, .kind = k, .pt = pt, .f = f, .mark = spot->mark, .quiet = quiet};

	if (never_returns(k, pt, f, quiet))
		return false;
	if (k->is_return && has_file(f, spot)) {
		sc.way = function_return_way(f, &sc.why);
		if (function_unwinds(f) && early_runtime(s) != RT_USER) {
			sc.way = RETURN_REFUSED;
			sc.why = "an unwinder finds the end of the stack where the kernel has "
				 "replaced its own return address; --runtime=user can probe it";
		}
		if (sc.way == RETURN_REFUSED) {
			exit_report(pt, point_is_wild(pt), f, sc.why, quiet);
			return false;
		}
		sc.at_exit = sc.way != RETURN_REPLACED;
	}
	return sc.at_exit ? add_exits(&sc, decl, spot) : add_spot(&sc, decl, spot);
}
