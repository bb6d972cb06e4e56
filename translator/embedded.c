/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Embedded C: what the translator learns of a piece of it, from comments that
 * are markers.  The globals that it says it uses become nodes, so that every
 * pass sees them: `x` for pragma:read:x, `x = x` for pragma:write:x.
 */
#include <ctype.h>
#include <string.h>

#include "parse.h"

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
static struct node *uses(const char *text, const char *marker, bool write, struct loc loc, struct node *rest)
{
	for (const char *p = text; (p = strstr(p, marker)); ) {
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

bool embedded_has_value(const struct lexstr *text)
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
		diag_hint("C code can do any harm; with -g it is taken");
	}
	if (strstr(text->s, "STAP_NEXT"))
		diag_error(E_UNSUPPORTED, loc, "STAP_NEXT is not supported yet");
	vec_push(&s->embeds, loc.src);
	n->embedded.text = text->s;
	n->embedded.string = has_marker(text->s, "string");
	n->embedded.pure = has_marker(text->s, "pure") || has_marker(text->s, "stable");
	n->embedded.uses = uses(text->s, "/* pragma:write:", true, loc,
				uses(text->s, "/* pragma:read:", false, loc, NULL));
	return n;
}
