/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Refused sites: those whose instruction the runtime does not probe, with no other near that is as
 * good (site.c).  A site that the script names is an error.  Sites that a wildcard means among
 * others are left out with a warning.
 */
#include "arch/arch.h"
#include "session.h"
#include "site.h"

/* The sites of one probe point. */
struct tally {
	const struct point *pt;
	size_t sites, refused;
	const struct site *first;
}; /* first: of those refused */
typedef VEC(struct tally) tally_vec;

static struct tally *tally_of(tally_vec *v, const struct point *pt)
{
	for (size_t i = v->n; i-- > 0;)
		if (v->v[i].pt == pt)
			return &v->v[i];
	vec_push(v, ((struct tally){.pt = pt}));
	return &v->v[v->n - 1];
}

static void count(const struct session *s, tally_vec *v)
{
	for (size_t i = 0; i < s->program.probes.n; i++)
		for (size_t k = 0; k < s->program.probes.v[i]->sites.n; k++) {
			const struct site *site = &s->program.probes.v[i]->sites.v[k];
			struct tally *t = tally_of(v, site->pt);

			t->sites++;
			if (!site->refused)
				continue;
			t->first = t->first ? t->first : site;
			t->refused++;
		}
}

const char *site_instruction(const struct site *site)
{
	size_t len;
	const unsigned char *code = module_bytes(site->mod, site->addr, &len);

	return code ? arch_target()->insn_text(code, len, site->addr) : "?";
}

bool site_is_breakpoint(const struct site *site)
{
	size_t len;
	const unsigned char *code = module_bytes(site->mod, site->addr, &len);

	return code && arch_target()->is_breakpoint(code, len);
}

static void report(const struct session *s, const struct tally *t)
{
	const struct site *site = t->first;
	bool user = early_runtime(s) == RT_USER;
	const char *who = user ? "the user runtime" : "kernels";
	bool some = site && t->refused < t->sites && site->any;

	if (!site || (site->optional && !some) || (some && s->opt.list))
		return;
	if (some) {
		diag_warn(W_REFUSED, t->pt->loc,
			  "%zu of the %zu sites are left out: %s cannot probe their "
			  "instructions, as at %#llx, %s (%s)",
			  t->refused, t->sites, who, (unsigned long long)site->addr,
			  site_instruction(site), site->refused);
		return;
	}
	diag_error(E_REFUSED, t->pt->loc, "%s cannot probe the instruction at %#llx of %s, %s: %s",
		   who, (unsigned long long)site->addr, module_path(site->mod),
		   site_instruction(site), site->refused);
	if (user || site_is_breakpoint(site))
		diag_hint("probe another line or function");
	else
		diag_hint("no instruction near it can replace it; probe another line or function, "
			  "or use --runtime=user, which can probe it");
}

static bool leave_out(struct probe *p)
{
	size_t n = 0, before = p->sites.n;

	for (size_t i = 0; i < p->sites.n; i++)
		if (!p->sites.v[i].refused)
			p->sites.v[n++] = p->sites.v[i];
	p->sites.n = n;
	return before && !n;
}

static void remove_probe(struct program *program, const struct probe *p)
{
	size_t n = 0;

	for (size_t i = 0; i < program->probes.n; i++)
		if (program->probes.v[i] != p && program->probes.v[i] != p->entry)
			program->probes.v[n++] = program->probes.v[i];
	program->probes.n = n;
}

void drop_refused_sites(struct session *s)
{
	tally_vec tallies = {0};

	count(s, &tallies);
	for (size_t i = 0; i < tallies.n; i++)
		report(s, &tallies.v[i]);
	for (size_t i = s->program.probes.n; i-- > 0;) {
		struct probe *p = i < s->program.probes.n ? s->program.probes.v[i] : NULL;

		if (p && leave_out(p))
			remove_probe(&s->program, p);
	}
}
