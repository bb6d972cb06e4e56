/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Embedded C: copied to the emitted C, with the script's lines (#line), so that
 * what the compiler says of it names places in the script.
 *
 * Each piece is a C function of its own: a `return` in it leaves no more than
 * that.  The body of a script function gets its arguments and its result in a
 * struct, which the macros of runtime/include/ustap_embedded.h name.
 */
#include <string.h>

#include "emit.h"

static void text_with_lines(struct cbuf *out, const struct node *n)
{
	unsigned ln, col;

	loc_linecol(n->loc, &ln, &col);
	/* columns stay right too: what stands before it on its line is blank */
	cbuf_printf(out, "#line %u %s\n%*s%s\n#line 1 \"emitted C\"\n", ln,
		    c_quoted(n->loc.src->name), (int)col + 1, C(""), c_embedded(n));
}

void emit_embedded_top(struct emit *e, struct cbuf *out)
{
	const struct script *s = &e->s->script;

	if (!e->s->embeds.n)
		return;
	cbuf_add(out, C("#include \"ustap_embedded.h\"\n"));
	for (size_t i = 0; i < s->embedded.n; i++)
		text_with_lines(out, s->embedded.v[i]);
}

/* ------------------------------------------------------------ global variables */

/* STAP_GLOBAL_GET_x() and STAP_GLOBAL_SET_x(v) for the globals that N says it uses. */
static void globals(struct cbuf *out, const struct node *n, bool define)
{
	for (const struct node *u = n->embedded.uses; u; u = u->next) {
		bool write = u->kind == N_ASSIGN;
		const struct symbol *g = write ? u->bin.l->sym : u->sym;
		struct ctext name = ctext("STAP_GLOBAL_%s_%s", write ? C("SET") : C("GET"),
					  c_word(g->name));

		if (!define)
			cbuf_printf(out, "#undef %s\n", name);
		else if (!write)
			cbuf_printf(out, "#define %s() (%s.%s)\n", name, g->cname,
				    g->type == T_STRING ? C("s") : C("l"));
		else if (g->type == T_STRING)
			cbuf_printf(out, "#define %s(v) ust_set_string(%s.s, (v))\n", name,
				    g->cname);
		else
			cbuf_printf(out, "#define %s(v) (%s.l = (v))\n", name, g->cname);
	}
}

static void check_globals(const struct node *n)
{
	for (const struct node *u = n->embedded.uses; u; u = u->next) {
		const struct symbol *g = u->kind == N_ASSIGN ? u->bin.l->sym : u->sym;

		if (g->kind != SYM_GLOBAL)
			diag_error(E_EMBEDDED, n->loc,
				   "embedded C uses \"%s\", which is not a global variable",
				   g->name);
		else if (g->type == T_STAT || g->nkeys > 0)
			diag_error(E_UNSUPPORTED, n->loc,
				   "embedded C cannot use \"%s\" yet, which is %s", g->name,
				   g->nkeys > 0 ? "an array" : "a statistic");
	}
}

/* --------------------------------------------------------------- expressions */

struct val emit_embedded(struct emit *e, struct node *n)
{
	struct ctext name = ctext("code_%d", ++e->ncodes);
	struct val v = {.atom = true, .c = ctext("%s(c)", name)};
	struct cbuf *out = &e->text;

	check_globals(n);
	cbuf_add(out, C("\n"));
	globals(out, n, true);
	cbuf_printf(out, "static %s%s(struct ust_ctx *c)\n{\n\t(void)c;\n\treturn (\n",
		    n->embedded.string ? C("const char *") : C("ust_long "), name);
	text_with_lines(out, n);
	cbuf_add(out, C("\t);\n}\n"));
	globals(out, n, false);
	return spill(e, v, n->type);
}

/* ------------------------------------------------------------------ functions */

/* `THIS->x` of old scripts wants the names as they are. */
static struct ctext field(const struct func *f, const struct symbol *p)
{
	return ctext("%s%s", strstr(f->body->embedded.text, "THIS->") ? C("") : C("l_"),
		     c_word(p->name));
}

static struct ctext c_type(enum type t) { return t == T_STRING ? C("char *") : C("ust_long "); }

static void write_struct(struct cbuf *out, const struct func *f)
{
	cbuf_printf(out, "struct args_%s {\n", f->cname);
	for (size_t i = 0; i < f->params.n; i++)
		cbuf_printf(out, "\t%s%s;\n", c_type(f->params.v[i]->type),
			    field(f, f->params.v[i]));
	cbuf_printf(out, "\t%s__retvalue;\n};\n", f->has_value ? c_type(f->type) : C("ust_long "));
}

static void arguments(struct cbuf *out, const struct func *f, bool define)
{
	for (size_t i = 0; i < f->params.n; i++)
		if (define)
			cbuf_printf(out, "#define STAP_ARG_%s (THIS->%s)\n",
				    c_word(f->params.v[i]->name), field(f, f->params.v[i]));
		else
			cbuf_printf(out, "#undef STAP_ARG_%s\n", c_word(f->params.v[i]->name));
	if (!define)
		cbuf_add(out, C("#undef STAP_RETURN\n"));
	else if (!f->has_value)
		cbuf_add(out, C("#define STAP_RETURN() return\n"));
	else if (f->type == T_STRING)
		cbuf_add(out, C("#define STAP_RETURN(v) do { ust_strcpy(THIS->__retvalue, (v)); "
				"return; } while (0)\n"));
	else
		cbuf_add(out, C("#define STAP_RETURN(v) do { THIS->__retvalue = (ust_long)(v); "
				"return; } while (0)\n"));
}

static void write_code(struct cbuf *out, const struct func *f)
{
	write_struct(out, f);
	arguments(out, f, true);
	globals(out, f->body, true);
	cbuf_printf(out,
		    "static void code_%s(struct ust_ctx *c, struct args_%s *THIS)\n{\n\t(void)c, "
		    "(void)THIS;\n",
		    f->cname, f->cname);
	text_with_lines(out, f->body);
	cbuf_add(out, C("}\n"));
	globals(out, f->body, false);
	arguments(out, f, false);
}

/* C may change its arguments: strings are copied. */
static size_t write_call(struct cbuf *out, const struct func *f, const struct session *s)
{
	size_t strings = 0;

	for (size_t i = 0; i < f->params.n; i++)
		strings += f->params.v[i]->type == T_STRING;
	cbuf_printf(out, "\tstruct args_%s args;\n", f->cname);
	if (strings)
		cbuf_printf(out, "\tust_string *f;\n");
	cbuf_printf(out, "\n\tif (ust_unlikely(!ust_call(c)))\n\t\treturn%s;\n",
		    f->type == T_LONG ? C(" 0") : C(""));
	cbuf_printf(out, "\targs.__retvalue = %s;\n", f->type == T_STRING ? C("ret") : C("0"));
	if (strings)
		cbuf_printf(out,
			    "\tf = ust_frame_push(c, %zu * sizeof *f);\n\tif "
			    "(ust_unlikely(!f))\n\t\tgoto leave;\n",
			    strings);
	strings = 0;
	for (size_t i = 0; i < f->params.n; i++) {
		const struct symbol *p = f->params.v[i];

		if (p->type == T_STRING)
			cbuf_printf(out, "\tust_strcpy(f[%zu], a%zu);\n\targs.%s = f[%zu];\n",
				    strings, i, field(f, p), strings);
		else
			cbuf_printf(out, "\targs.%s = a%zu;\n", field(f, p), i);
		strings += p->type == T_STRING;
	}
	cbuf_printf(out, "\tif (ust_action(c, 1))\n\t\tcode_%s(c, &args);\n", f->cname);
	if (strings)
		cbuf_add(out, C("\tust_frame_pop(c, f);\nleave:\n"));
	cbuf_printf(out, "\tust_return(c);\n%s}\n",
		    f->type == T_LONG ? C("\treturn args.__retvalue;\n") : C(""));
	return strings * (size_t)s->lim.maxstringlen;
}

void emit_embedded_function(struct emit *e, struct func *f)
{
	struct cbuf *out = &e->text;
	size_t bytes;

	check_globals(f->body);
	cbuf_printf(out, "\n%s\n", c_comment("function %s", f->name));
	write_code(out, f);
	cbuf_printf(out, "static %s%s(struct ust_ctx *c%s",
		    f->type == T_LONG ? C("ust_long ") : C("void "), f->cname,
		    f->type == T_STRING ? C(", char *ret") : C(""));
	for (size_t i = 0; i < f->params.n; i++)
		cbuf_printf(out, ", %sa%zu",
			    f->params.v[i]->type == T_STRING ? C("const char *") : C("ust_long "),
			    i);
	cbuf_printf(out, ")\n{\n%s", f->type == T_STRING ? C("\tret[0] = 0;\n") : C(""));
	bytes = write_call(out, f, e->s);
	note_function(e, f, (bytes + 15) & ~(size_t)15);
}
