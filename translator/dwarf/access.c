/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Comparison and printing of accesses: sites with equal ones share a handler, dumps show them. */
#include <string.h>

#include "arch/arch.h"
#include "access.h"

static void ops_dump(struct strbuf *out, const struct aop *ops, size_t n);

static void names_dump(struct strbuf *out, const struct shape *s)
{
	for (size_t i = 0; i < s->names.n; i++)
		sb_printf(out, "%s%s=%lld", i ? "," : "", s->names.v[i].name,
			  (long long)s->names.v[i].value);
}

static void members_dump(struct strbuf *out, const struct shape *s)
{
	for (size_t i = 0; i < s->members.n; i++) {
		const struct shape_member *mb = &s->members.v[i];

		sb_printf(out, "%s%s@%llu", i ? "," : "", mb->name ? mb->name : "",
			  (unsigned long long)mb->bit_off);
		if (mb->bits)
			sb_printf(out, "/%u", mb->bits);
		sb_add(out, ":");
		shape_dump(out, mb->shape);
	}
}

/* text(first: index 0, deref u64; count: ...) */
static void summary_dump(struct strbuf *out, const struct shape *s)
{
	static const char *const kinds[] = {"text",    "bare text", "items",   "list",
					    "tree",    "buckets",   "btree",   "optional",
					    "variant", "value",     "address", "dynamic"};
	static const char *const parts[PARTS] = {"first",   "count",  "right",  "left", "parent",
						 "present", "length", "height", "key",  "value"};

	sb_printf(out, "%s%d%s(", kinds[s->kind - SHAPE_TEXT], s->size, s->cut ? " cut" : "");
	for (int i = 0; i < PARTS; i++) {
		if (!s->parts[i].n)
			continue;
		sb_printf(out, "%s:", parts[i]);
		ops_dump(out, s->parts[i].v, s->parts[i].n);
		sb_add(out, "; ");
	}
	if (s->labels[0])
		sb_printf(out, "%s|%s ", s->labels[0], s->labels[1]);
	names_dump(out, s);
	members_dump(out, s);
	if (s->key)
		shape_dump(out, s->key);
	if (s->key)
		sb_add(out, "=>");
	if (s->elem)
		shape_dump(out, s->elem);
	sb_add(out, ")");
}

/* "{a@0:s32,b@32/3:u8}", "[4:s32]", "[4]" where parts are not shown */
void shape_dump(struct strbuf *out, const struct shape *s)
{
	static const char *const scalar[] = {
		[SHAPE_UNKNOWN] = "?", [SHAPE_POINTER] = "ptr", [SHAPE_WORD] = "word"};

	switch (s->kind) {
	case SHAPE_NUMBER:
		sb_printf(out, "%c%d", s->is_signed ? 's' : 'u', s->size * 8);
		break;
	case SHAPE_FLOAT:
		sb_printf(out, "f%d", s->size * 8);
		break;
	case SHAPE_ENUM:
		sb_printf(out, "%c%d<", s->is_signed ? 's' : 'u', s->size * 8);
		names_dump(out, s);
		sb_add(out, ">");
		break;
	case SHAPE_CHARS:
		sb_printf(out, "chars%s %lld", s->size ? xprintf("%d", s->size * 8) : "",
			  (long long)s->count);
		break;
	case SHAPE_CHAR:
	case SHAPE_STRING: {
		int64_t unit = s->kind == SHAPE_CHAR ? s->size : s->count;

		sb_printf(out, "%s", s->kind == SHAPE_CHAR ? "char" : "string");
		if (unit > 1)
			sb_printf(out, "%d", (int)unit * 8);
		break;
	}
	case SHAPE_ARRAY:
		sb_printf(out, "[%lld", (long long)s->count);
		sb_add(out, s->elem ? ":" : "");
		if (s->elem)
			shape_dump(out, s->elem);
		sb_add(out, "]");
		break;
	case SHAPE_STRUCT:
		sb_add(out, s->cut ? "{...}" : "{");
		members_dump(out, s);
		sb_add(out, s->cut ? "" : "}");
		break;
	default:
		if (s->kind >= SHAPE_TEXT)
			summary_dump(out, s);
		else
			sb_add(out, scalar[s->kind]);
	}
}

bool access_register(int reg, struct access *out)
{
	*out = (struct access){.nops = 1, .ctype = "unsigned long", .size = 8};
	out->ops = xalloc(sizeof *out->ops);
	out->ops[0] = (struct aop){.kind = A_REG, .a = reg};
	return true;
}

bool is_load_size(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

static bool is_writable_reg(const struct aop *op)
{
	const struct arch *arch = arch_target();

	return op->kind == A_REG && op->a != arch->sp_reg && op->a != arch->pc_reg &&
	       arch->call_regs >> (op->a & 63) & 1;
}

bool access_writable(const struct access *a)
{
	size_t n = a->nops;

	if (!n || a->is_address || a->shape || !a->size)
		return false;
	if (a->ops[n - 1].kind == A_DEREF ||
	    (a->ops[n - 1].kind == A_BITS && n > 1 && a->ops[n - 2].kind == A_DEREF))
		return true;
	if (n > 1 && a->ops[n - 1].kind != A_EXT && a->ops[n - 1].kind != A_BITS)
		return false;
	return n <= 2 && is_writable_reg(&a->ops[0]);
}

static bool shape_equal(const struct shape *a, const struct shape *b)
{
	struct strbuf x = {0}, y = {0};

	if (!a || !b)
		return a == b;
	shape_dump(&x, a);
	shape_dump(&y, b);
	return !strcmp(x.s, y.s);
}

static bool op_equal(const struct aop *x, const struct aop *y)
{
	return x->kind == y->kind && x->a == y->a && x->size == y->size && x->bits == y->bits &&
	       x->sign == y->sign;
}

bool access_equal(const struct access *a, const struct access *b)
{
	if (strcmp(ctype_key(a->points_to), ctype_key(b->points_to)) != 0 || a->base != b->base)
		return false;
	if (a->nops != b->nops || a->nwords != b->nwords || a->is_address != b->is_address ||
	    a->in_kernel != b->in_kernel || a->is_pointer != b->is_pointer ||
	    a->is_signed != b->is_signed || a->size != b->size || strcmp(a->ctype, b->ctype) != 0 ||
	    !shape_equal(a->shape, b->shape))
		return false;
	for (size_t i = 0; i < a->nops; i++)
		if (!op_equal(&a->ops[i], &b->ops[i]))
			return false;
	return true;
}

/* clang-format off: operations of one kind a line */
static const char *const op_name[] = {
	[A_VECTOR] = "vector",
	[A_REG] = "reg",
	[A_CONST] = "const",
	[A_ADDR] = "addr",
	[A_INDEX] = "index",
	[A_TLS] = "thread",
	[A_CALLERS] = "callers",
	[A_CALLER] = "caller",
	[A_CHECK] = "check",
	[A_LOST] = "lost",
	[A_CALLERS_END] = "end",
	[A_TLS_MODULE] = "thread block",
	[A_TLS_DESC] = "thread descriptor",
	[A_ADD] = "add",
	[A_SUB] = "sub",
	[A_MUL] = "mul",
	[A_DIV] = "div",
	[A_MOD] = "mod",
	[A_AND] = "and",
	[A_OR] = "or",
	[A_XOR] = "xor",
	[A_SHL] = "shl",
	[A_SHR] = "shr",
	[A_SRA] = "sra",
	[A_NEG] = "neg",
	[A_NOT] = "not",
	[A_EQ] = "eq",
	[A_NE] = "ne",
	[A_LT] = "lt",
	[A_LE] = "le",
	[A_GT] = "gt",
	[A_GE] = "ge",
	[A_DUP] = "dup",
	[A_DROP] = "drop",
	[A_SWAP] = "swap",
	[A_OVER] = "over",
	[A_PICK] = "pick",
	[A_ROT] = "rot",
	[A_DEREF] = "deref",
	[A_EXT] = "ext",
	[A_BITS] = "bits",
	[A_WIDEN] = "widen",
	[A_EXTENDED] = "extended",
	[A_IF] = "if",
	[A_ELSE] = "else",
	[A_END_IF] = "end if",
};
/* clang-format on */

static void op_dump(struct strbuf *out, const struct aop *op)
{
	char sign = op->sign ? 's' : 'u';
	sb_add(out, op_name[op->kind]);
	switch (op->kind) {
	case A_REG:
	case A_VECTOR:
	case A_INDEX:
	case A_PICK:
	case A_CONST:
	case A_IF:
	case A_ELSE:
		sb_printf(out, " %lld", (long long)op->a);
		break;
	case A_ADDR:
	case A_CALLER:
	case A_CHECK:
		sb_printf(out, " 0x%llx", (unsigned long long)op->a);
		break;
	case A_DEREF:
	case A_EXT:
		sb_printf(out, " %c%d", sign, op->size * 8);
		break;
	case A_BITS:
		sb_printf(out, " %c%d@%lld", sign, op->bits, (long long)op->a);
		break;
	default:
		break;
	}
}

static void ops_dump(struct strbuf *out, const struct aop *ops, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		sb_add(out, i ? ", " : " ");
		op_dump(out, &ops[i]);
	}
}

/* "(int) reg 5, ext s32"; "&(struct x) ..." where the value is an address. */
void access_dump(struct strbuf *out, const struct access *a)
{
	sb_printf(out, "%s(%s)", a->is_address ? "&" : "", a->ctype);
	ops_dump(out, a->ops, a->nops);
	if (a->nwords)
		sb_printf(out, ", %u words", a->nwords);
	if (a->shape) {
		sb_add(out, " as ");
		shape_dump(out, a->shape);
	}
}

void access_key(struct strbuf *key, const struct access *a)
{
	access_dump(key, a);
	sb_add(key, ctype_key(a->points_to));
}
