/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arguments of SDT markers: "SIZE@OPERAND", the operand in the assembler's syntax.
 *
 *   SIZE      bytes; -4 for signed numbers, 8f for floating-point ones; without it 8
 *
 * arch/ parses the operand.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "values.h"
#include "arch/arch.h"

/* One argument on its way. */
struct operand {
	const struct mark *mark;
	const char *p; /* the rest of its text */
	unsigned size;
	bool sign, real, summed; /* summed: there is a first term of its address */
	aop_vec ops;
	const char *why; /* why it cannot be read */
};

static bool no(struct operand *o, const char *why)
{
	o->why = why;
	return false;
}

/* ------------------------------------------------------------------ symbols */

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
static bool add_thread_local(struct operand *o, struct sdt_operand *s, uint64_t addr)
{
	int64_t block;

	if (!module_tls_offset(o->mark->mod, &block))
		return no(o, "is thread-local in a library, which is not supported");
	s->number += (int64_t)addr + block;
	s->symbol = NULL;
	return true;
}

/* Puts the address of the symbol of S into its number. */
static bool find_symbol(struct operand *o, struct sdt_operand *s)
{
	struct symbol_search f = {
		.name = s->symbol, .len = s->symbol_len, .thread = s->symbol_in_thread};

	module_symbols(o->mark->mod, see_symbol, &f);
	if (!f.found)
		return no(o, xprintf("refers to the symbol \"%.*s\", which %s does not have",
				     (int)f.len, f.name, o->mark->mod->path));
	if (f.thread)
		return add_thread_local(o, s, f.addr);
	s->number += (int64_t)f.addr;
	return true;
}

/* ---------------------------------------------------------------- operands */

/* Add the value on top of the stack to the address, unless it is the first term. */
static void add_term(struct operand *o)
{
	if (o->summed)
		push_op(&o->ops, A_ADD, 0);
	o->summed = true;
}

static void push_index(struct operand *o, const struct sdt_operand *s)
{
	push_op(&o->ops, A_REG, s->index);
	if (s->index_size < 8)
		vec_push(&o->ops, ((struct aop){.kind = A_EXT,
						.size = (uint8_t)s->index_size,
						.sign = s->index_signed}));
	push_op(&o->ops, A_CONST, s->scale);
	push_op(&o->ops, A_MUL, 0);
	add_term(o);
}

static bool push_memory(struct operand *o, struct sdt_operand *s)
{
	if (s->symbol && !find_symbol(o, s))
		return false;
	if (s->thread) {
		push_op(&o->ops, A_TLS, 0);
		add_term(o);
	}
	if (s->symbol) {
		push_op(&o->ops, A_ADDR, s->number);
		add_term(o);
	}
	if (s->has_base) {
		push_op(&o->ops, A_REG, s->base);
		add_term(o);
	}
	if (s->has_index)
		push_index(o, s);
	if (!o->summed)
		push_op(&o->ops, A_CONST, s->number);
	else if (!s->symbol)
		push_add(&o->ops, s->number);
	vec_push(&o->ops,
		 ((struct aop){.kind = A_DEREF, .size = (uint8_t)o->size, .sign = o->sign}));
	return true;
}

static void push_operand_register(struct operand *o, const struct sdt_operand *s)
{
	push_op(&o->ops, A_REG, s->reg);
	if (s->shift) {
		push_op(&o->ops, A_CONST, s->shift);
		push_op(&o->ops, A_SHR, 0);
	}
	if (s->size < o->size)
		o->size = s->size;
}

static bool push_operand(struct operand *o)
{
	struct sdt_operand s;
	const char *why = arch_target()->sdt_operand(o->p, &s);

	if (why)
		return no(o, why);
	switch (s.kind) {
	case SDT_CONSTANT:
		push_op(&o->ops, A_CONST, s.number);
		break;
	case SDT_REGISTER:
		push_operand_register(o, &s);
		break;
	case SDT_VECTOR:
		push_op(&o->ops, A_VECTOR, 2 * s.reg);
		break;
	case SDT_MEMORY:
		return push_memory(o, &s);
	}
	return true;
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
		return no(o, "is a floating-point number of a size that is not supported");
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
				       : "it has no arguments");
	if (node->target.ncomps || node->target.addrof)
		return refuse(err, E_BAD_ACCESS, node->loc,
			      xprintf("%s is a number of unknown type", node->target.name),
			      xprintf("cast it to its type: @cast(%s, \"TYPE\")->...",
				      node->target.name));
	o.p = m->args[n - 1];
	if (!parse_operand(&o))
		return refuse(err, E_BAD_ACCESS, node->loc,
			      xprintf("%s %s", node->target.name, o.why),
			      xprintf("its SDT note contains \"%s\"", m->args[n - 1]));
	*out = (struct access){.ops = o.ops.v,
			       .nops = o.ops.n,
			       .ctype = size_name(&o),
			       .is_signed = o.sign,
			       .size = (uint8_t)o.size};
	return true;
}
