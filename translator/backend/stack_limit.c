/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stack that a script's handlers take, as the compiler measured it (-fstack-usage), against
 * what the runtime allows: for each function, and for each handler with the deepest chain of script
 * functions that it can call.
 */
#include <stdlib.h>
#include <string.h>

#include "emit/ctext.h"
#include "backend.h"
#include "sema/sema.h"

struct frame {
	const char *name;
	unsigned bytes;
};
struct depth {
	const struct func *func;
	unsigned bytes;
};

struct usage {
	const struct session *s;
	const struct stack_limits *limits;
	struct smap frames;       /* struct frame by name */
	VEC(struct depth) depths; /* of functions that were looked at */
	unsigned code;            /* the largest piece of embedded C in an expression */
};

/* ------------------------------------------------------ what was measured */

/* One line: FILE:LINE:COLUMN:NAME, a tab, bytes, a tab, how they were found.  Clones of a function,
 * as NAME.part.0, count as that function; they may call each other. */
static void read_line(struct usage *u, char *line)
{
	char *tab = strchr(line, '\t'), *name;
	struct frame *f;

	if (!tab)
		return;
	*tab = 0;
	name = strrchr(line, ':') ? strrchr(line, ':') + 1 : line;
	name[strcspn(name, ".")] = 0;
	f = smap_get(&u->frames, name);
	if (!f) {
		f = xalloc(sizeof *f);
		f->name = name;
		smap_put(&u->frames, name, f);
	}
	f->bytes += (unsigned)strtoul(tab + 1, NULL, 10);
	if (!strncmp(name, "code_", 5) && f->bytes > u->code)
		u->code = f->bytes;
}

/* 0: the compiler has put it into its caller. */
static unsigned frame_named(const struct usage *u, const char *name)
{
	const struct frame *f = smap_get(&u->frames, name);

	return f ? f->bytes : 0;
}

/* ---------------------------------------------------------- chains of calls */

static unsigned depth_of(struct usage *u, const struct func *f);

struct walk {
	struct usage *u;
	unsigned deepest;
};

static bool see_call(struct node *n, void *arg)
{
	struct walk *w = arg;
	unsigned bytes = n->kind == N_CALL && n->call.func ? depth_of(w->u, n->call.func) : 0;

	if (bytes > w->deepest)
		w->deepest = bytes;
	return true;
}

static unsigned calls_depth(struct usage *u, struct node *body)
{
	struct walk w = {u, 0};

	node_walk(body, see_call, NULL, &w);
	return w.deepest;
}

static unsigned own(const struct usage *u, const struct func *f)
{
	const char *name = ctext_chars(f->cname);

	return frame_named(u, name) + frame_named(u, xprintf("code_%s", name));
}

/* No more than MAXNESTING functions run inside of each other: with recursion, as many of the
 * largest. */
static unsigned recursive_depth(const struct usage *u, const struct func *f)
{
	unsigned largest = own(u, f);
	func_vec reached = {0};

	calls_of(f->body, &reached);
	for (size_t i = 0; i < reached.n; i++)
		if (own(u, reached.v[i]) > largest)
			largest = own(u, reached.v[i]);
	return largest * (unsigned)u->s->lim.maxnesting;
}

static unsigned depth_of(struct usage *u, const struct func *f)
{
	unsigned bytes;

	for (size_t i = 0; i < u->depths.n; i++)
		if (u->depths.v[i].func == f)
			return u->depths.v[i].bytes;
	bytes = f->recursive ? recursive_depth(u, f) : own(u, f) + calls_depth(u, f->body);
	vec_push(&u->depths, ((struct depth){f, bytes}));
	return bytes;
}

static unsigned chain_of(struct usage *u, const struct probe *p)
{
	unsigned deepest = calls_depth(u, p->body);

	for (size_t i = 0; i < p->turns.n; i++) {
		unsigned bytes = frame_named(u, xprintf("holds_%zu", p->turns.v[i]->number + 1)) +
				 depth_of(u, p->turns.v[i]->condition);

		if (bytes > deepest)
			deepest = bytes;
	}
	return frame_named(u, ctext_chars(p->cname)) + deepest + u->code;
}

/* -------------------------------------------------------------- the limits */

static struct loc loc_of(const struct session *s, const char *name)
{
	const char *base = strncmp(name, "code_fn_", 8) ? name : name + strlen("code_");

	for (size_t i = 0; i < s->program.probes.n; i++)
		if (!strcmp(ctext_chars(s->program.probes.v[i]->cname), name))
			return s->program.probes.v[i]->loc;
	for (size_t i = 0; i < s->program.funcs.n; i++)
		if (!strcmp(ctext_chars(s->program.funcs.v[i]->cname), base))
			return s->program.funcs.v[i]->loc;
	return (struct loc){0};
}

static bool check_frames(const struct usage *u)
{
	bool ok = true;

	for (size_t i = 0; i < u->frames.ents.n; i++) {
		const struct frame *f = u->frames.ents.v[i].val;

		if (f->bytes <= u->limits->frame)
			continue;
		diag_error(E_LIMIT, loc_of(u->s, f->name),
			   "this code needs %u bytes of %s; a function may take %u", f->bytes,
			   u->limits->stack, u->limits->frame);
		diag_hint("split its longest statements, or move some into functions");
		ok = false;
	}
	return ok;
}

/* *LARGEST: of all probes. */
static bool check_chains(struct usage *u, unsigned *largest)
{
	bool ok = true;

	for (size_t i = 0; i < u->s->program.probes.n; i++) {
		const struct probe *p = u->s->program.probes.v[i];
		unsigned bytes = chain_of(u, p);

		if (bytes > *largest)
			*largest = bytes;
		if (bytes <= u->limits->chain)
			continue;
		diag_error(E_LIMIT, p->loc,
			   "this probe and the functions that it calls need %u bytes of %s; they "
			   "may take %u",
			   bytes, u->limits->stack, u->limits->chain);
		diag_hint("reduce the depth of calls, or lower -D MAXNESTING=%lld",
			  (long long)u->s->lim.maxnesting);
		ok = false;
	}
	return ok;
}

bool stack_check(struct session *s, const char *object, const struct stack_limits *limits)
{
	char *path = xstrndup(object, strlen(object) - 1),
	     *text = read_file(xprintf("%ssu", path), NULL);
	struct usage u = {.s = s, .limits = limits};
	unsigned largest = 0;
	bool ok;

	if (!text) {
		diag_error(E_BUILD, (struct loc){0},
			   "the compiler does not report the stack use of the emitted C "
			   "(-fstack-usage)");
		return false;
	}
	for (char *next, *at = text; *at; at = next) {
		next = at + strcspn(at, "\n");
		if (*next)
			*next++ = 0;
		read_line(&u, at);
	}
	ok = check_frames(&u) && check_chains(&u, &largest);
	s->stack = xprintf("%u of %u bytes of %s", largest, limits->chain, limits->stack);
	return ok;
}
