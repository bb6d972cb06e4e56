/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Embedded C: what the translator learns of a piece of it, from comments that
 * are markers.  The globals that it says it uses become nodes, so that every
 * pass sees them: `x` for pragma:read:x, `x = x` for pragma:write:x.
 */
#include <ctype.h>
#include <string.h>

#include "parse/parse.h"

static bool has_marker(const char *text, const char *name)
{
	return strstr(text, xprintf("/* %s */", name)) != NULL;
}

static struct node *variable(const char *name, struct loc loc)
{
	struct node *n = node_new(N_VAR, loc);

	n->var.name = name;
	return n;
}

static struct node *use(const char *name, bool write, struct loc loc)
{
	struct node *n = write ? node_new(N_ASSIGN, loc) : variable(name, loc);

	if (!write)
		return n;
	n->bin.op = OP_SET;
	n->bin.l = variable(name, loc);
	n->bin.r = variable(name, loc);
	return n;
}

/* Nodes for the markers that begin with TEXT, before those of REST. */
static struct node *uses(const char *text, const char *marker, bool write, struct loc loc,
			 struct node *rest)
{
	for (const char *p = text; (p = strstr(p, marker));) {
		struct node *n;
		size_t len = 0;

		for (p += strlen(marker); isalnum((unsigned char)p[len]) || p[len] == '_'; len++)
			;
		n = use(xstrndup(p, len), write, loc);
		n->next = rest;
		rest = n;
	}
	return rest;
}

static bool has_value(const struct lexstr *text)
{
	const char *p = text->s;

	if (strstr(p, "STAP_RETVALUE") || strstr(p, "__retvalue"))
		return true;
	while ((p = strstr(p, "STAP_RETURN"))) {
		p += strlen("STAP_RETURN");
		p += strspn(p, " \t\n");
		if (*p == '(' && p[1 + strspn(p + 1, " \t\n")] != ')')
			return true;
	}
	return false;
}

struct node *embedded(struct session *s, const struct lexstr *text, struct loc loc)
{
	struct node *n = node_new(N_EMBEDDED, loc);

	if (!s->opt.guru && !loc.src->library) {
		diag_error(E_GURU, loc, "embedded C needs guru mode");
		diag_hint("C code is not checked and can crash the kernel; allow it with -g");
	}
	vec_push(&s->embeds, loc.src);
	n->embedded.text = text->s;
	n->embedded.string = has_marker(text->s, "string");
	n->embedded.guru = has_marker(text->s, "guru");
	n->embedded.unprivileged = has_marker(text->s, "unprivileged") ||
				   has_marker(text->s, "myproc-unprivileged");
	n->embedded.pure = has_marker(text->s, "pure") || has_marker(text->s, "stable");
	n->embedded.uses = uses(text->s, "/* pragma:write:", true, loc,
				uses(text->s, "/* pragma:read:", false, loc, NULL));
	return n;
}

/* -------------------------------------------------------------- functions */

static struct node *call(const char *name, struct loc loc)
{
	struct node *n = node_new(N_CALL, loc);

	n->call.name = name;
	n->call.trusted = true;
	return n;
}

static struct node *statement(enum node_kind kind, struct node *e, struct loc loc)
{
	struct node *n = node_new(kind, loc);

	n->expr.e = e;
	return n;
}

/* The function that has the C of F, with parameters of its own. */
static struct func *code_of(const struct func *f)
{
	struct func *code = xalloc(sizeof *code);

	*code = *f;
	code->name = xprintf("%s() at %s:%u", f->name, f->loc.src->name,
			     (unsigned)f->loc.beg); /* nothing else can be called so */
	memset(&code->params, 0, sizeof code->params);
	for (size_t i = 0; i < f->params.n; i++) {
		struct symbol *param = xalloc(sizeof *param);

		*param = *f->params.v[i];
		vec_push(&code->params, param);
	}
	return code;
}

static struct node *call_code(const struct func *code, const struct func *f, struct loc loc)
{
	struct node *n = call(code->name, loc), **end = &n->call.args;

	n->call.nargs = f->params.n;
	for (size_t i = 0; i < f->params.n; i++) {
		*end = variable(f->params.v[i]->name, loc);
		end = &(*end)->next;
	}
	return n;
}

/* { value = CODE(...); if (__next_wanted()) next; return value } */
static struct node *body_with_next(const struct func *code, const struct func *f, struct loc loc)
{
	struct node *body = node_new(N_BLOCK, loc), *run = call_code(code, f, loc),
		    *test = node_new(N_IF, loc);

	if (f->has_value) {
		struct node *set = node_new(N_ASSIGN, loc);

		set->bin.op = OP_SET;
		set->bin.l = variable("value", loc);
		set->bin.r = run;
		run = set;
	}
	body->block.body = statement(N_EXPR, run, loc);
	body->block.body->next = test;
	test->cond.c = call("__next_wanted", loc);
	test->cond.t = node_new(N_NEXT, loc);
	if (f->has_value)
		test->next = statement(N_RETURN, variable("value", loc), loc);
	return body;
}

void embedded_function(struct parser *p, struct func *f, const struct lexstr *text, struct loc loc)
{
	struct func *code = f;

	f->has_value = f->type != T_UNKNOWN || has_value(text);
	if (strstr(text->s, "STAP_NEXT")) {
		code = code_of(f);
		f->body = body_with_next(code, f, loc);
		vec_push(&p->script->funcs, f);
	}
	code->body = embedded(p->s, text, loc);
	vec_push(&p->script->funcs, code);
}

bool embedded_allowed(const struct session *s, const struct func *f, struct loc loc)
{
	const struct node *n = f->body;

	if (!n || n->kind != N_EMBEDDED)
		return true;
	if (n->embedded.guru && !s->opt.guru) {
		diag_error(E_GURU, loc, "%s() needs guru mode", f->name);
		diag_hint("it can change the program's behaviour; allow it with -g");
		return false;
	}
	if (!n->embedded.unprivileged && strcmp(s->opt.privilege, "stapdev")) {
		diag_error(E_GURU, loc, "%s() is only for privileged users", f->name);
		diag_hint("its C code is not marked /* unprivileged */");
		return false;
	}
	return true;
}
