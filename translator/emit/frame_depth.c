/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory that calls need: the bytes of frames below a handler, and whether its stack is that of the
 * probed thread or one of the runtime's. Functions are noted after those that they call.
 */
#include "emit.h"
#include "sema/sema.h"

/* --------------------------------------------------------------- frames */

/* F's frame; NULL if F is not emitted yet. */
static struct frame *frame_of(const struct emit *e, const struct func *f)
{
	for (size_t i = 0; i < e->frames.n; i++)
		if (e->frames.v[i].func == f)
			return &e->frames.v[i];
	return NULL;
}

static bool calls_function(const struct func *f, const struct func *callee)
{
	func_vec reached = {0};

	calls_of(f->body, &reached);
	for (size_t i = 0; i < reached.n; i++)
		if (reached.v[i] == callee)
			return true;
	return false;
}

static size_t depth_of(const struct emit *e, struct node *body);

/* Bytes of the functions that call each other in a circle with F, each as deep as MAXNESTING
 * allows, and of what else they call.  All of them get the same number. */
static size_t circle_depth(const struct emit *e, struct func *f)
{
	func_vec reached = {0}, circle = {0};
	size_t own = 0, below = 0;

	calls_of(f->body, &reached);
	for (size_t i = 0; i < reached.n; i++)
		if (reached.v[i]->recursive && calls_function(reached.v[i], f))
			vec_push(&circle, reached.v[i]);
	for (size_t i = 0; i < circle.n; i++) {
		struct frame *fr = frame_of(e, circle.v[i]);

		own += (fr ? fr->bytes : 0) * (size_t)e->s->lim.maxnesting;
		if (fr)
			fr->known = true; /* as 0, until all that they call besides is known */
	}
	for (size_t i = 0; i < circle.n; i++) {
		size_t bytes = depth_of(e, circle.v[i]->body);

		below = bytes > below ? bytes : below;
	}
	for (size_t i = 0; i < circle.n; i++)
		if (frame_of(e, circle.v[i]))
			frame_of(e, circle.v[i])->depth = own + below;
	return own + below;
}

/* Bytes of frames that a call of F needs, worked out once for each function. */
static size_t function_depth(const struct emit *e, struct func *f)
{
	struct frame *fr = frame_of(e, f);

	if (!fr)
		return 0;
	if (fr->known)
		return fr->depth;
	if (f->recursive)
		return circle_depth(e, f);
	fr->depth = fr->bytes + depth_of(e, f->body);
	fr->known = true;
	return fr->depth;
}

struct depth {
	const struct emit *e;
	size_t deepest;
};

static bool see_call(struct node *n, void *arg)
{
	struct depth *d = arg;
	size_t bytes = n->kind == N_CALL && n->call.func ? function_depth(d->e, n->call.func) : 0;

	if (bytes > d->deepest)
		d->deepest = bytes;
	return true;
}

/* Bytes of frames below the code BODY. */
static size_t depth_of(const struct emit *e, struct node *body)
{
	struct depth d = {.e = e};

	node_walk(body, see_call, NULL, &d);
	return d.deepest;
}

void note_frames(struct emit *e, size_t bytes, struct node *body)
{
	bytes += depth_of(e, body);
	if (bytes > e->frame_max)
		e->frame_max = bytes;
}

/* ---------------------------------------------------------------- stack */

/* Largest frame in bytes of a handler that runs on the stack of the probed thread; the runtime
 * needs as much again. */
enum { SHALLOW = 640 };
/* Most stack in bytes that the runtime needs itself on the stack of the probed thread, and the
 * largest frame of a handler that counts as small. */
enum { RUNTIME_STACK = 640, SMALL = 256 };
/* Frame of a builtin with BF_WALK, with a struct walk, in bytes. */
enum { WALK_STACK = 400 };

struct need {
	const struct emit *e;
	size_t stack;
	bool deep, walks;
};

static void need_call(struct need *d, const struct func *f)
{
	const struct frame *of_f = NULL;

	for (size_t i = 0; i < d->e->frames.n && !of_f; i++)
		if (d->e->frames.v[i].func == f)
			of_f = &d->e->frames.v[i];
	/* a function that is not there yet is one of those that call this one */
	if (!of_f || f->recursive || of_f->deep)
		d->deep = true;
	else if (of_f->stack > d->stack)
		d->stack = of_f->stack;
}

/* With --output=folded ubacktrace() names functions, too. */
static bool is_walk(const struct emit *e, const struct builtin *b)
{
	return b->flags & BF_WALK && !stacks_are_names(e->s);
}

static void need_builtin(struct need *d, const struct builtin *b)
{
	if (!is_walk(d->e, b)) {
		d->deep |= (b->flags & (BF_DEEP | BF_STACK)) != 0;
		return;
	}
	d->walks = true;
	if (d->stack < WALK_STACK)
		d->stack = WALK_STACK;
}

static bool see_need(struct node *n, void *arg)
{
	struct need *d = arg;

	if (n->kind == N_CALL && n->call.func)
		need_call(d, n->call.func);
	else if (n->kind == N_CALL && n->call.builtin)
		need_builtin(d, n->call.builtin);
	else if (n->kind == N_EMBEDDED ||
		 (n->kind == N_TARGET && n->target.access >= 0 && target_access(d->e, n)->shape))
		d->deep = true;
	return true;
}

static struct need need_of(const struct emit *e, struct node *body)
{
	struct need d = {.e = e};

	node_walk(body, see_need, NULL, &d);
	d.stack += frame_own_bytes(e);
	d.deep |= d.stack > SHALLOW;
	return d;
}

void note_function(struct emit *e, const struct func *f, size_t bytes)
{
	struct need d = need_of(e, f->body);

	vec_push(&e->frames,
		 ((struct frame){
			 .func = f, .bytes = bytes, .stack = d.stack, .deep = d.deep || d.walks}));
}

void note_handler(struct emit *e, const struct probe *p)
{
	struct need d = need_of(e, p->body);

	if (d.deep || p->turns.n)
		vec_push(&e->deep, p);
	else if (d.walks)
		vec_push(&e->walking, p);
	if (!d.deep && d.stack > SMALL)
		vec_push(&e->wide, p);
}

bool handler_fits(const struct emit *e, const struct probe *p, size_t room)
{
	size_t need = RUNTIME_STACK + SMALL;

	for (size_t i = 0; p && i < e->wide.n; i++)
		if (e->wide.v[i] == p)
			need = RUNTIME_STACK + SHALLOW;
	return need <= room;
}

bool is_walking(const struct emit *e, const struct probe *p)
{
	for (size_t i = 0; p && i < e->walking.n; i++)
		if (e->walking.v[i] == p)
			return true;
	return false;
}

bool is_deep(const struct emit *e, const struct probe *p)
{
	for (size_t i = 0; p && i < e->deep.n; i++)
		if (e->deep.v[i] == p)
			return true;
	return false;
}
