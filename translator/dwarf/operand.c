/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of statically defined probe points: "SIZE@OPERAND", the operand as the assembler would
 * take it.
 *
 *   SIZE      bytes; -4 for signed numbers, 8f for floating-point ones; without it 8
 *   OPERAND   %reg   $number   DISP(%base,%index,scale)   with parts left out
 *   DISP      sum of numbers and of symbols; SYMBOL(%rip) is at the symbol
 *   %fs:...   counts from the thread pointer; SYMBOL@tpoff is a variable's offset from it
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"

/* One argument on its way. */
struct operand {
	const struct mark *mark;
	const char *p; /* what is left of its text */
	unsigned size;
	bool sign, real, summed; /* summed: there is a first term of its address */
	bool thread;             /* the address counts from the thread pointer */
	aop_vec ops;
	const char *why; /* why it cannot be read */
};

static bool no(struct operand *o, const char *why)
{
	o->why = why;
	return false;
}

/* --------------------------------------------------------------- registers */

struct reg {
	int number;
	unsigned size, shift;
};

/* The names of the first eight DWARF registers (System V ABI for AMD64, figure 3.36), without what
 * their size adds. */
static const char *const legacy[] = {"ax", "dx", "cx", "bx", "si", "di", "bp", "sp"};

/* "ax", "eax", "rax", "al", "ah", "sil" */
static bool legacy_register(const char *name, size_t n, struct reg *r)
{
	for (int i = 0; i < (int)ARRAY_LEN(legacy); i++) {
		const char *l = legacy[i];

		*r = (struct reg){.number = i};
		if (n == 3 && !strncmp(name + 1, l, 2) && (*name == 'r' || *name == 'e'))
			r->size = *name == 'r' ? 8 : 4;
		else if (n == 3 && !strncmp(name, l, 2) && name[2] == 'l' && i >= 4)
			r->size = 1;
		else if (n == 2 && !strncmp(name, l, 2))
			r->size = 2;
		else if (n == 2 && i < 4 && *name == *l && (name[1] == 'l' || name[1] == 'h')) {
			r->size = 1;
			r->shift = name[1] == 'h' ? 8 : 0;
		}
		if (r->size)
			return true;
	}
	return false;
}

/* "r8", "r15d" */
static bool numbered_register(const char *name, size_t n, struct reg *r)
{
	char *end;

	if (n < 2 || n > 4 || *name != 'r' || !isdigit((unsigned char)name[1]))
		return false;
	*r = (struct reg){.number = (int)strtol(name + 1, &end, 10), .size = 8};
	if (r->number < 8 || r->number > 15 || end > name + n || end + 1 < name + n)
		return false;
	if (end < name + n)
		r->size = *end == 'd' ? 4 : *end == 'w' ? 2 : *end == 'b' || *end == 'l' ? 1 : 0;
	return r->size;
}

/* Takes "%reg". */
static bool take_register(struct operand *o, struct reg *r)
{
	size_t n;

	if (*o->p++ != '%')
		return false;
	n = strspn(o->p, "abcdefghijklmnopqrstuvwxyz0123456789");
	if (!legacy_register(o->p, n, r) && !numbered_register(o->p, n, r))
		return false;
	o->p += n;
	return true;
}

/* ------------------------------------------------------------ displacements */

struct disp {
	int64_t number;
	uint64_t symbol;
	bool has_symbol;
};

struct symbol_search {
	const char *name;
	size_t len;
	uint64_t addr;
	bool found, thread;
};

static bool see_symbol(const struct elf_symbol *s, void *arg)
{
	struct symbol_search *f = arg;

	if ((s->type == STT_TLS) != f->thread || s->bare != f->len ||
	    memcmp(s->name, f->name, f->len))
		return true;
	f->addr = s->value;
	f->found = true;
	return false;
}

/* A thread-local variable of the program, at ADDR in its initial image. */
static bool take_thread_local(struct operand *o, struct disp *d, uint64_t addr)
{
	int64_t size;

	if (!module_tls_offset(o->mark->mod, &size))
		return no(o, "is thread-local in a library, which is not supported");
	d->number += (int64_t)addr + size;
	return true;
}

static bool take_symbol(struct operand *o, struct disp *d)
{
	struct symbol_search f = {.name = o->p, .len = strcspn(o->p, "+-(@ ")};

	f.thread = o->thread && !strncmp(o->p + f.len, "@tpoff", 6);
	if (d->has_symbol || !f.len || (o->p[f.len] == '@' && !f.thread))
		return no(o, "is given by a form of address that is not supported");
	module_symbols(o->mark->mod, see_symbol, &f);
	if (!f.found)
		return no(o, xprintf("is given by the symbol \"%.*s\", which %s does not have",
				     (int)f.len, f.name, o->mark->mod->path));
	o->p += f.len + (f.thread ? 6 : 0);
	if (f.thread)
		return take_thread_local(o, d, f.addr);
	d->symbol = f.addr;
	d->has_symbol = true;
	return true;
}

/* Terms up to the parenthesis. */
static bool take_disp(struct operand *o, struct disp *d)
{
	*d = (struct disp){0};
	while (*o->p && *o->p != '(') {
		bool minus = *o->p == '-';

		o->p += *o->p == '-' || *o->p == '+';
		if (isdigit((unsigned char)*o->p)) {
			char *end;
			uint64_t n = strtoull(o->p, &end, 0);

			d->number = (int64_t)((uint64_t)d->number + (minus ? -n : n));
			o->p = end;
		} else if (minus || !take_symbol(o, d)) {
			return o->why ? false : no(o, "is not understood");
		}
	}
	return true;
}

/* ---------------------------------------------------------------- operands */

/* "%xmm7": its lower half, or a part of it */
static bool push_vector(struct operand *o)
{
	char *end;
	long n = strtol(o->p + 4, &end, 10);

	if (end == o->p + 4 || n < 0 || n > 15)
		return no(o, "is in a register that is not known");
	o->p = end;
	push_op(&o->ops, A_VECTOR, 2 * n);
	return true;
}

static bool push_operand_register(struct operand *o)
{
	struct reg r;

	if (!strncmp(o->p, "%xmm", 4))
		return push_vector(o);
	if (!take_register(o, &r))
		return no(o, "is in a register that is not known");
	push_op(&o->ops, A_REG, r.number);
	if (r.shift) {
		push_op(&o->ops, A_CONST, r.shift);
		push_op(&o->ops, A_SHR, 0);
	}
	if (r.size < o->size)
		o->size = r.size;
	return true;
}

/* What was pushed last is one more term of the address. */
static void add_term(struct operand *o)
{
	if (o->summed)
		push_op(&o->ops, A_ADD, 0);
	o->summed = true;
}

/* "%base,%index,scale)", each may be left out */
static bool push_base(struct operand *o)
{
	struct reg r;
	long scale = 1;
	char *end;

	if (*o->p == '%') {
		if (!take_register(o, &r) || r.size != 8)
			return no(o, "has a base register that is not known");
		push_op(&o->ops, A_REG, r.number);
		add_term(o);
	}
	if (*o->p == ',') {
		o->p++;
		if (!take_register(o, &r) || r.size != 8)
			return no(o, "has an index register that is not known");
		if (*o->p == ',') {
			scale = strtol(o->p + 1, &end, 10);
			o->p = end;
		}
		push_op(&o->ops, A_REG, r.number);
		push_op(&o->ops, A_CONST, scale);
		push_op(&o->ops, A_MUL, 0);
		add_term(o);
	}
	return *o->p++ == ')' || no(o, "is not understood");
}

static bool push_memory(struct operand *o)
{
	struct disp d;

	if (!take_disp(o, &d))
		return false;
	if (!strncmp(o->p, "(%rip)", 6)) {
		if (!d.has_symbol)
			return no(o, "is given relative to the instruction's address, which is not "
				     "supported");
		o->p += 6;
	}
	if (o->thread) {
		push_op(&o->ops, A_TLS, 0);
		add_term(o);
	}
	if (d.has_symbol) {
		push_op(&o->ops, A_ADDR, d.number + (int64_t)d.symbol);
		add_term(o);
	}
	if (*o->p == '(') {
		o->p++;
		if (!push_base(o))
			return false;
	}
	if (!o->summed)
		push_op(&o->ops, A_CONST, d.number);
	else if (!d.has_symbol)
		push_add(&o->ops, d.number);
	vec_push(&o->ops,
		 ((struct aop){.kind = A_DEREF, .size = (uint8_t)o->size, .sign = o->sign}));
	return true;
}

static bool push_operand(struct operand *o)
{
	bool in_register;
	char *end;

	o->thread = !strncmp(o->p, "%fs:", 4);
	o->p += o->thread ? 4 : 0;
	in_register = *o->p == '%' && !o->thread;

	if (*o->p == '$') {
		int64_t n = (int64_t)strtoull(o->p + 1, &end, 0);

		if (end == o->p + 1)
			return no(o, "is not understood");
		o->p = end;
		push_op(&o->ops, A_CONST, n);
	} else if (strchr(o->p, ':')) {
		return no(o, "is in a segment of memory that is not supported");
	} else if (in_register ? !push_operand_register(o) : !push_memory(o)) {
		return false;
	}
	return !*o->p || no(o, "is not understood");
}

/* "-4f@" */
static void take_size(struct operand *o)
{
	const char *at = strchr(o->p, '@');
	char *end;
	long n = at ? strtol(o->p, &end, 10) : 0;

	o->size = 8;
	o->sign = true;
	if (!at || end == o->p || (end != at && (*end != 'f' || end + 1 != at)))
		return; /* the @ is part of the operand */
	o->sign = n < 0;
	o->real = *end == 'f';
	o->size = (unsigned)(n < 0 ? -n : n);
	o->p = at + 1;
}

static const char *size_name(const struct operand *o)
{
	static const char *const names[2][4] = {
		{"unsigned char", "unsigned short", "unsigned int", "unsigned long"},
		{"char", "short", "int", "long"},
	};

	if (o->real)
		return o->size == 4 ? "float" : "double";
	return names[o->sign][o->size == 1 ? 0 : o->size == 2 ? 1 : o->size == 4 ? 2 : 3];
}

static bool parse_operand(struct operand *o)
{
	take_size(o);
	if (!is_load_size(o->size))
		return no(o, xprintf("has %u bytes, which is not the size of a number", o->size));
	if (!push_operand(o))
		return false;
	if (o->real && o->size < 4)
		return no(o, "is a floating-point number of a kind that is not supported");
	if (o->size < 8 && o->ops.v[o->ops.n - 1].kind != A_DEREF)
		vec_push(&o->ops, ((struct aop){.kind = A_EXT,
						.size = (uint8_t)o->size,
						.sign = o->sign && !o->real}));
	if (o->real && o->size == 4)
		push_op(&o->ops, A_WIDEN, 0);
	return true;
}

unsigned mark_argument(const char *name)
{
	const char *p = name + (*name == '$');
	char *end;
	unsigned long n;

	if (strncmp(p, "arg", 3) || !isdigit((unsigned char)p[3]) || p[3] == '0')
		return 0;
	n = strtoul(p + 3, &end, 10);
	return *end || n > 1000 ? 0 : (unsigned)n;
}

static bool refuse(struct var_error *err, enum errtag tag, struct loc loc, const char *msg,
		   const char *hint)
{
	*err = (struct var_error){tag, loc, msg, hint, NULL};
	return false;
}

bool mark_access(const struct mark *m, const struct node *node, struct access *out,
		 struct var_error *err)
{
	unsigned n = mark_argument(node->target.name);
	struct operand o = {.mark = m};

	if (n > m->nargs)
		return refuse(err, E_NO_VARIABLE, node->loc,
			      xprintf("mark \"%s\" has no argument %s", m->name, node->target.name),
			      m->nargs ? xprintf("it has %u, $arg1 to $arg%u", m->nargs, m->nargs)
				       : "it has none");
	if (node->target.ncomps || node->target.addrof)
		return refuse(err, E_BAD_ACCESS, node->loc,
			      xprintf("%s is a number, its type is not known", node->target.name),
			      xprintf("say what it points to: @cast(%s, \"TYPE\")->...",
				      node->target.name));
	o.p = m->args[n - 1];
	if (!parse_operand(&o))
		return refuse(err, E_BAD_ACCESS, node->loc,
			      xprintf("%s %s", node->target.name, o.why),
			      xprintf("its note says \"%s\"", m->args[n - 1]));
	*out = (struct access){.ops = o.ops.v,
			       .nops = o.ops.n,
			       .ctype = size_name(&o),
			       .is_signed = o.sign,
			       .size = (uint8_t)o.size};
	return true;
}
