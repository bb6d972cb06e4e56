/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Accesses as C: the program of a target variable's access, for a stack machine, run on C
 * expressions.  Addresses are unsigned, so that they wrap; each read of the target's memory is a
 * statement, because it can fail.
 */
#include <string.h>

#include "access_machine.h"

static void push(struct machine *m, struct ctext c, bool atom)
{
	vec_push(&m->st, ((struct slot){.c = c, .atom = atom}));
}

static void push_signed(struct machine *m, struct ctext c, bool atom)
{
	vec_push(&m->st, ((struct slot){.c = c, .atom = atom, .is_signed = true}));
}

struct slot machine_pop(struct machine *m)
{
	return m->st.n ? m->st.v[--m->st.n] : (struct slot){.c = C("0"), .atom = true};
}

struct ctext slot_unsigned(const struct slot *s)
{
	struct ctext c = s->atom ? s->c : ctext("(%s)", s->c);

	return s->is_signed ? ctext("(ust_u64)%s", c) : c;
}

/* The same, 64 bits wide also where it is a number or was narrowed: for what is shifted. */
static struct ctext wide(const struct slot *s)
{
	struct ctext c = slot_unsigned(s);

	return strchr("-(0123456789", *ctext_chars(c)) && !ctext_behind(c, "(ust_u64)").at
		       ? ctext("(ust_u64)%s", c)
		       : c;
}

static struct ctext narrow_type(int size, bool sign)
{
	switch (size) {
	case 1:
		return sign ? C("signed char") : C("unsigned char");
	case 2:
		return sign ? C("short") : C("unsigned short");
	case 4:
		return sign ? C("int") : C("unsigned int");
	default:
		return sign ? C("ust_long") : C("ust_u64");
	}
}

/* --------------------------------------------------------- operations */

static void reg(struct machine *m, int64_t number)
{
	struct ctext text = c_register((int)number);

	if (!text.at)
		diag_error(E_UNSUPPORTED, m->n->loc,
			   "\"%s\" is in a register that probes do not save", m->n->target.name);
	push(m, text.at ? text : C("0"), true);
}

/* Touch what is at ADDR; its value goes to a variable unless it is the LAST. */
static void touch(struct machine *m, struct ctext cast, struct ctext text, bool last)
{
	struct touches *t = m->touches;
	struct ctext name = ctext_get(&t->done, ctext_chars(text));

	if (!name.at) {
		name = last ? C("0") : ctext("p%d", ++t->nptrs);
		ctext_put(&t->done, ctext_chars(text), name);
		line(m->e, last ? "%s%s;" : "ust_u64 %s = %s;", last ? C("") : name, text);
	} else if (!last && *ctext_chars(name) == '0') {
		name = text; /* touched once, but the value was not kept */
	}
	push(m, ctext("%s%s", cast, name), !*ctext_chars(cast));
	m->st.v[m->st.n - 1].is_signed = *ctext_chars(cast);
}

/* So many values that were read before stay in C variables. */
enum { MAX_LOADS = 24 };

static void keep_load(struct emit *e, struct ctext text, struct ctext name, bool is_signed)
{
	if (e->u.loads.n < MAX_LOADS)
		vec_push(&e->u.loads, ((struct loaded){text, name, is_signed}));
	if ((int)e->u.loads.n > e->u.most_loads)
		e->u.most_loads = (int)e->u.loads.n;
}

static bool push_loaded(struct machine *m, struct ctext text)
{
	for (size_t i = 0; i < m->e->u.loads.n; i++) {
		const struct loaded *l = &m->e->u.loads.v[i];

		if (!ctext_same(l->text, text))
			continue;
		push(m, l->name, true);
		m->st.v[m->st.n - 1].is_signed = l->is_signed;
		return true;
	}
	return false;
}

/* Read memory. A value that was read before at the same address is reused, unless the handler
 * also writes. */
static void load(struct machine *m, const struct aop *op, bool last)
{
	struct slot addr = machine_pop(m);
	struct ctext cast = op->sign && op->size < 8 ? ctext("(%s)", narrow_type(op->size, true))
						     : C("");
	struct ctext text, name;

	if (!is_load_size(op->size))
		diag_error(E_BAD_ELF, m->n->loc, "%s is read in units of %u bytes",
			   m->n->target.name, op->size);
	if (m->touches) {
		touch(m, cast, ctext("ust_touch(c, %s, %d)", addr.c, op->size), last);
		return;
	}
	text = ctext("%sust_%sload%s(c, %s, %d)", cast, m->in_kernel ? C("kernel_") : C(""),
		     m->e->s->opt.skip_badvars ? C("_or_0") : C(""), addr.c, op->size);
	if (push_loaded(m, text))
		return;
	set_where(m->e, m->n->loc);
	if (last) {
		struct val v = call_long_checked(m->e, m->n, text);

		name = v.c;
		push_signed(m, name, true);
		/* the script's variables and members of the frame may change: not kept */
		m->indexed |= !v.temps || frame_member(name).at;
	} else {
		name = ctext("t%d", ++m->e->u.nlongs);
		push(m, name, true);
		line(m->e, "ust_u64 %s = %s;", name, text);
		jump_if(m->e, C("c->failed"), m->e->u.fail);
	}
	if (!m->indexed && !m->e->u.writes_target)
		keep_load(m->e, text, name, last);
}

static void extend(struct machine *m, const struct aop *op)
{
	struct slot v = machine_pop(m);

	if (op->size == 8) {
		push(m, slot_unsigned(&v), true);
		return;
	}
	push(m, ctext("(%s)%s", narrow_type(op->size, op->sign), slot_unsigned(&v)), false);
	m->st.v[m->st.n - 1].is_signed = op->sign;
}

static void bits(struct machine *m, const struct aop *op)
{
	struct slot v = machine_pop(m);
	int left = 64 - (int)op->a - op->bits, right = 64 - op->bits;

	if (op->sign) {
		push(m, ctext("(ust_long)(%s << %d) >> %d", wide(&v), left, right), false);
		m->st.v[m->st.n - 1].is_signed = true;
	} else {
		push(m, ctext("%s << %d >> %d", wide(&v), left, right), false);
	}
}

static void divide(struct machine *m, struct ctext call, struct slot a, struct slot b)
{
	set_where(m->e, m->n->loc);
	push(m,
	     call_long_checked(m->e, NULL,
			       ctext("%s(c, (ust_long)%s, (ust_long)%s)", call, slot_unsigned(&a),
				     slot_unsigned(&b)))
		     .c,
	     true);
	m->st.v[m->st.n - 1].is_signed = true;
}

static void two_operands(struct machine *m, enum aop_kind kind)
{
	static const struct ctext text[] = {
		[A_ADD] = C("+"),  [A_SUB] = C("-"), [A_MUL] = C("*"),  [A_AND] = C("&"),
		[A_OR] = C("|"),   [A_XOR] = C("^"), [A_SHL] = C("<<"), [A_SHR] = C(">>"),
		[A_SRA] = C(">>"), [A_EQ] = C("=="), [A_NE] = C("!="),  [A_LT] = C("<"),
		[A_LE] = C("<="),  [A_GT] = C(">"),  [A_GE] = C(">="),
	};
	struct slot b = machine_pop(m), a = machine_pop(m);
	bool narrow = !ctext_same(wide(&a), slot_unsigned(&a)) &&
		      !ctext_same(wide(&b), slot_unsigned(&b));
	struct ctext cast = kind >= A_EQ && kind <= A_GE ? C("(ust_long)") : C("");

	if (kind == A_DIV)
		divide(m, C("ust_div"), a, b);
	else if (kind == A_MOD)
		divide(m, C("ust_mod"), a, b);
	else if (kind == A_SHL || kind == A_SHR || kind == A_SRA)
		push(m,
		     ctext("(ust_u64)(%s%s %s (%s & 63))", kind == A_SRA ? C("(ust_long)") : C(""),
			   wide(&a), text[kind], slot_unsigned(&b)),
		     true);
	else
		push(m,
		     ctext("%s%s %s %s%s", cast, narrow ? wide(&a) : slot_unsigned(&a), text[kind],
			   cast, slot_unsigned(&b)),
		     false);
}

static void one_operand(struct machine *m, enum aop_kind kind)
{
	struct slot a = machine_pop(m);

	push(m, ctext("%s%s", kind == A_NEG ? C("-") : C("~"), slot_unsigned(&a)), false);
}

/* A value that is used twice gets a variable: text that is copied instead doubles each time. */
static void name_slot(struct machine *m, struct slot *s)
{
	struct ctext name;

	if (s->atom)
		return;
	name = m->touches ? ctext("p%d", ++m->touches->nptrs) : ctext("t%d", ++m->e->u.nlongs);
	line(m->e, "ust_u64 %s = %s;", name, slot_unsigned(s));
	*s = (struct slot){.c = name, .atom = true};
}

static void stack_op(struct machine *m, const struct aop *op)
{
	struct slot a, b, d;

	switch (op->kind) {
	case A_DROP:
		machine_pop(m);
		break;
	case A_SWAP:
		a = machine_pop(m), b = machine_pop(m);
		vec_push(&m->st, a);
		vec_push(&m->st, b);
		break;
	case A_ROT: /* the top goes below the two others */
		a = machine_pop(m), b = machine_pop(m), d = machine_pop(m);
		vec_push(&m->st, a);
		vec_push(&m->st, d);
		vec_push(&m->st, b);
		break;
	default: {
		size_t depth = op->kind == A_DUP ? 0 : op->kind == A_OVER ? 1 : (size_t)op->a;

		if (depth < m->st.n) {
			name_slot(m, &m->st.v[m->st.n - 1 - depth]);
			a = m->st.v[m->st.n - 1 - depth];
			vec_push(&m->st, a);
		}
	}
	}
}

static size_t base_number(struct emit *e, struct module *m)
{
	size_t i = 0;

	while (i < e->bases.n && e->bases.v[i] != m)
		i++;
	if (i == e->bases.n)
		vec_push(&e->bases, m);
	return i;
}

/* The number that CALL gives, which can fail. */
static void checked(struct machine *m, struct ctext call)
{
	struct ctext name;

	if (push_loaded(m, call))
		return;
	name = ctext("t%d", ++m->e->u.nlongs);
	set_where(m->e, m->n->loc);
	line(m->e, "ust_u64 %s = %s;", name, call);
	jump_if(m->e, C("c->failed"), m->e->u.fail);
	keep_load(m->e, call, name, false);
	push(m, name, true);
}

static void thread_block(struct machine *m, struct ctext call)
{
	struct slot at = machine_pop(m);

	checked(m, ctext("%s(c, %s)", call, at.c));
}

/* An address in a module that need not be where the probe is. */
static void other_module(struct machine *m, int64_t addr)
{
	uint64_t code = 0, off = 0;
	int64_t distance;
	bool percpu;

	if (module_is_kernel(m->base)) {
		if (!kernel_distance(m->base, (uint64_t)addr, &distance, &percpu))
			diag_error(E_UNSUPPORTED, m->n->loc,
				   "the address of %s in the kernel is not known",
				   m->n->target.name);
		else
			push(m,
			     ctext("ust_kernel_%s(%lldll)", percpu ? C("percpu") : C("data"),
				   (long long)distance),
			     true);
		return;
	}
	module_code(m->base, &code, &off);
	checked(m, ctext("ust_base(c, %zu, 0x%llx, 0x%llx)", base_number(m->e, m->base),
			 (unsigned long long)off, (unsigned long long)code));
	push(m, ctext("%s + 0x%llx", machine_pop(m).c, (unsigned long long)addr), false);
}

/* -------------------------------------------------- values by caller */

static struct ctext module_address(uint64_t addr)
{
	return ctext("hit->addr - hit->site->addr + 0x%llx", (unsigned long long)addr);
}

/* It is not known what the caller passed. */
static void fail_lost(struct machine *m, const struct callers *k, struct ctext why)
{
	if (m->e->s->opt.skip_badvars)
		return;
	set_where(m->e, m->n->loc);
	line(m->e, "ust_caller_lost(c, %s, %s);", k->ret, why);
	line(m->e, "goto %s;", m->e->u.fail->name);
	m->e->u.fail->uses++;
}

static void begin_callers(struct machine *m)
{
	struct slot at = machine_pop(m);
	struct callers k = {.value = ctext("t%d", ++m->e->u.nlongs), .loads = m->e->u.loads.n};

	checked(m, ctext("ust_caller(c, %s)", at.c));
	k.ret = machine_pop(m).c;
	line(m->e, "ust_u64 %s = 0;", k.value);
	line(m->e, "switch (%s - (hit->addr - hit->site->addr)) {", k.ret);
	vec_push(&m->callers, k);
}

/* The body of the last case has ended; its value is on the stack. */
static void end_case(struct machine *m)
{
	struct callers *k = &m->callers.v[m->callers.n - 1];
	struct slot v;

	if (k->state == BODY) {
		v = machine_pop(m);
		line(m->e, "\t%s = %s;", k->value, slot_unsigned(&v));
		line(m->e, "\tbreak;");
		line(m->e, "}");
		m->e->u.loads.n = k->loads;
	}
	k->state = LABELS;
}

static void check_caller(struct machine *m, const struct aop *op)
{
	const struct callers *k = &m->callers.v[m->callers.n - 1];
	struct slot v = machine_pop(m);

	line(m->e, "if (ust_unlikely(%s != %s)) {", slot_unsigned(&v),
	     module_address((uint64_t)op->a));
	if (m->e->s->opt.skip_badvars)
		line(m->e, "\tbreak;");
	fail_lost(m, k, C("UST_CALLER_OTHER"));
	line(m->e, "}");
}

static void end_callers(struct machine *m)
{
	struct callers k;

	end_case(m);
	k = m->callers.v[--m->callers.n];
	line(m->e, "default:");
	fail_lost(m, &k, C("UST_CALLER_OTHER"));
	if (m->e->s->opt.skip_badvars)
		line(m->e, "\tbreak;");
	line(m->e, "}");
	push(m, k.value, true);
}

/* Steps that are between cases, or of them; true: OP was one. */
static bool caller_step(struct machine *m, const struct aop *op)
{
	struct callers *k = m->callers.n ? &m->callers.v[m->callers.n - 1] : NULL;

	if (k && op->kind == A_CALLER) {
		if (k->state == BODY)
			end_case(m);
		k->state = LABELS;
		line(m->e, "case 0x%llx:", (unsigned long long)op->a);
		return true;
	}
	if (k && k->state == LABELS && op->kind != A_CALLERS_END) {
		line(m->e, "{");
		k->state = BODY;
		k->loads = m->e->u.loads.n;
	}
	switch (op->kind) {
	case A_CALLERS:
		begin_callers(m);
		return true;
	case A_CHECK:
		check_caller(m, op);
		return true;
	case A_LOST:
		fail_lost(m, k, C("UST_CALLER_SILENT"));
		push(m, C("0"), true);
		return true;
	case A_CALLERS_END:
		end_callers(m);
		return true;
	default:
		return false;
	}
}

/* ------------------------------------------------------------- choices */

static void begin_choice(struct machine *m)
{
	struct slot cond = machine_pop(m);
	struct choice c = {.cond = slot_unsigned(&cond), .loads = m->e->u.loads.n};

	if (!m->touches) {
		c.value = ctext("t%d", ++m->e->u.nlongs);
		line(m->e, "ust_u64 %s;", c.value);
		line(m->e, "if (%s) {", cond.c);
	}
	vec_push(&m->choices, c);
}

/* Values loaded in one branch are not reused after it. */
static void end_branch(struct machine *m, struct choice *c, bool first)
{
	struct slot v = machine_pop(m);

	if (m->touches && first)
		c->first = slot_unsigned(&v);
	else if (m->touches)
		push(m, ctext("(%s ? %s : %s)", c->cond, c->first, slot_unsigned(&v)), true);
	if (m->touches)
		return;
	line(m->e, "\t%s = %s;", c->value, slot_unsigned(&v));
	line(m->e, "}%s", first ? C(" else {") : C(""));
	m->e->u.loads.n = c->loads;
	if (!first)
		push(m, c->value, true);
}

static void choice_step(struct machine *m, enum aop_kind kind)
{
	if (kind == A_IF)
		begin_choice(m);
	else if (m->choices.n)
		end_branch(m, &m->choices.v[m->choices.n - 1], kind == A_ELSE);
	m->choices.n -= kind == A_END_IF && m->choices.n;
}

/* ------------------------------------------------------ all operations */

/* Operations that take no operand from the stack. */
static void source(struct machine *m, const struct aop *op)
{
	switch (op->kind) {
	case A_REG:
		reg(m, op->a);
		break;
	case A_CONST:
		push(m, op->a == INT64_MIN ? C("(1ull << 63)") : ctext("%lld", (long long)op->a),
		     op->a >= 0);
		break;
	case A_ADDR:
		if (m->base)
			other_module(m, op->a);
		else
			push(m, module_address((uint64_t)op->a), false);
		break;
	case A_VECTOR:
		push(m, ctext("ust_vector(%lld)", (long long)op->a), true);
		break;
	default:
		push(m, C("ust_thread_pointer(c)"), true);
	}
}

/* The double of a float's value, or of a long double's two words. */
static void to_double(struct machine *m, enum aop_kind kind)
{
	struct slot top = machine_pop(m), fraction;

	if (kind == A_WIDEN) {
		push(m, ctext("ust_widen((unsigned int)%s)", slot_unsigned(&top)), true);
		return;
	}
	fraction = machine_pop(m);
	push(m, ctext("ust_extended(%s, %s)", slot_unsigned(&fraction), slot_unsigned(&top)), true);
}

void machine_step(struct machine *m, const struct aop *op, bool last)
{
	if (caller_step(m, op))
		return;
	switch (op->kind) {
	case A_REG:
	case A_CONST:
	case A_ADDR:
	case A_VECTOR:
	case A_TLS:
		source(m, op);
		break;
	case A_TLS_MODULE:
	case A_TLS_DESC:
		thread_block(m, op->kind == A_TLS_MODULE ? C("ust_tls_module")
							 : C("ust_tls_descriptor"));
		break;
	case A_INDEX:
		m->indexed = true;
		push(m, ctext("(ust_u64)%s", operand(&m->index[op->a])), true);
		break;
	case A_DEREF:
		load(m, op, last);
		break;
	case A_EXT:
		extend(m, op);
		break;
	case A_BITS:
		bits(m, op);
		break;
	case A_WIDEN:
	case A_EXTENDED:
		to_double(m, op->kind);
		break;
	case A_IF:
	case A_ELSE:
	case A_END_IF:
		choice_step(m, op->kind);
		break;
	case A_NEG:
	case A_NOT:
		one_operand(m, op->kind);
		break;
	case A_DUP:
	case A_DROP:
	case A_SWAP:
	case A_OVER:
	case A_PICK:
	case A_ROT:
		stack_op(m, op);
		break;
	default:
		two_operands(m, op->kind);
	}
}

struct slot machine_run(struct machine *m, const struct access *a)
{
	for (size_t i = 0; i < a->nops; i++)
		machine_step(m, &a->ops[i], i + 1 == a->nops && !a->shape);
	return machine_pop(m);
}

struct ctext machine_words(struct machine *m, const struct access *a)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < a->nwords && i < m->st.n; i++)
		cbuf_printf(&sb, "%s%s", i ? C(", ") : C(""), slot_unsigned(&m->st.v[i]));
	return cbuf_text(&sb);
}
