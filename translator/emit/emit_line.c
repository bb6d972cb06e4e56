/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines and names of C, and the script's position that a run-time error names. */
#include <ctype.h>
#include <string.h>

#include "emit.h"
#include "sema/sema.h"

void put_line(struct emit *e, struct ctext text)
{
	for (int i = 0; i < e->indent; i++)
		cbuf_add(e->out, C("\t"));
	cbuf_add(e->out, text);
	cbuf_add(e->out, C("\n"));
}

void jump_if(struct emit *e, struct ctext cond, struct label *to)
{
	line(e, "if (ust_unlikely(%s))", cond);
	line(e, "\tgoto %s;", to->name);
	to->uses++;
}

static bool is_word(char ch)
{
	return isalnum((unsigned char)ch) || ch == '_' || ch == '$' || ch == '@';
}

static size_t token_length(const char *s, const char *end)
{
	static const char *const ops[] = {"<<<", ">>>", "<<=", ">>=", "->", "++", "--", "<<", ">>",
					  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=", "*=",
					  "/=",  "%=",  "&=",  "|=",  "^=", ".=", "=~", "!~"};
	size_t n = 0;

	while (s + n < end && is_word(s[n]))
		n++;
	if (n)
		return n;
	for (size_t i = 0; i < ARRAY_LEN(ops); i++)
		if (!strncmp(s, ops[i], strlen(ops[i])))
			return strlen(ops[i]);
	return s < end;
}

static const char *token_kind(const char *token)
{
	static const char *const words[] = {"if",    "else",     "while",  "for",    "foreach",
					    "in",    "limit",    "return", "delete", "next",
					    "break", "continue", "try",    "catch"};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (!strcmp(token, words[i]))
			return "keyword";
	if (isdigit((unsigned char)*token))
		return "number";
	if (isalpha((unsigned char)*token) || *token == '_' || *token == '$')
		return "identifier";
	return *token == '"' ? "string" : "operator";
}

static unsigned where_in(struct emit *e, struct loc loc, const char *caller)
{
	const char *s = loc.src->text + loc.beg, *token, *pos, *id;
	unsigned ln, col;
	void *known;

	loc_linecol(loc, &ln, &col);
	token = xstrndup(s, token_length(s, loc.src->text + loc.src->len));
	pos = xprintf("%s:%u:%u", loc.src->name, ln, col);
	id = xprintf("%s %s %s", token, pos, caller ? caller : "");
	known = smap_get(&e->where_names, id);
	if (!known) {
		vec_push(&e->wheres, ((struct where){token, token_kind(token), pos, caller}));
		known = (void *)e->wheres.n;
		smap_put(&e->where_names, id, known);
	}
	return (unsigned)(uintptr_t)known;
}

unsigned where_of(struct emit *e, struct loc loc) { return where_in(e, loc, NULL); }

static void set_index(struct emit *e, int where)
{
	if (e->where != where)
		line(e, "c->where = %d;", where);
	e->where = where;
}

void set_where(struct emit *e, struct loc loc) { set_index(e, (int)where_of(e, loc)); }

void set_where_call(struct emit *e, struct loc loc)
{
	set_index(e, (int)where_in(e, loc, e->u.func ? e->u.func->name : "probe"));
}

/* A binary node covers its operands; its operator is found after the left one. */
void set_where_op(struct emit *e, const struct node *n)
{
	const char *op = op_text[n->bin.op], *text = n->loc.src->text;
	struct loc loc = n->loc;

	for (uint32_t i = n->bin.l->loc.end; i < n->bin.r->loc.beg; i++)
		if (!strncmp(text + i, op, strlen(op))) {
			loc.beg = i;
			break;
		}
	set_where(e, loc);
}

struct ctext unique_name(struct emit *e, const char *prefix, const char *name)
{
	struct ctext base = c_identifier(prefix, name), text = base;

	for (int i = 2; smap_get(&e->names, ctext_chars(text)); i++)
		text = ctext("%s_%d", base, i);
	ctext_put(&e->names, ctext_chars(text), text);
	return text;
}
