/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target variables to C.  An access is a program for a stack machine; it is
 * run here on C expressions.  Addresses are unsigned, so that they wrap; each
 * read of the target's memory is a statement, because it can fail.
 *
 * Under locks a read may not wait for a page.  What a handler will read at
 * addresses that depend on nothing but registers and other such reads is
 * therefore touched before it takes its locks.
 */
#include <string.h>

#include "emit.h"

struct slot {
	struct ctext c;
	bool atom, is_signed;
};

/* What is touched before a handler takes its locks. */
struct touches {
	struct emit *e;
	struct smap done;
	int nptrs;
};

/* Cases for who called the function: the names of the return address and of the value, and what was
 * loaded before. */
struct callers {
	struct ctext ret, value;
	size_t loads;
	enum { NO_CASE, LABELS, BODY } state;
};
/* A choice: the name of its value, and what was loaded before.  Where memory is only touched, which
 * never fails, both branches are: the condition, the value of the first. */
struct choice {
	struct ctext value, cond, first;
	size_t loads;
};

struct machine {
	struct emit *e;
	const struct node *n;
	const struct val *index; /* values of the index expressions */
	struct module *base;     /* see struct access */
	bool in_kernel;
	bool indexed;            /* an index was used: its value may change */
	struct touches *touches; /* memory is touched, not read */
	VEC(struct callers) callers;
	VEC(struct choice) choices;
	VEC(struct slot) st;
};

static void push(struct machine *m, struct ctext c, bool atom)
{
	vec_push(&m->st, ((struct slot){.c = c, .atom = atom}));
}

static void push_signed(struct machine *m, struct ctext c, bool atom)
{
	vec_push(&m->st, ((struct slot){.c = c, .atom = atom, .is_signed = true}));
}

static struct slot pop(struct machine *m)
{
	return m->st.n ? m->st.v[--m->st.n] : (struct slot){.c = C("0"), .atom = true};
}

/* A slot as an unsigned operand. */
static struct ctext u(const struct slot *s)
{
	struct ctext c = s->atom ? s->c : ctext("(%s)", s->c);

	return s->is_signed ? ctext("(ust_u64)%s", c) : c;
}

/* The same, 64 bits wide also where it is a number or was narrowed: for what is shifted. */
static struct ctext wide(const struct slot *s)
{
	struct ctext c = u(s);

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

/* Read memory; what was read before at the same address serves again, unless the handler also
 * writes. */
static void load(struct machine *m, const struct aop *op, bool last)
{
	struct slot addr = pop(m);
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
		struct val v = checked_long(m->e, m->n, text);

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
	struct slot v = pop(m);

	if (op->size == 8) {
		push(m, u(&v), true);
		return;
	}
	push(m, ctext("(%s)%s", narrow_type(op->size, op->sign), u(&v)), false);
	m->st.v[m->st.n - 1].is_signed = op->sign;
}

static void bits(struct machine *m, const struct aop *op)
{
	struct slot v = pop(m);
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
	     checked_long(m->e, NULL,
			  ctext("%s(c, (ust_long)%s, (ust_long)%s)", call, u(&a), u(&b)))
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
	struct slot b = pop(m), a = pop(m);
	bool narrow = !ctext_same(wide(&a), u(&a)) && !ctext_same(wide(&b), u(&b));
	struct ctext cast = kind >= A_EQ && kind <= A_GE ? C("(ust_long)") : C("");

	if (kind == A_DIV)
		divide(m, C("ust_div"), a, b);
	else if (kind == A_MOD)
		divide(m, C("ust_mod"), a, b);
	else if (kind == A_SHL || kind == A_SHR || kind == A_SRA)
		push(m,
		     ctext("(ust_u64)(%s%s %s (%s & 63))", kind == A_SRA ? C("(ust_long)") : C(""),
			   wide(&a), text[kind], u(&b)),
		     true);
	else
		push(m,
		     ctext("%s%s %s %s%s", cast, narrow ? wide(&a) : u(&a), text[kind], cast,
			   u(&b)),
		     false);
}

static void one_operand(struct machine *m, enum aop_kind kind)
{
	struct slot a = pop(m);

	push(m, ctext("%s%s", kind == A_NEG ? C("-") : C("~"), u(&a)), false);
}

/* A value that is used twice gets a variable: text that is copied instead doubles each time. */
static void name_slot(struct machine *m, struct slot *s)
{
	struct ctext name;

	if (s->atom)
		return;
	name = m->touches ? ctext("p%d", ++m->touches->nptrs) : ctext("t%d", ++m->e->u.nlongs);
	line(m->e, "ust_u64 %s = %s;", name, u(s));
	*s = (struct slot){.c = name, .atom = true};
}

static void stack_op(struct machine *m, const struct aop *op)
{
	struct slot a, b, d;

	switch (op->kind) {
	case A_DROP:
		pop(m);
		break;
	case A_SWAP:
		a = pop(m), b = pop(m);
		vec_push(&m->st, a);
		vec_push(&m->st, b);
		break;
	case A_ROT: /* the top goes below the two others */
		a = pop(m), b = pop(m), d = pop(m);
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
	struct slot at = pop(m);

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
	push(m, ctext("%s + 0x%llx", pop(m).c, (unsigned long long)addr), false);
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
	struct slot at = pop(m);
	struct callers k = {.value = ctext("t%d", ++m->e->u.nlongs), .loads = m->e->u.loads.n};

	checked(m, ctext("ust_caller(c, %s)", at.c));
	k.ret = pop(m).c;
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
		v = pop(m);
		line(m->e, "\t%s = %s;", k->value, u(&v));
		line(m->e, "\tbreak;");
		line(m->e, "}");
		m->e->u.loads.n = k->loads;
	}
	k->state = LABELS;
}

static void check_caller(struct machine *m, const struct aop *op)
{
	const struct callers *k = &m->callers.v[m->callers.n - 1];
	struct slot v = pop(m);

	line(m->e, "if (ust_unlikely(%s != %s)) {", u(&v), module_address((uint64_t)op->a));
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
	struct slot cond = pop(m);
	struct choice c = {.cond = u(&cond), .loads = m->e->u.loads.n};

	if (!m->touches) {
		c.value = ctext("t%d", ++m->e->u.nlongs);
		line(m->e, "ust_u64 %s;", c.value);
		line(m->e, "if (%s) {", cond.c);
	}
	vec_push(&m->choices, c);
}

/* What is loaded in one branch is not known behind it. */
static void end_branch(struct machine *m, struct choice *c, bool first)
{
	struct slot v = pop(m);

	if (m->touches && first)
		c->first = u(&v);
	else if (m->touches)
		push(m, ctext("(%s ? %s : %s)", c->cond, c->first, u(&v)), true);
	if (m->touches)
		return;
	line(m->e, "\t%s = %s;", c->value, u(&v));
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

/* What needs nothing of the stack. */
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
	struct slot top = pop(m), fraction;

	if (kind == A_WIDEN) {
		push(m, ctext("ust_widen((unsigned int)%s)", u(&top)), true);
		return;
	}
	fraction = pop(m);
	push(m, ctext("ust_extended(%s, %s)", u(&fraction), u(&top)), true);
}

static void step(struct machine *m, const struct aop *op, bool last)
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

static struct slot run(struct machine *m, const struct access *a)
{
	for (size_t i = 0; i < a->nops; i++)
		step(m, &a->ops[i], i + 1 == a->nops && !a->shape);
	return pop(m);
}

/* What the operations have left, as initialisers of an array. */
static struct ctext words(struct machine *m, const struct access *a)
{
	struct cbuf sb = {0};

	for (size_t i = 0; i < a->nwords && i < m->st.n; i++)
		cbuf_printf(&sb, "%s%s", i ? C(", ") : C(""), u(&m->st.v[i]));
	return cbuf_text(&sb);
}

/* -------------------------------------------------------------- values */

/* Values of the index expressions that are not constant, left to right. */
static struct val *index_values(struct emit *e, struct node *n)
{
	struct val *v = xalloc((n->target.ncomps + 1) * sizeof *v);
	size_t k = 0;

	if (n->target.value) {
		v[k] = expr(e, n->target.value);
		for (size_t j = 0; j < n->target.ncomps; j++)
			if (n->target.comps[j].kind == TC_INDEX)
				v[k] = settle(e, v[k], T_LONG, n->target.comps[j].index);
		k++;
	}
	for (size_t i = 0; i < n->target.ncomps; i++) {
		struct node *x = n->target.comps[i].index;

		if (!n->target.comps[i].computed)
			continue;
		v[k] = expr(e, x);
		for (size_t j = i + 1; j < n->target.ncomps; j++)
			if (n->target.comps[j].kind == TC_INDEX)
				v[k] = settle(e, v[k], T_LONG, n->target.comps[j].index);
		k++;
	}
	return v;
}

const struct access *target_access(const struct emit *e, const struct node *n)
{
	return &(e->u.probe ? &e->u.probe->accesses : &e->u.func->accesses)->v[n->target.access];
}

struct ctext emit_target_ops(struct emit *e, struct node *n, size_t nops)
{
	struct machine m = {.e = e, .n = n};
	const struct access *a = target_access(e, n);
	struct slot top;

	m.base = a->base;
	m.in_kernel = a->in_kernel;
	m.index = index_values(e, n);
	for (size_t i = 0; i < nops; i++)
		step(&m, &a->ops[i], false);
	top = pop(&m);
	return u(&top);
}

struct val emit_target(struct emit *e, struct node *n)
{
	struct machine m = {.e = e, .n = n};
	struct val v = {0};
	const struct access *a;
	struct slot top;

	if (n->target.access < 0) {
		diag_error(E_UNSUPPORTED, n->loc, "\"%s\" cannot be read here", n->target.name);
		return val_text(C("0"), true);
	}
	a = target_access(e, n);
	m.base = a->base;
	m.in_kernel = a->in_kernel;
	m.index = index_values(e, n);
	top = run(&m, a);
	if (a->nwords) {
		vec_push(&m.st, top);
		return emit_pretty(e, n, a, words(&m, a));
	}
	if (a->shape)
		return emit_pretty(e, n, a, u(&top));
	for (size_t i = 0; i < a->nops; i++)
		if (a->ops[i].kind == A_INDEX)
			reads_add(&v, &m.index[a->ops[i].a]);
	if (top.is_signed) {
		v.c = top.c;
		v.atom = top.atom;
	} else {
		v.c = ctext("(ust_long)%s", top.atom ? top.c : ctext("(%s)", top.c));
	}
	/* it may be about to change */
	return e->u.writes_target ? spill(e, v, T_LONG) : v;
}

static bool op_can_fail(const struct aop *op)
{
	switch (op->kind) {
	case A_TLS:
	case A_TLS_MODULE:
	case A_TLS_DESC:
	case A_CALLERS:
	case A_DEREF:
	case A_DIV:
	case A_MOD:
		return true;
	default:
		return false;
	}
}

bool target_can_fail(const struct access *a)
{
	if (a->shape || a->base)
		return true;
	for (size_t i = 0; i < a->nops; i++)
		if (op_can_fail(&a->ops[i]))
			return true;
	return false;
}

/* ------------------------------------------------------------- touches */

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
		step(&m, &a->ops[i], false);
	top = pop(&m);
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
		step(&m, &a->ops[i], i + 1 == last);
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
