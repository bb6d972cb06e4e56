/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Access lists of target variables in C: each is emitted, compiled, and run in port_hosted, whose
 * made-up hit has known registers and memory. Runs in the build directory.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "passes.h"

#define WORK "testrun/emit"

/* DWARF numbers of x86-64 registers */
enum { AX = 0, DX = 1, CX = 2, SI = 4, DI = 5 };

#define REG(n)                        \
	{                             \
		.kind = A_REG, .a = n \
	}
#define CONST(n)                        \
	{                               \
		.kind = A_CONST, .a = n \
	}
#define OP(k)             \
	{                 \
		.kind = k \
	}
#define DEREF(n, s)                                   \
	{                                             \
		.kind = A_DEREF, .size = n, .sign = s \
	}
#define EXT(n, s)                                   \
	{                                           \
		.kind = A_EXT, .size = n, .sign = s \
	}
#define BITS(from, n, s)                                        \
	{                                                       \
		.kind = A_BITS, .a = from, .bits = n, .sign = s \
	}
#define AT(offset) REG(DI), CONST(offset), OP(A_ADD)

static const struct check {
	const char *name;
	struct aop ops[12];
	const char *want;
} checks[] = {
	{"register", {REG(AX), EXT(8, true)}, "-5"},
	{"narrow unsigned", {REG(DX), EXT(1, false)}, "240"},
	{"narrow signed", {REG(DX), EXT(1, true)}, "-16"},
	{"narrow 2", {REG(DX), EXT(2, true)}, "-8464"},
	{"narrow 4", {REG(DX), EXT(4, false)}, "2596069104"},
	{"narrow 4 signed", {REG(DX), EXT(4, true)}, "-1698898192"},
	{"bits", {REG(DX), BITS(4, 8, false)}, "239"},
	{"bits signed", {REG(DX), BITS(4, 8, true)}, "-17"},
	{"int", {REG(DI), DEREF(4, true)}, "-7"},
	{"int unsigned", {REG(DI), DEREF(4, false)}, "4294967289"},
	{"short", {AT(4), DEREF(2, false)}, "65000"},
	{"char", {AT(6), DEREF(1, true)}, "-3"},
	{"unsigned char", {AT(7), DEREF(1, false)}, "200"},
	{"chain",
	 {AT(8), DEREF(8, false), CONST(8), OP(A_ADD), DEREF(8, false), DEREF(4, true)},
	 "-7"},
	{"top bit", {AT(16), DEREF(8, false)}, "-9223372036854775807"},
	{"bit field in memory", {AT(16), DEREF(8, false), BITS(63, 1, true)}, "-1"},
	{"index",
	 {AT(24), {.kind = A_INDEX, .a = 0}, CONST(4), OP(A_MUL), OP(A_ADD), DEREF(4, true)},
	 "-40"},
	{"module address", {{.kind = A_ADDR, .a = 0x20}}, "4128"},
	{"sub", {REG(CX), CONST(5), OP(A_SUB)}, "-2"},
	{"div", {REG(AX), REG(CX), OP(A_DIV)}, "-1"},
	{"mod", {CONST(17), REG(CX), OP(A_MOD)}, "2"},
	{"and or xor",
	 {CONST(12), CONST(10), OP(A_AND), CONST(3), OP(A_OR), CONST(1), OP(A_XOR)},
	 "10"},
	{"shl", {REG(CX), CONST(4), OP(A_SHL)}, "48"},
	{"shr", {REG(AX), CONST(60), OP(A_SHR)}, "15"},
	{"sra", {REG(AX), CONST(1), OP(A_SRA)}, "-3"},
	{"neg", {REG(CX), OP(A_NEG)}, "-3"},
	{"not", {REG(CX), OP(A_NOT)}, "-4"},
	{"signed less", {REG(AX), REG(CX), OP(A_LT)}, "1"},
	{"signed greater", {REG(AX), REG(CX), OP(A_GE)}, "0"},
	{"dup", {REG(CX), OP(A_DUP), OP(A_MUL)}, "9"},
	{"swap", {REG(CX), CONST(10), OP(A_SWAP), OP(A_SUB)}, "7"},
	{"over", {REG(CX), CONST(10), OP(A_OVER), OP(A_SUB), OP(A_ADD)}, "10"},
	{"drop", {REG(CX), CONST(10), OP(A_DROP)}, "3"},
	{"pick",
	 {REG(CX), CONST(1), CONST(2), {.kind = A_PICK, .a = 2}, OP(A_ADD), OP(A_ADD), OP(A_ADD)},
	 "9"},
	{"rot", {CONST(100), CONST(10), CONST(1), OP(A_ROT), OP(A_SUB), OP(A_SUB)}, "-89"},
	{"read of nothing", {REG(SI), DEREF(4, true)}, "caught"},
	{"division by zero", {REG(CX), REG(SI), OP(A_DIV)}, "caught"},
};

static const struct source src = {.name = "t.stp", .text = "$x", .len = 2};
static const struct loc loc = {&src, 0, 2};

static struct node *node(enum node_kind kind, enum type type)
{
	struct node *n = node_new(kind, loc);

	n->type = type;
	return n;
}

static struct node *print(struct node *arg)
{
	struct node *p = node(N_PRINT, T_UNKNOWN), *s = node(N_EXPR, T_UNKNOWN);

	p->print.kind = PR_LN;
	p->print.args = arg;
	s->expr.e = p;
	return s;
}

/* Target variable number I, with the index +3. */
static struct node *target(int i)
{
	struct node *n = node(N_TARGET, T_LONG), *index = node(N_UNARY, T_LONG);

	index->un.op = OP_PLUS;
	index->un.e = node(N_NUM, T_LONG);
	index->un.e->num = 3;
	n->target.name = "$x";
	n->target.access = i;
	n->target.comps = xalloc(sizeof *n->target.comps);
	n->target.comps[0] = (struct target_comp){
		.kind = TC_INDEX, .index = index, .loc = loc, .computed = true};
	n->target.ncomps = 1;
	return n;
}

/* try { println($x) } catch { println("caught") } */
static struct node *statement(int i)
{
	struct node *t = node(N_TRY, T_UNKNOWN), *text = node(N_STR, T_STRING);

	text->str.s = "caught";
	text->str.len = 6;
	t->try_.body = print(target(i));
	t->try_.handler = print(text);
	return t;
}

static struct access access_of(const struct check *c)
{
	struct access a = {.ops = xalloc(sizeof c->ops), .size = 8};

	memcpy(a.ops, c->ops, sizeof c->ops);
	for (a.nops = ARRAY_LEN(c->ops); a.nops; a.nops--)
		if (memcmp(&a.ops[a.nops - 1], &(struct aop){0}, sizeof(struct aop)))
			break;
	return a;
}

static void make_program(struct session *s)
{
	static const struct probe_kind kind = {.pattern = "process(s).function(s)",
					       .has_sites = true};
	struct probe *p = xalloc(sizeof *p);
	struct node **tail;

	s->lim = (struct limits){1000, 10000, 10, 512, 2048, 0, 100, 20, 50, 2, 128, 0, 0};
	p->kind = &kind;
	p->loc = loc;
	p->pp = "p";
	p->body = node(N_BLOCK, T_UNKNOWN);
	tail = &p->body->block.body;
	for (size_t i = 0; i < ARRAY_LEN(checks); i++, tail = &(*tail)->next) {
		vec_push(&p->accesses, access_of(&checks[i]));
		*tail = statement((int)i);
	}
	vec_push(
		&p->sites,
		((struct site){
			.mod = module_get("/bin/sh", loc), .addr = 0x500, .func = "f", .pp = "p"}));
	vec_push(&s->program.probes, p);
}

static bool shell(const char *command) { return system(command) == 0; }

static bool build_and_run(const struct session *s)
{
	FILE *f;

	mkdir("testrun", 0777);
	mkdir(WORK, 0777);
	f = fopen(WORK "/t.c", "w");
	if (!f)
		return false;
	fputs(s->c_text.s, f);
	fclose(f);
	return shell("${CC:-cc} -std=gnu11 -Wall -Wextra -Werror -O2 -ffreestanding -I" INCLUDE
		     " -c -o " WORK "/t.o " WORK "/t.c") &&
	       shell("${CC:-cc} " PORT_LDFLAGS " -o " WORK "/t " WORK "/t.o libport_hosted.a") &&
	       shell("ulimit -t 60; " WORK "/t > " WORK "/out");
}

int main(void)
{
	struct session s = {0};
	bool ok = true;
	char *out, *save = NULL;

	make_program(&s);
	pass_emit(&s);
	if (!build_and_run(&s)) {
		printf("not ok build: the emitted C does not compile or run\n");
		return 1;
	}
	out = read_file(WORK "/out", NULL);
	for (size_t i = 0; i < ARRAY_LEN(checks); i++) {
		const char *got = strtok_r(i ? NULL : out, "\n", &save);

		if (got && !strcmp(got, checks[i].want)) {
			printf("ok %s\n", checks[i].name);
		} else {
			printf("not ok %s: %s, not %s\n", checks[i].name, got ? got : "nothing",
			       checks[i].want);
			ok = false;
		}
	}
	modules_close();
	arena_free_all();
	return !ok;
}
