/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Emit: the program as C text.
 *
 * Takes the typed program with its locks.  Leaves in s->c_text one C file that
 * includes ustap_rt.h and nothing else: globals, script functions (callees
 * first), a handler for each probe, and the tables of struct ust_program.
 * Sets symbol.cname, func.cname and probe.cname.
 */
#include <ctype.h>
#include <string.h>

#include "emit.h"
#include "arch/arch.h"
#include "base/cache.h"
#include "dwarf/address_maps.h"
#include "stackmap.h"
#include "passes.h"
#include "sema/sema.h"

/* --------------------------------------------------------------- names */

/* @entry values are words of what the runtime keeps for the call. */
static void name_saved(const struct emit *e, struct probe *p)
{
	size_t string = ((size_t)e->s->lim.maxstringlen + 7) / 8, at = 0;

	for (size_t i = 0; i < p->saved.n; i++) {
		struct symbol *sym = p->saved.v[i];

		sym->cname = ctext(sym->type == T_STRING ? "((char *)&hit->saved[%zu])"
							 : "hit->saved[%zu]",
				   at);
		at += sym->type == T_STRING ? string : 1;
	}
	p->saved_words = at;
}

static void name_everything(struct emit *e)
{
	struct program *p = &e->s->program;

	for (size_t i = 0; i < p->globals.n; i++)
		p->globals.v[i]->cname = unique_name(e, "g_", p->globals.v[i]->name);
	for (size_t i = 0; i < p->funcs.n; i++)
		p->funcs.v[i]->cname = unique_name(e, "fn_", p->funcs.v[i]->name);
	for (size_t i = 0; i < p->probes.n; i++)
		p->probes.v[i]->cname = ctext("probe_%zu", i);
	for (size_t i = 0; i < p->probes.n; i++)
		name_saved(e, p->probes.v[i]);
}

/* ------------------------------------------------------------- globals */

static struct ctext type_text(enum type t)
{
	return t == T_STRING ? C("UST_STRING") : t == T_STAT ? C("UST_STAT") : C("UST_LONG");
}

static struct ctext storage_text(const struct symbol *g)
{
	if (g->nkeys > 0)
		return g->type == T_STAT ? C("UST_AGG_ARRAY") : C("UST_ARRAY");
	if (g->type == T_STAT)
		return C("UST_AGG");
	return g->storage == STORE_COUNTER ? C("UST_COUNTER") : C("UST_VAR");
}

/* A literal of a declaration; the parser may have left a sign as an operator. */
static int64_t initial_number(const struct node *n)
{
	if (n->kind == N_UNARY)
		return n->un.op == OP_NEG ? (int64_t)(0 - (uint64_t)initial_number(n->un.e))
					  : initial_number(n->un.e);
	return n->num;
}

static void write_initial(const struct emit *e, struct cbuf *out, const struct symbol *g)
{
	if (!g->init)
		return;
	if (g->init->kind == N_STR)
		cbuf_printf(out, ", .init_s = %s", emit_literal(e, g->init));
	else
		cbuf_printf(out, ", .l = (ust_long)0x%llxull",
			    (unsigned long long)initial_number(g->init));
}

/* The error when the array G, which does not wrap, is full. */
static const char *full_text(const struct symbol *g, int64_t default_size)
{
	const char *option = g->maxsize ? "" : "-D MAXMAPENTRIES=N or ";
	unsigned ln, col;

	loc_linecol(g->loc, &ln, &col);
	return xprintf("array \"%s\" of %s:%u is full, it has %lld elements: %s\"global %s[N]\" "
		       "allows N, \"global %s%%\" drops the oldest",
		       g->name, g->loc.src->name, ln,
		       (long long)(g->maxsize ? g->maxsize : default_size), option, g->name,
		       g->name);
}

static void write_array(struct cbuf *out, const struct symbol *g, int64_t default_size)
{
	cbuf_printf(out, ",\n\t.nkeys = %d, .keys = {", g->nkeys);
	for (int i = 0; i < g->nkeys; i++)
		cbuf_printf(out, "%s%s", i ? C(", ") : C(""), type_text(g->keys[i]));
	cbuf_printf(out, "}, .max = %lld", (long long)(g->maxsize ? g->maxsize : default_size));
	if (g->wrap)
		cbuf_add(out, C(", .wrap = 1"));
	else
		cbuf_printf(out, ",\n\t.full = %s", c_quoted(full_text(g, default_size)));
	if (g->norders)
		cbuf_printf(out, ", .norders = %d", g->norders);
}

/* The error when the sketches of an array have taken all of their memory. */
static const char *no_sketch_text(const struct symbol *g)
{
	unsigned ln, col;

	loc_linecol(g->loc, &ln, &col);
	return xprintf(
		"the percentiles of \"%s\" of %s:%u have taken all of their memory: \"global "
		"%s[N]\" with a larger N gives them more",
		g->name, g->loc.src->name, ln, g->name);
}

static void write_shape(struct cbuf *out, const struct symbol *g)
{
	if (g->keeps_percentiles)
		cbuf_printf(out, ",\n\t.percentiles = %s", c_quoted(no_sketch_text(g)));
	if (g->keeps_variance)
		cbuf_add(out, C(", .variance = 1"));
	if (!g->hist)
		return;
	cbuf_printf(out, ",\n\t.hist = %s, .buckets = %u",
		    g->hist->stat.op == ST_HIST_LOG ? C("UST_HIST_LOG") : C("UST_HIST_LINEAR"),
		    hist_buckets(g->hist));
	if (g->hist->stat.op == ST_HIST_LINEAR)
		cbuf_printf(out, ", .low = (ust_long)0x%llxull, .step = %lld",
			    (unsigned long long)g->hist->stat.num[0],
			    (long long)g->hist->stat.num[2]);
}

/* --merge, --reload: the tapset library's own globals belong to the run. A reloaded script takes
 * over values, however both scripts change them. */
static void write_merge_rule(const struct emit *e, struct cbuf *out, const struct symbol *g)
{
	const struct options *o = &e->s->opt;

	if ((!o->merge && !o->reload) || file_of(g->loc)->library)
		return;
	cbuf_printf(out, ", .merge = %s",
		    g->type == T_STRING || (g->type == T_LONG && (g->assigned || o->reload))
			    ? C("UST_MERGE_NEWEST")
			    : C("UST_MERGE_ADD"));
}

static void write_global(struct emit *e, struct cbuf *out, const struct symbol *g)
{
	cbuf_printf(out, "static struct ust_gvar %s = {.name = %s, .storage = %s, .type = %s",
		    g->cname, c_quoted(g->name), storage_text(g), type_text(g->type));
	if (g->nkeys > 0)
		write_array(out, g, e->s->lim.maxmapentries);
	else
		write_initial(e, out, g);
	write_shape(out, g);
	write_merge_rule(e, out, g);
	cbuf_add(out, C("};\n"));
}

static void write_globals(struct emit *e, struct cbuf *out)
{
	const struct program *p = &e->s->program;

	if (p->globals.n)
		cbuf_add(out, C("\n"));
	for (size_t i = 0; i < p->globals.n; i++)
		write_global(e, out, p->globals.v[i]);
	if (!p->globals.n)
		return;
	cbuf_add(out, C("\nstatic struct ust_gvar *const gvars[] = {"));
	for (size_t i = 0; i < p->globals.n; i++)
		cbuf_printf(out, "%s&%s", i ? C(", ") : C(""), p->globals.v[i]->cname);
	cbuf_add(out, C("};\n"));
}

/* ----------------------------------------------------------- functions */

/* Emit F after the functions that it calls. */
static void emit_in_order(struct emit *e, struct func *f, func_vec *done)
{
	func_vec callees = {0};

	for (size_t i = 0; i < done->n; i++)
		if (done->v[i] == f)
			return;
	vec_push(done, f);
	calls_of(f->body, &callees);
	for (size_t i = 0; i < callees.n; i++)
		emit_in_order(e, callees.v[i], done);
	emit_function(e, f);
}

static void emit_code(struct emit *e, struct cbuf *protos)
{
	struct program *p = &e->s->program;
	func_vec done = {0};

	for (size_t i = 0; i < p->funcs.n; i++) {
		emit_in_order(e, p->funcs.v[i], &done);
		if (p->funcs.v[i]->recursive)
			cbuf_printf(protos, "%s;\n", function_prototype(p->funcs.v[i]));
	}
	emit_gates(e);
	for (size_t i = 0; i < p->probes.n; i++)
		if (is_run(p->probes.v[i])) {
			emit_handler(e, p->probes.v[i]);
			emit_count_wrapper(e, p->probes.v[i]);
			emit_limit_wrapper(e, p->probes.v[i]);
		}
}

/* -------------------------------------------------------------- tables */

static void write_wheres(const struct emit *e, struct cbuf *out)
{
	cbuf_add(out, C("\nstatic const struct ust_where wheres[] = {\n\t{0, 0, 0, 0},\n"));
	for (size_t i = 0; i < e->wheres.n; i++) {
		const struct where *w = &e->wheres.v[i];

		cbuf_printf(out, "\t{%s, %s, %s, %s},\n", c_quoted(w->token), c_quoted(w->kind),
			    c_quoted(w->pos), w->caller ? c_quoted(w->caller) : C("0"));
	}
	cbuf_add(out, C("};\n"));
}

/* Modules by number, in order of first use, as rows of a table; with MAPS declarations of their
 * stack maps. */
struct module_table {
	struct smap numbers;
	struct cbuf rows, maps;
	bool with_maps, with_returns; /* return addresses are replaced */
	enum map_parts parts;
};

/* The file becomes a part of the object. */
static struct ctext write_stackmap(struct cbuf *out, struct module *m, size_t number,
				   enum map_parts parts)
{
	const char *file = stackmap_file(m, parts);
	struct ctext symbol = ctext("ust_stackmap_%zu", number);

	if (!file)
		return C("0");
	cbuf_printf(out,
		    "\n%sextern const struct ust_stackmap %s "
		    "__attribute__((visibility(\"hidden\")));\n",
		    c_incbin(symbol, file, SEAL_SIZE), symbol);
	return ctext("&%s", symbol);
}

static size_t module_number(struct module_table *t, struct module *m)
{
	const char *path = module_target_path(m);
	size_t *known = smap_get(&t->numbers, path);
	uint64_t made, made_end;

	if (!known) {
		known = xalloc(sizeof *known);
		*known = t->numbers.ents.n;
		smap_put(&t->numbers, path, known);
		if (!t->with_returns || !module_made_code(m, &made, &made_end))
			made = made_end = 0;
		cbuf_printf(&t->rows, "\t{%s, %s, %s, %s, 0x%llx, 0x%llx},\n", c_quoted(path),
			    c_quoted(module_name(m)), c_quoted(module_identity(m)),
			    t->with_maps ? write_stackmap(&t->maps, m, *known, t->parts) : C("0"),
			    (unsigned long long)made, (unsigned long long)made_end);
	}
	return *known;
}

/* Modules that backtraces can meet. */
static void add_stack_modules(struct emit *e, struct module_table *t)
{
	name_vec paths = {0};

	stack_modules(e->s, &paths);
	for (size_t i = 0; i < paths.n; i++) {
		struct module *m = module_get(paths.v[i], (struct loc){0});

		if (m)
			module_number(t, m);
	}
}

/* Does P read a register that a called function keeps for its caller? */
static bool reads_kept_regs(const struct probe *p)
{
	for (size_t i = 0; i < p->accesses.n; i++)
		for (size_t j = 0; j < p->accesses.v[i].nops; j++) {
			const struct aop *op = &p->accesses.v[i].ops[j];

			if (op->kind == A_REG && !(arch_target()->call_regs >> (op->a & 63) & 1))
				return true;
		}
	return false;
}

static bool wants_all_regs(struct node *n, void *found)
{
	if (n->kind == N_CALL && n->call.builtin &&
	    n->call.builtin->flags & (BF_ALL_REGS | BF_STACK))
		*(bool *)found = true;
	return true;
}

/* Does P's handler, or a function that it calls, ask for a register by name? */
static bool names_regs(const struct probe *p)
{
	func_vec funcs = {0};
	bool found = false;

	node_walk(p->body, wants_all_regs, NULL, &found);
	calls_of(p->body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, wants_all_regs, NULL, &found);
	return found;
}

static bool wants_kept_regs(const struct probe *p) { return reads_kept_regs(p) || names_regs(p); }

static bool wants_parameters(struct node *n, void *found)
{
	const unsigned by_position = BF_REGS | BF_CAN_FAIL | BF_ALL_REGS;

	if ((n->kind == N_TARGET && n->target.start == TS_NAME) ||
	    (n->kind == N_CALL && n->call.builtin &&
	     (n->call.builtin->flags & by_position) == (BF_REGS | BF_CAN_FAIL)))
		*(bool *)found = true;
	return true;
}

/* Does P's handler read what the function is given, or returns?  A copy of the function may have
 * that elsewhere. */
static bool reads_parameters(const struct probe *p)
{
	func_vec funcs = {0};
	bool found = false;

	node_walk(p->body, wants_parameters, NULL, &found);
	calls_of(p->body, &funcs);
	for (size_t i = 0; i < funcs.n && !found; i++)
		node_walk(funcs.v[i]->body, wants_parameters, NULL, &found);
	return found || (p->entry && reads_parameters(p->entry));
}

/* Where in the words kept for one call those of a site begin: sites at one place share them. */
struct entry_slots {
	struct smap used;
	size_t words;
};

static size_t entry_slot_of(struct entry_slots *saved, const struct site *s, const struct probe *p)
{
	/* one file may be known by two names: its offsets are the same */
	const char *key = xprintf("%llx%s", (unsigned long long)s->offset,
				  s->symbol ? s->symbol : "");
	size_t at = (size_t)(uintptr_t)smap_get(&saved->used, key);

	smap_put(&saved->used, key, (void *)(uintptr_t)(at + p->saved_words));
	if (at + p->saved_words > saved->words)
		saved->words = at + p->saved_words;
	return at;
}

/* Is P's handler nothing but a call of ust_call_event()? */
static bool only_records(const struct emit *e, const struct probe *p)
{
	const struct node *n = p->body->kind == N_BLOCK ? p->body->block.body : NULL;

	return e->records_calls && n && !n->next && n->kind == N_EXPR &&
	       n->expr.e->kind == N_CALL && n->expr.e->call.builtin &&
	       !strcmp(n->expr.e->call.builtin->cname, "ust_call_event") && !p->pid && !p->gate &&
	       !p->entry && !is_wrapped(e, p);
}

/* May the stack be nearly full at S, for the handlers of P?  The runtime is chosen later. */
static bool lacks_room(const struct emit *e, const struct site *s, const struct probe *p)
{
	size_t room;

	/* system calls, among others, have no module */
	if (!s->f || !s->f->mod || module_is_kernel(s->f->mod) || s->watch.length)
		return false;
	room = function_stack_room(s->f, s->pc);
	return !handler_fits(e, p, room) || !handler_fits(e, p->entry, room);
}

static struct ctext site_flags(const struct emit *e, const struct site *s, const struct probe *p)
{
	bool all_regs = wants_kept_regs(p) || (p->entry && wants_kept_regs(p->entry));
	struct cbuf sb = {0};

	cbuf_add(&sb, s->is_return && !s->at_exit ? C(" | UST_SITE_RETURN") : C(""));
	cbuf_add(&sb, all_regs ? C(" | UST_SITE_ALL_REGS") : C(""));
	cbuf_add(&sb, is_deep(e, p) || is_deep(e, p->entry) ? C(" | UST_SITE_DEEP") : C(""));
	cbuf_add(&sb, is_walking(e, p) || is_walking(e, p->entry) ? C(" | UST_SITE_WALKS") : C(""));
	cbuf_add(&sb, p->kind->in_kernel ? C(" | UST_SITE_KERNEL") : C(""));
	cbuf_add(&sb, s->any ? C(" | UST_SITE_ANY") : C(""));
	cbuf_add(&sb, s->named && !reads_parameters(p) ? C(" | UST_SITE_CLONE") : C(""));
	cbuf_add(&sb, p->kind->is_trace ? C(" | UST_SITE_TRACE") : C(""));
	cbuf_add(&sb, p->kind->is_syscall ? C(" | UST_SITE_SYSCALL") : C(""));
	cbuf_add(&sb, p->kind->is_watch ? C(" | UST_SITE_WATCH") : C(""));
	cbuf_add(&sb, s->watch.reads ? C(" | UST_SITE_WATCH_READS") : C(""));
	cbuf_add(&sb, s->watch.absolute ? C(" | UST_SITE_ABSOLUTE") : C(""));
	cbuf_add(&sb, only_records(e, p) ? C(" | UST_SITE_CALLS") : C(""));
	cbuf_add(&sb, lacks_room(e, s, p) ? C(" | UST_SITE_NO_ROOM") : C(""));
	return sb.n ? cbuf_from(&sb, 3, sb.n - 3) : C("0");
}

static void write_site(const struct emit *e, struct cbuf *out, const struct site *s, size_t module,
		       const struct probe *p, struct entry_slots *saved, size_t number)
{
	cbuf_printf(out, "\t{0x%llx, 0x%llx, %zu, %s%s, %s, %s, %s", (unsigned long long)s->offset,
		    (unsigned long long)s->addr, module, site_flags(e, s, p),
		    site_is_paired(e, s) ? C(" | UST_SITE_PAIRED") : C(""), handler_name(e, p),
		    c_quoted(s->func ? s->func : ""), c_quoted(s->pp));
	if (p->entry)
		cbuf_printf(out, ",\n\t %s, %zu", handler_name(e, p->entry),
			    entry_slot_of(saved, s, p));
	else
		cbuf_add(out, C(", 0, 0"));
	cbuf_printf(out, ", 0x%llx, 0x%llx, %s, %s, %lld, %u},\n", (unsigned long long)s->semaphore,
		    (unsigned long long)s->sem_offset, gate_of_site(e, p, number),
		    s->symbol ? c_quoted(s->symbol) : C("0"), (long long)s->maxactive,
		    s->watch.length);
}

/* The unwinders that a program with probed returns may use: only the kernel replaces return
 * addresses without their knowledge. */
static size_t write_unwinders(const struct emit *e, struct cbuf *out, struct module_table *modules)
{
	unwinder_vec found = {0};

	if (e->s->opt.runtime == RT_USER)
		return 0;
	unwinders_find(&e->s->program, &found);
	if (found.n)
		cbuf_add(out, C("\nstatic const struct ust_unwinder unwinders[] = {\n"));
	for (size_t i = 0; i < found.n; i++)
		cbuf_printf(out, "\t{0x%llx, %zu, %d},\n", (unsigned long long)found.v[i].offset,
			    module_number(modules, found.v[i].mod), found.v[i].installs);
	if (found.n)
		cbuf_add(out, C("};\n"));
	return found.n;
}

static bool replaces_returns(const struct program *p)
{
	for (size_t i = 0; i < p->probes.n; i++) {
		const struct probe *pr = p->probes.v[i];

		for (size_t j = 0; j < pr->sites.n; j++)
			if (pr->sites.v[j].is_return && !pr->sites.v[j].at_exit)
				return true;
	}
	return false;
}

static size_t write_sites(struct emit *e, struct cbuf *out, size_t *nmodules, size_t *saved_words)
{
	const struct program *p = &e->s->program;
	struct module_table modules = {.with_maps = wants_stackmaps(p),
				       .with_returns = replaces_returns(p),
				       .parts = map_parts(p) |
						(stacks_are_names(e->s) ? MAP_INLINED : 0)};
	struct cbuf sites = {0};
	struct entry_slots saved = {0};
	size_t n = 0;
	/* in the kernel runtime timers and events interrupt programs, too */
	bool in_programs = e->s->opt.runtime != RT_USER;

	for (size_t i = 0; i < e->bases.n; i++)
		module_number(&modules, e->bases.v[i]);
	for (size_t i = 0; i < p->probes.n; i++) {
		struct probe *pr = p->probes.v[i];

		in_programs |= pr->sites.n || pr->kind->is_profile;
		if (pr->program)
			pr->program_number = 1 + module_number(&modules, pr->program);
		for (size_t j = 0; j < pr->sites.n; j++, n++)
			write_site(e, &sites, &pr->sites.v[j],
				   pr->sites.v[j].symbol
					   ? 0
					   : module_number(&modules, pr->sites.v[j].mod),
				   pr, &saved, n);
	}
	if (modules.with_maps && in_programs)
		add_stack_modules(e, &modules);
	e->nunwinders = write_unwinders(e, out, &modules);
	*nmodules = modules.numbers.ents.n;
	*saved_words = saved.words;
	if (*nmodules)
		cbuf_printf(out, "%s\nstatic const struct ust_module modules[] = {\n%s};\n",
			    cbuf_text(&modules.maps), cbuf_text(&modules.rows));
	if (n)
		cbuf_printf(out, "\nstatic const struct ust_site sites[] = {\n%s};\n",
			    cbuf_text(&sites));
	return n;
}

static bool is_of(const struct probe *p, const char *rt)
{
	return p->kind->rt && !strcmp(p->kind->rt, rt);
}

static const struct probe_decl *written_decl(const struct probe *p)
{
	const struct probe_decl *d = p->decl;

	while (d && d->from)
		d = d->from;
	return d;
}

/* Is P an end probe that runs after an error of the runtime? Not where the script has the same
 * handler for errors. */
static bool ends_after_error(const struct session *s, const struct probe *p)
{
	if (!is_of(p, "UST_PROBE_END") || s->opt.no_end_after_error)
		return false;
	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *q = s->program.probes.v[i];

		if (is_of(q, "UST_PROBE_ERROR") && written_decl(q) &&
		    written_decl(q) == written_decl(p))
			return false;
	}
	return true;
}

/* As a constant INT64_MIN has no decimal form. */
static struct ctext number(int64_t n)
{
	return n == INT64_MIN ? C("-9223372036854775807 - 1") : ctext("%lld", (long long)n);
}

static struct ctext field_text(const struct probe *p, const struct probe_field *f)
{
	int64_t n = probe_field_number(p, f);
	const char *text;

	switch (f->form) {
	case FIELD_NUMBER:
		return number(n);
	case FIELD_ADDRESS:
		return ctext("0x%llx", (unsigned long long)n);
	case FIELD_LENGTH:
		return ctext("%llu", (unsigned long long)n);
	case FIELD_COUNT:
		return ctext("%u", (unsigned)n);
	case FIELD_FLAG:
		return ctext("%d", (int)n);
	case FIELD_TEXT:
		break;
	}
	text = *(const char *const *)((const char *)p + f->offset);
	return text ? c_quoted(text) : C("0");
}

/* The member of struct ust_probe for the data of a probe without sites. */
static struct ctext data_text(const struct probe *p)
{
	const struct probe_data *d = &probe_data[p->kind->holds];
	struct ctext fields = C("");

	for (const struct probe_field *f = d->fields; f->name; f++)
		fields = ctext("%s%s%s", fields, f == d->fields ? C("") : C(", "),
			       field_text(p, f));
	return ctext(".%s = {%s}", c_word(d->member), fields);
}

static size_t write_probes(struct emit *e, struct cbuf *out)
{
	const struct program *p = &e->s->program;
	struct cbuf sb = {0};
	size_t n = 0;

	for (size_t i = 0; i < p->probes.n; i++) {
		struct probe *pr = p->probes.v[i];

		if (pr->kind->has_sites || !is_run(pr))
			continue;
		if (pr->kind->holds == HOLDS_LIFE)
			pr->life.after_error = ends_after_error(e->s, pr);
		cbuf_printf(&sb, "\t{%s, %s, %s, %zu, %s, %s},\n", c_word(pr->kind->rt),
			    handler_name(e, pr), c_quoted(pr->pp), pr->program_number,
			    gate_of_table(pr), data_text(pr));
		n++;
	}
	write_overhead_timer(e, &sb, &n);
	if (n)
		cbuf_printf(out, "\nstatic const struct ust_probe probes[] = {\n%s};\n",
			    cbuf_text(&sb));
	return n;
}

static bool runs_in_interrupts(const struct program *p)
{
	for (size_t i = 0; i < p->probes.n; i++)
		if (p->probes.v[i]->kind->in_irq)
			return true;
	return false;
}

/* Does a probe need the part of the kernel runtime that has the probe types of the kernel? */
static bool has_kernel_probes(const struct program *p)
{
	for (size_t i = 0; i < p->probes.n; i++) {
		const struct probe_kind *k = p->probes.v[i]->kind;

		if (k->in_kernel || k->is_syscall || k->is_watch || k->holds == HOLDS_PERF ||
		    k->holds == HOLDS_DATA || k->holds == HOLDS_PACKET)
			return true;
	}
	return false;
}

static bool has_probe_that(const struct program *p, enum probe_data_kind holds)
{
	for (size_t i = 0; i < p->probes.n; i++)
		if (p->probes.v[i]->kind->holds == holds)
			return true;
	return false;
}

static const char *script_name(const struct session *s)
{
	return s->opt.script_file ? s->opt.script_file : "<input>";
}

/* --modinfo NAME=VALUE, in the section that modinfo(8) and the kernel read. */
static void write_modinfo(const struct session *s, struct cbuf *out)
{
	for (size_t i = 0; i < s->opt.modinfo.n; i++) {
		const char *text = s->opt.modinfo.v[i];

		cbuf_printf(out,
			    "\nstatic const char modinfo_%zu[] __attribute__((used, "
			    "section(\".modinfo\"), aligned(1))) =\n\t%s;\n",
			    i, c_quoted(text));
	}
}

/* The user runtime has such room for each return address that it can replace. */
#define MAX_SAVED_WORDS 512

static void check_saved(const struct session *s, size_t words)
{
	const struct probe *worst = NULL;

	if (words <= MAX_SAVED_WORDS)
		return;
	for (size_t i = 0; i < s->program.probes.n; i++)
		if (!worst || s->program.probes.v[i]->saved_words > worst->saved_words)
			worst = s->program.probes.v[i];
	diag_error(E_LIMIT, worst->loc,
		   "the values saved from the function's entry to its return are too large");
	diag_hint("%zu bytes; the limit is %d, and a string takes %lld", words * 8,
		  MAX_SAVED_WORDS * 8, (long long)s->lim.maxstringlen);
}

/* staprun resolves the names of stacks that are printed, see UST_NAME_MARK of wire.h. */
static struct ctext name_flags(const struct emit *e)
{
	if (!(map_parts(&e->s->program) & MAP_INLINED))
		return C("");
	return names_are_raw() ? C(" | UST_PROG_NAMES | UST_PROG_RAW_NAMES")
			       : C(" | UST_PROG_NAMES");
}

/* Flags for the calls of builtins, and guru mode. */
static struct ctext use_flags(const struct emit *e)
{
	return ctext("%s%s%s", e->s->opt.guru ? C(" | UST_PROG_GURU") : C(""),
		     e->records_calls ? C(" | UST_PROG_CALLS") : C(""),
		     e->keeps_window ? C(" | UST_PROG_WINDOW") : C(""));
}

static void write_program(struct emit *e, struct cbuf *out)
{
	const struct limits *lim = &e->s->lim;
	size_t saved, nmodules, nsites = write_sites(e, out, &nmodules, &saved),
				nprobes = write_probes(e, out);
	size_t ngvars = e->s->program.globals.n;
	bool origins = write_origins(e, out), names = write_names(e, out),
	     limited = write_overhead(e, out);

	check_saved(e->s, saved);
	if (saved)
		cbuf_printf(out, "\nUST_SAVED_WORDS(%zu);\n", saved);
	write_wheres(e, out);
	cbuf_printf(out,
		    "\nconst struct ust_program ust_program = {\n\t.abi = UST_ABI, .flags = "
		    "%s%s%s%s%s%s%s%s%s%s%s,\n",
		    runs_in_interrupts(&e->s->program) ? C("UST_PROG_IRQ") : C("0"),
		    e->s->opt.suppress_errors ? C(" | UST_PROG_QUIET") : C(""),
		    e->bases.n ? C(" | UST_PROG_MAPPED") : C(""),
		    e->keeps_tokens ? C(" | UST_PROG_TOKENS") : C(""), counting_flags(e),
		    records_on(e) ? C(" | UST_PROG_RECORDS") : C(""),
		    e->uses_system || e->s->embeds.n ? C(" | UST_PROG_SYSTEM") : C(""),
		    e->switches_files || e->s->embeds.n ? C(" | UST_PROG_SWITCH") : C(""),
		    use_flags(e), e->s->opt.lossless ? C(" | UST_PROG_LOSSLESS") : C(""),
		    name_flags(e));
	if (nmodules)
		cbuf_printf(out, "\t.modules = modules, .nmodules = %zu,\n", nmodules);
	if (nsites)
		cbuf_printf(out, "\t.sites = sites, .nsites = %zu,\n", nsites);
	if (e->nunwinders)
		cbuf_printf(out, "\t.unwinders = unwinders, .nunwinders = %zu,\n", e->nunwinders);
	if (nprobes)
		cbuf_printf(out, "\t.probes = probes, .nprobes = %zu,\n", nprobes);
	if (ngvars)
		cbuf_printf(out, "\t.gvars = gvars, .ngvars = %zu,\n", ngvars);
	cbuf_printf(out, "\t.wheres = wheres, .nwheres = %zu,\n", e->wheres.n + 1);
	cbuf_printf(out,
		    "\t.maxaction = %lld, .maxaction_interruptible = %lld,\n"
		    "\t.maxnesting = %lld, .maxstringlen = UST_MAXSTRINGLEN,\n",
		    (long long)lim->maxaction, (long long)lim->maxaction_interruptible,
		    (long long)lim->maxnesting);
	cbuf_printf(out, "\t.maxerrors = %lld, .maxskipped = %lld,\n", (long long)lim->maxerrors,
		    (long long)lim->maxskipped);
	if (lim->overload_threshold)
		cbuf_printf(out, "\t.overload_threshold = %lldull, .overload_interval = %lldull,\n",
			    (long long)lim->overload_threshold, (long long)lim->overload_interval);
	if (saved)
		cbuf_printf(out, "\t.saved_words = %zu,\n", saved);
	if (wants_stackmaps(&e->s->program))
		cbuf_printf(out, "\t.maxbacktrace = %lld,\n", (long long)lim->maxbacktrace);
	if (e->match_spans)
		cbuf_printf(out, "\t.match_spans = %zu,\n", e->match_spans);
	if (e->s->program.gates.n + overhead_gates(e))
		cbuf_printf(out, "\t.gates = gates, .ngates = %zu%s,\n",
			    e->s->program.gates.n + overhead_gates(e),
			    e->s->program.gates.n ? C(", .gates_evaluate = gates_evaluate")
						  : C(""));
	if (limited)
		cbuf_printf(out,
			    "\t.max_overhead = %lld, .nconditions = %zu,\n"
			    "\t.groups = groups, .gates_off = %s, .overhead = &ust_overhead,\n",
			    (long long)e->s->opt.max_overhead, e->s->program.gates.n,
			    e->s->program.gates.n ? C("gates_off") : C("0"));
	if (origins)
		cbuf_add(out, C("\t.origins = origins,\n"));
	if (names)
		cbuf_add(out, C("\t.names = names,\n"));
	if (has_kernel_probes(&e->s->program))
		cbuf_add(out, C("\t.kernel_probes = UST_IF_KERNEL(&ust_kernel_probes),\n"));
	if (has_probe_that(&e->s->program, HOLDS_PROCESS))
		cbuf_add(out, C("\t.process_events = UST_IF_KERNEL(&ust_process_events),\n"));
	if (has_probe_that(&e->s->program, HOLDS_FILE))
		cbuf_add(out, C("\t.procfs = UST_IF_KERNEL(&ust_procfs),\n"));
	if (e->s->opt.merge || e->s->opt.reload)
		cbuf_add(out, C("\t.merge = &ust_merge,\n"));
	cbuf_printf(out, "\t.frame_size = %zu,\n\t.script = %s,\n};\n", e->frame_max,
		    c_quoted(script_name(e->s)));
}

void pass_emit(struct session *s)
{
	struct emit e = {.s = s};
	struct cbuf *out = &s->c_text, protos = {0};

	if (!s->lim.maxnesting)
		s->lim.maxnesting = nesting_needed(&s->program);
	name_everything(&e);
	note_matches(&e);
	pairs_find(&e);
	emit_code(&e, &protos);
	cbuf_printf(out, "%s\n#define UST_MAXSTRINGLEN %lld\n#include \"ustap_rt.h\"\n",
		    c_comment("Made by ustap from %s.", script_name(s)),
		    (long long)s->lim.maxstringlen);
	emit_embedded_top(&e, out);
	write_globals(&e, out);
	if (e.specs.n)
		cbuf_printf(out, "\n%s", cbuf_text(&e.specs));
	if (e.shapes.n)
		cbuf_printf(out, "\n%s", cbuf_text(&e.shapes));
	if (protos.n)
		cbuf_printf(out, "\n%s", cbuf_text(&protos));
	cbuf_append(out, &e.text);
	write_modinfo(s, out);
	write_program(&e, out);
}
