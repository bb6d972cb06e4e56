/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The printf family to C.  All arguments are evaluated before the first
 * character is put out, so that an error in one of them prints nothing; then
 * follows one call for each run of literal text and each conversion.
 *
 * Where nothing shows the difference, a string of the probed process is read straight into the
 * print buffer instead: the runtime takes the statement's text back if the read fails.
 */
#include <string.h>

#include "emit.h"

/* Output of a print statement, collected from left to right. */
struct sink {
	struct emit *e;
	struct ctext out;       /* C expression of type struct ust_out * */
	struct strbuf lit;      /* literal text not yet written */
	const struct node *arg; /* next argument of a format, and its value */
	const struct val *val;
	bool in_place; /* calls of user_string() are read here; the value is their argument's */
};

static bool is_user_string(const struct node *n)
{
	return n->kind == N_CALL && n->call.builtin &&
	       !strcmp(n->call.builtin->cname, "ust_user_string");
}

static void flush_literal(struct sink *k)
{
	enum { SHORT = 8 };

	if (k->lit.n)
		line(k->e, "ust_put%s(%s, %s, %zu);", k->lit.n <= SHORT ? C("_short") : C(""),
		     k->out, c_string(k->lit.s, k->lit.n), k->lit.n);
	k->lit = (struct strbuf){0};
}

/* A value as print() shows it. */
static void put_plain(struct sink *k, const struct node *arg, const struct val *v)
{
	if (arg->kind == N_STR) {
		sb_addn(&k->lit, arg->str.s, strnlen(arg->str.s, arg->str.len));
	} else if (arg->kind == N_NUM) {
		sb_printf(&k->lit, "%lld", (long long)arg->num);
	} else if (k->in_place && is_user_string(arg)) {
		flush_literal(k);
		set_where(k->e, arg->loc);
		line(k->e, "ust_put_user_string(c, start, %s);", v->c);
		jump_if(k->e, C("c->failed"), k->e->u.fail);
	} else {
		flush_literal(k);
		line(k->e, "ust_put_%s(%s, %s);", arg->type == T_STRING ? C("s") : C("d"), k->out,
		     v->c);
	}
}

/* ------------------------------------------------------------- formats */

static struct ctext flags_text(const struct fmt_piece *p)
{
	struct cbuf sb = {0};

	cbuf_add(&sb, p->minus ? C("|UST_F_MINUS") : C(""));
	cbuf_add(&sb, p->zero ? C("|UST_F_ZERO") : C(""));
	cbuf_add(&sb, p->plus ? C("|UST_F_PLUS") : C(""));
	cbuf_add(&sb, p->space ? C("|UST_F_SPACE") : C(""));
	cbuf_add(&sb, p->alt ? C("|UST_F_ALT") : C(""));
	return sb.n ? cbuf_from(&sb, 1, sb.n - 1) : C("0");
}

/* A constant conversion is kept once for the whole program. */
static struct ctext constant_spec(struct emit *e, struct ctext init)
{
	struct ctext name = ctext_get(&e->spec_names, ctext_chars(init));

	if (!name.at) {
		name = ctext("spec_%zu", e->spec_names.ents.n);
		ctext_put(&e->spec_names, ctext_chars(init), name);
		cbuf_printf(&e->specs, "static const struct ust_spec %s = %s;\n", name, init);
	}
	return ctext("&%s", name);
}

/* The next argument, for a `*`. */
static struct ctext star(struct sink *k)
{
	struct ctext text = ctext("(int)%s", operand(k->val++));

	k->arg = k->arg->next;
	return text;
}

/* A `*` makes a conversion that only the call that uses it has.  TAIL ends that call. */
static void call_with_spec(struct sink *k, struct ctext head, struct ctext spec, struct ctext tail)
{
	if (*ctext_chars(spec) == '&')
		line(k->e, "%s%s%s;", head, spec, tail);
	else
		line(k->e, "UST_FORMATTED(%s&spec%s, %s);", head, tail, spec);
}

/* %p before SystemTap 1.3: 16 digits, or those that the width has room for. */
static struct fmt_piece former_pointer(struct fmt_piece p)
{
	if (p.width == -2)
		return p;
	if (p.width == -1)
		p.width = 2 + 16;
	p.prec = p.width < 2 ? -1 : p.width - 2 < 16 ? p.width - 2 : 16;
	return p;
}

static struct ctext spec_text(struct sink *k, const struct fmt_piece *piece)
{
	struct fmt_piece former = former_pointer(*piece);
	bool predates = piece->conv == 'p' && session_predates(k->e->s, "1.3", piece->loc);
	const struct fmt_piece *p = predates ? &former : piece;
	bool constant = p->width != -2 && p->prec != -2;
	struct ctext width = p->width == -2 ? star(k) : ctext("%d", p->size ? p->size : p->width);
	struct ctext prec = p->prec == -2 ? star(k) : ctext("%d", p->prec);
	struct ctext init = ctext("{%s, %s, %s, %s}", c_char(p->conv), flags_text(p), width, prec);

	return constant ? constant_spec(k->e, init) : init;
}

static bool is_plain(const struct fmt_piece *p)
{
	return strchr("dis", p->conv) && p->width == -1 && p->prec == -1 && !p->alt && !p->zero &&
	       !p->plus && !p->space && !p->minus;
}

/* Memory of the probed process? */
static bool is_dump(const struct fmt_piece *p) { return p->conv == 'm' || p->conv == 'M'; }

/* Memory to be dumped is read once before any output. */
static void check_dumps(struct sink k, const struct node *n)
{
	for (size_t i = 0; i < n->print.nfmt && (n->print.fmt[i].lit || k.arg); i++) {
		const struct fmt_piece *p = &n->print.fmt[i];
		struct ctext spec = {0};

		if (p->lit)
			continue;
		if (is_dump(p) || p->width == -2 || p->prec == -2)
			spec = spec_text(&k, p);
		if (is_dump(p)) {
			set_where(k.e, n->loc);
			call_with_spec(&k, C("ust_check_memory(c, "), spec,
				       ctext(", %s)", k.val->c));
			jump_if(k.e, C("c->failed"), k.e->u.fail);
		}
		k.arg = k.arg->next;
		k.val++;
	}
}

static void put_conversion(struct sink *k, const struct fmt_piece *p)
{
	struct ctext spec;

	if (is_plain(p)) {
		put_plain(k, k->arg, k->val++);
	} else if (is_dump(p)) {
		flush_literal(k);
		spec = spec_text(k, p);
		call_with_spec(k, ctext("ust_put_memory(c, %s, ", k->out), spec,
			       ctext(", %s)", k->val->c));
		k->val++;
		jump_if(k->e, C("c->failed"), k->e->u.fail);
	} else {
		flush_literal(k);
		spec = spec_text(k, p);
		call_with_spec(k,
			       ctext("ust_put_%s(%s, ", p->conv == 's' ? C("str") : C("l"), k->out),
			       spec, ctext(", %s)", k->val->c));
		k->val++;
	}
	k->arg = k->arg->next;
}

static void put_format(struct sink *k, const struct node *n)
{
	for (size_t i = 0; i < n->print.nfmt && (n->print.fmt[i].lit || k->arg); i++) {
		const struct fmt_piece *p = &n->print.fmt[i];

		if (p->lit)
			sb_addn(&k->lit, p->lit, p->litlen);
		else
			put_conversion(k, p);
	}
}

static void put_list(struct sink *k, const struct node *n)
{
	const struct fmt_piece *delim = n->print.kind & PR_D && n->print.nfmt ? n->print.fmt : NULL;

	for (; k->arg; k->arg = k->arg->next, k->val++) {
		if (delim && k->arg != n->print.args)
			sb_addn(&k->lit, delim->lit, delim->litlen);
		put_plain(k, k->arg, k->val);
	}
}

static void put_all(struct sink *k, const struct node *n)
{
	if (n->print.kind & PR_F)
		put_format(k, n);
	else
		put_list(k, n);
	if (n->print.kind & PR_LN)
		sb_add(&k->lit, "\n");
	flush_literal(k);
}

/* Begin a string at DST; gives the struct ust_out for it. */
static struct ctext begin_string(struct emit *e, struct ctext dst)
{
	struct ctext name = frame_slot(e, SLOT_OUT);

	line(e, "ust_out_string(&%s, %s);", name, dst);
	return ctext("&%s", name);
}

static bool is_whole_hist(const struct node *n)
{
	return n && n->kind == N_STATOP && !n->stat.index &&
	       (n->stat.op == ST_HIST_LOG || n->stat.op == ST_HIST_LINEAR);
}

/* It ends with an empty line of its own, whether println prints it or print. */
static void print_hist(struct emit *e, struct node *n, struct ctext dst)
{
	struct ctext args = emit_hist_counts(e, n->print.args, n->loc);
	struct ctext out = dst.at ? begin_string(e, dst) : C("&c->out");

	if (!dst.at)
		emit_hist_begin(e, n);
	if (n->print.one_line)
		line(e, "ust_put_bars(%s, &%s, f->buckets);", out,
		     n->print.args->stat.e->sym->cname);
	else
		line(e, "ust_put_hist(%s, %s);", out, args);
	if (dst.at)
		line(e, "ust_out_finish(%s);", out);
	else
		emit_print_end(e);
}

/* Literals among the arguments that are put out as literal text are not cut. */
static void mark_whole(const struct node *n)
{
	struct node *arg = n->print.args;

	for (; !(n->print.kind & PR_F) && arg; arg = arg->next)
		if (arg->kind == N_STR)
			arg->str.whole = true;
	for (size_t i = 0; i < n->print.nfmt && arg; i++) {
		const struct fmt_piece *p = &n->print.fmt[i];

		for (int stars = (p->width == -2) + (p->prec == -2); !p->lit && stars && arg;
		     stars--)
			arg = arg->next;
		if (p->lit || !arg)
			continue;
		if (is_plain(p) && arg->kind == N_STR)
			arg->str.whole = true;
		arg = arg->next;
	}
}

/* ------------------------------------------- strings of the probed process */

/* The value of N neither fails nor changes, nor does its evaluation change anything. */
static bool is_steady(const struct emit *e, const struct node *n)
{
	if (n->kind == N_TARGET)
		return n->target.access >= 0 && !n->target.value && !e->u.writes_target &&
		       !target_can_fail(target_access(e, n));
	return n->kind == N_NUM || n->kind == N_STR ||
	       (n->kind == N_VAR && n->sym->kind != SYM_GLOBAL);
}

/* May strings be read after everything else was evaluated?  In a handler with locks the read of an
 * absent page releases them: the other arguments would be of two moments. */
static bool reads_last(const struct emit *e, const struct node *n)
{
	const struct node *arg = n->print.args;

	if (records_on(e) || !e->u.probe || e->u.probe->locks.n)
		return false;
	while (arg && !is_user_string(arg))
		arg = arg->next;
	if (!arg)
		return false;
	for (arg = arg->next; arg; arg = arg->next)
		if (!is_steady(e, is_user_string(arg) ? arg->call.args : arg))
			return false;
	return true;
}

/* The most bytes that a value is printed as by put_plain(). */
static size_t longest(const struct emit *e, const struct node *arg)
{
	static const char number[] = "-9223372036854775808";

	if (arg->kind == N_STR)
		return arg->str.len;
	return arg->type == T_STRING ? (size_t)e->s->lim.maxstringlen : sizeof number;
}

/* The most bytes that N prints; 0: that is not known. */
static size_t longest_text(const struct emit *e, const struct node *n)
{
	const struct node *arg = n->print.args;
	size_t sum = 1;

	if (n->print.kind & PR_F) {
		for (size_t i = 0; i < n->print.nfmt && (n->print.fmt[i].lit || arg); i++) {
			const struct fmt_piece *p = &n->print.fmt[i];

			if (!p->lit && !is_plain(p))
				return 0;
			sum += p->lit ? p->litlen : longest(e, arg);
			arg = p->lit ? arg : arg->next;
		}
		return sum;
	}
	for (; arg; arg = arg->next)
		sum += longest(e, arg) + (n->print.nfmt ? n->print.fmt->litlen : 0);
	return sum;
}

/* The values of the arguments; of calls of user_string() those of their arguments. */
static struct val *operands_in_place(struct emit *e, struct node *n)
{
	size_t count = 0;
	struct val *v;

	for (struct node *a = n->print.args; a; a = a->next)
		count++;
	v = xalloc((count + 1) * sizeof *v);
	count = 0;
	for (struct node *a = n->print.args; a; a = a->next) {
		struct node *of = is_user_string(a) ? a->call.args : a;

		v[count++] = settle(e, expr(e, of), of->type, a->next);
	}
	return v;
}

/* Print N if it reads strings in place; false: it does not, and nothing was written. */
static bool print_in_place(struct emit *e, struct node *n)
{
	enum { ROOM = 4096 }; /* UST_PRINT_ROOM */
	struct sink k = {.e = e, .out = C("&c->out"), .arg = n->print.args, .in_place = true};
	size_t room = reads_last(e, n) ? longest_text(e, n) : 0;

	if (!room || room > ROOM)
		return false;
	k.val = operands_in_place(e, n);
	line(e, "{");
	e->indent++;
	line(e, "char *start = ust_print_start(c, %zu);", room);
	put_all(&k, n);
	e->indent--;
	line(e, "}");
	return true;
}

void emit_print(struct emit *e, struct node *n, struct ctext dst)
{
	struct sink k = {.e = e, .out = C("&c->out"), .arg = n->print.args};
	struct val *vals;

	if (is_whole_hist(n->print.args)) {
		print_hist(e, n, dst);
		return;
	}
	mark_whole(n);
	if (!dst.at && print_in_place(e, n))
		return;
	k.val = vals = operands(e, n->print.args, NULL);
	if (n->print.kind & PR_F)
		check_dumps(k, n);
	if (dst.at)
		k.out = begin_string(e, dst);
	else
		emit_print_begin(e, n, vals);
	put_all(&k, n);
	if (dst.at)
		line(e, "ust_out_finish(%s);", k.out);
	else
		emit_print_end(e);
}
