/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Touches: under locks a read may not wait for a page. Memory at addresses that depend only on
 * registers and on other such reads is touched before the handler takes its locks.
 */
#include <string.h>

#include "access_machine.h"

/* Can the address of what A reads be known before the handler's body runs?  The kernel's memory is
 * never absent. */
static bool is_static(const struct access *a)
{
	if (a->base || a->in_kernel)
		return false;
	for (size_t i = 0; i < a->nops; i++)
		if (a->ops[i].kind == A_INDEX ||
		    (op_can_fail(&a->ops[i]) && a->ops[i].kind != A_DEREF &&
		     a->ops[i].kind != A_TLS))
			return false;
	return true;
}

static const struct access *static_access(const struct emit *e, const struct node *n)
{
	const struct access *a;

	if (!n || n->kind != N_TARGET || n->target.access < 0)
		return NULL;
	a = &e->u.probe->accesses.v[n->target.access];
	return is_static(a) ? a : NULL;
}

static void touch_once(struct touches *t, struct ctext text)
{
	if (ctext_get(&t->done, ctext_chars(text)).at)
		return;
	ctext_put(&t->done, ctext_chars(text), C("0"));
	line(t->e, "%s;", text);
}

static int builtin_read_size(const char *name)
{
	static const struct {
		const char *end;
		int size;
	} sizes[] = {
		{"char", 1},  {"deref1", 1}, {"deref2", 2}, {"deref4", 4}, {"int8", 1},
		{"short", 2}, {"int16", 2},  {"int32", 4},  {"_int", 4},   {"uint", 4},
	};

	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		size_t n = strlen(name), k = strlen(sizes[i].end);

		if (n > k && !strcmp(name + n - k, sizes[i].end))
			return sizes[i].size;
	}
	return 8;
}

/* user_string($s), user_int($p->q): what the builtin will read. */
static void touch_argument(struct touches *t, const struct node *n)
{
	const struct access *a = static_access(t->e, n->call.args);
	struct machine m = {.e = t->e, .n = n->call.args, .touches = t};
	struct slot top;

	if (!a)
		return;
	for (size_t i = 0; i < a->nops; i++)
		machine_step(&m, &a->ops[i], false);
	top = machine_pop(&m);
	if (n->call.builtin->ret == T_STRING)
		touch_once(t, ctext("ust_touch_string(c, %s)", top.c));
	else
		touch_once(t, ctext("ust_touch(c, %s, %d)", top.c,
				    builtin_read_size(n->call.builtin->name)));
}

static void touch_access(struct touches *t, const struct node *n, const struct access *a)
{
	struct machine m = {.e = t->e, .n = n, .touches = t};
	size_t last = 0;

	for (size_t i = 0; i < a->nops; i++)
		if (a->ops[i].kind == A_DEREF)
			last = i + 1;
	for (size_t i = 0; i < last; i++)
		machine_step(&m, &a->ops[i], i + 1 == last);
}

static bool see_read(struct node *n, void *arg)
{
	struct touches *t = arg;
	const struct access *a = static_access(t->e, n);

	if (n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & BF_USER_READ &&
	    static_access(t->e, n->call.args)) {
		touch_argument(t, n); /* the argument's own reads are part of that */
		for (struct node *more = n->call.args->next; more; more = more->next)
			node_walk(more, see_read, NULL, t);
		return false;
	}
	if (a)
		touch_access(t, n, a);
	return true;
}

void emit_touches(struct emit *e, struct node *body)
{
	struct touches t = {.e = e};

	for (; body; body = body->next)
		node_walk(body, see_read, NULL, &t);
}
