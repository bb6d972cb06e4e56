/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Target variables in real processes: programs/vars.c is built in many ways and stopped at its
 * functions, and each access list is evaluated on the registers and memory of the stopped process.
 * The expected values are written in the program, not taken from any debugger.
 */
#define _GNU_SOURCE
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/uio.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/subprocess.h"
#include "dwarf/variables.h"

static int failed;
static char dir[] = "/tmp/ustap-dwarf-XXXXXX";
static const struct loc nowhere;

static void check(bool ok, const char *name, const char *why)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failed += !ok;
}

/* --------------------------------------------------- a process to be looked at */

struct target {
	pid_t pid;
	uint64_t base; /* load bias of its module */
	struct user_regs_struct regs;
	struct user_fpregs_struct fpregs;
};

static void insert_break(struct target *t, uint64_t addr, long *saved)
{
	errno = 0;
	*saved = ptrace(PTRACE_PEEKTEXT, t->pid, addr, 0);
	ptrace(PTRACE_POKETEXT, t->pid, addr, (*saved & ~0xffL) | 0xcc);
}

/* Run to run-time address ADDR; false if the process ends before. */
static bool run_to(struct target *t, uint64_t addr)
{
	long saved;
	int status;
	insert_break(t, addr, &saved);
	ptrace(PTRACE_CONT, t->pid, 0, 0);
	if (waitpid(t->pid, &status, 0) < 0 || !WIFSTOPPED(status) || WSTOPSIG(status) != SIGTRAP)
		return false;
	ptrace(PTRACE_POKETEXT, t->pid, addr, saved);
	ptrace(PTRACE_GETREGS, t->pid, 0, &t->regs);
	ptrace(PTRACE_GETFPREGS, t->pid, 0, &t->fpregs);
	t->regs.rip = addr;
	ptrace(PTRACE_SETREGS, t->pid, 0, &t->regs);
	return true;
}

/* Load bias of PATH: its first mapping, minus its lowest virtual address (0 unless PIE). */
static uint64_t load_base(pid_t pid, const char *path, bool pie)
{
	char line[512];
	uint64_t base = 0;
	FILE *f = fopen(xprintf("/proc/%d/maps", (int)pid), "r");
	while (pie && f && !base && fgets(line, sizeof line, f))
		if (strstr(line, path))
			base = strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return base;
}

static bool start(struct target *t, const char *path, bool pie)
{
	int status;
	fflush(NULL);
	t->pid = fork();
	if (t->pid == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		execl(path, path, (char *)NULL);
		_exit(127);
	}
	if (waitpid(t->pid, &status, 0) < 0 || !WIFSTOPPED(status))
		return false;
	t->base = load_base(t->pid, path, pie);
	return true;
}

static void stop(struct target *t)
{
	if (t->pid <= 0) /* not started, or already stopped */
		return;
	kill(t->pid, SIGKILL);
	waitpid(t->pid, NULL, 0);
	t->pid = 0;
}

/* ----------------------------------------------- the meaning of an access list */

static uint64_t reg_value(const struct user_regs_struct *r, int64_t n)
{
	const unsigned long long v[] = {r->rax, r->rdx, r->rcx, r->rbx, r->rsi, r->rdi,
					r->rbp, r->rsp, r->r8,  r->r9,  r->r10, r->r11,
					r->r12, r->r13, r->r14, r->r15, r->rip};
	return v[n];
}

static int64_t cut(uint64_t v, unsigned bits, bool sign)
{
	if (bits >= 64)
		return (int64_t)v;
	v &= (1ull << bits) - 1;
	if (sign && v >> (bits - 1))
		v |= ~0ull << bits;
	return (int64_t)v;
}

static bool peek(const struct target *t, uint64_t addr, void *out, size_t n)
{
	struct iovec l = {out, n}, r = {(void *)(uintptr_t)addr, n};
	return process_vm_readv(t->pid, &l, 1, &r, 1, 0) == (ssize_t)n;
}

static int64_t binary(enum aop_kind k, int64_t a, int64_t b)
{
	switch (k) {
	case A_ADD:
		return (int64_t)((uint64_t)a + (uint64_t)b);
	case A_SUB:
		return (int64_t)((uint64_t)a - (uint64_t)b);
	case A_MUL:
		return (int64_t)((uint64_t)a * (uint64_t)b);
	case A_DIV:
		return b ? a / b : 0;
	case A_MOD:
		return b ? (int64_t)((uint64_t)a % (uint64_t)b) : 0;
	case A_AND:
		return a & b;
	case A_OR:
		return a | b;
	case A_XOR:
		return a ^ b;
	case A_SHL:
		return (int64_t)((uint64_t)a << b);
	case A_SHR:
		return (int64_t)((uint64_t)a >> b);
	case A_SRA:
		return a >> b;
	case A_EQ:
		return a == b;
	case A_NE:
		return a != b;
	case A_LT:
		return a < b;
	case A_LE:
		return a <= b;
	case A_GT:
		return a > b;
	case A_GE:
		return a >= b;
	default:
		abort();
	}
}

struct machine {
	int64_t st[64];
	int n;
}; /* st[0] is unused */

/* Execute operations that only move the stack; false if OP is another one. */
static bool shuffle(struct machine *m, const struct aop *op)
{
	int64_t *top = m->st + m->n - 1, x;
	switch (op->kind) {
	case A_DUP:
		m->st[m->n++] = *top;
		return true;
	case A_DROP:
		m->n--;
		return true;
	case A_OVER:
		m->st[m->n++] = top[-1];
		return true;
	case A_PICK:
		m->st[m->n++] = top[-op->a];
		return true;
	case A_SWAP:
		x = top[0];
		top[0] = top[-1];
		top[-1] = x;
		return true;
	case A_ROT:
		x = top[0];
		top[0] = top[-1];
		top[-1] = top[-2];
		top[-2] = x;
		return true;
	default:
		return false;
	}
}

static void widen(int64_t *top)
{
	float f;
	double d;

	memcpy(&f, top, 4);
	d = (double)f;
	memcpy(top, &d, 8);
}

static void extended_to_double(int64_t *low)
{
	long double f = 0;
	double d;

	memcpy(&f, low, 10);
	d = (double)f;
	memcpy(low, &d, 8);
}

/* Operations that push a value; false: OP is another. */
static bool run_source(struct machine *m, const struct target *t, const struct aop *op,
		       const int64_t *index)
{
	int64_t v = op->a;

	switch (op->kind) {
	case A_REG:
		v = (int64_t)reg_value(&t->regs, op->a);
		break;
	case A_VECTOR:
		memcpy(&v, (char *)t->fpregs.xmm_space + 8 * op->a, 8);
		break;
	case A_CONST:
		break;
	case A_ADDR:
		v += (int64_t)t->base;
		break;
	case A_TLS:
		v = (int64_t)t->regs.fs_base;
		break;
	case A_INDEX:
		v = index[op->a];
		break;
	default:
		return false;
	}
	m->st[m->n++] = v;
	return true;
}

static bool run_op(struct machine *m, const struct target *t, const struct aop *op,
		   const int64_t *index)
{
	int64_t *top = m->st + m->n - 1;
	uint64_t v = 0;

	if (run_source(m, t, op, index))
		return true;
	switch (op->kind) {
	case A_WIDEN:
		widen(top);
		return true;
	case A_EXTENDED:
		m->n--;
		extended_to_double(top - 1);
		return true;
	case A_NEG:
		*top = -*top;
		return true;
	case A_NOT:
		*top = ~*top;
		return true;
	case A_EXT:
		*top = cut((uint64_t)*top, op->size * 8u, op->sign);
		return true;
	case A_BITS:
		*top = cut((uint64_t)*top >> op->a, op->bits, op->sign);
		return true;
	case A_DEREF:
		if (!peek(t, (uint64_t)*top, &v, op->size))
			return false;
		*top = cut(v, op->size * 8u, op->sign);
		return true;
	default:
		break;
	}
	if (shuffle(m, op))
		return true;
	m->n--;
	top[-1] = binary(op->kind, top[-1], top[0]);
	return true;
}

/* From the cases after I, skip to the one for the return address on the stack or, if no case
 * matches, to their end. */
static size_t find_case(struct machine *m, const struct target *t, const struct access *a, size_t i)
{
	uint64_t ret;
	int depth = 0;
	if (!peek(t, (uint64_t)m->st[--m->n], &ret, 8))
		return a->nops;
	for (i++; depth || a->ops[i].kind != A_CALLERS_END; i++) {
		depth += (a->ops[i].kind == A_CALLERS) - (a->ops[i].kind == A_CALLERS_END);
		if (!depth && a->ops[i].kind == A_CALLER && a->ops[i].a + t->base == ret)
			break;
	}
	while (a->ops[i].kind == A_CALLER)
		i++;
	return a->ops[i].kind == A_CALLERS_END ? a->nops : i;
}

/* The index after the cases that contain I. */
static size_t leave_cases(const struct access *a, size_t i)
{
	for (int depth = 1; depth; i++)
		depth += (a->ops[i].kind == A_CALLERS) - (a->ops[i].kind == A_CALLERS_END);
	return i;
}

static bool run(const struct target *t, const struct access *a, const int64_t *index, int64_t *out)
{
	struct machine m = {.n = 1};
	for (size_t i = 0; i < a->nops;) {
		enum aop_kind kind = a->ops[i].kind;
		if (kind == A_CALLERS)
			i = find_case(&m, t, a, i);
		else if (kind == A_CALLER)
			i = leave_cases(a, i);
		else if (kind == A_LOST ||
			 (kind != A_CALLERS_END && !run_op(&m, t, &a->ops[i], index)))
			return false;
		else
			i++;
	}
	*out = m.st[1];
	return m.n == 2;
}

/* ------------------------------------------------------- "$x->y[1][#2]" -> node */

static struct target_comp component(const char **p, int64_t *index, int *nindex)
{
	struct target_comp c = {0};
	const char *s = *p;
	if (*s == '-') {
		size_t n = strcspn(s += 2, "-[");
		c.name = xstrndup(s, n);
		*p = s + n;
		return c;
	}
	c.kind = TC_INDEX;
	c.index = xalloc(sizeof *c.index);
	c.index->kind = s[1] == '#' ? N_VAR : N_NUM;
	c.index->num = strtoll(s + 1 + (s[1] == '#'), NULL, 0);
	if (s[1] == '#') {
		index[(*nindex)++] = c.index->num;
		c.index->var.name = "k";
	}
	*p = strchr(s, ']') + 1;
	return c;
}

static struct node *parse(const char *s, int64_t *index)
{
	struct node *n = xalloc(sizeof *n);
	VEC(struct target_comp) comps = {0};
	int nindex = 0;
	n->kind = N_TARGET;
	n->target.addrof = *s == '&';
	s += *s == '&';
	size_t len = strcspn(s, "-[");
	n->target.name = xstrndup(s, len);
	for (s += len; *s;)
		vec_push(&comps, component(&s, index, &nindex));
	n->target.comps = comps.v;
	n->target.ncomps = comps.n;
	return n;
}

/* ---------------------------------------------------------------- what is true */

struct expect {
	const char *func;
	const char *at; /* NULL: the function's entry or body; a label; "return" */
	const char *expr;
	long long value;
	const char *text; /* the value is the address of this string */
	int error;        /* tag of the expected error, or 0 */
	bool may_be_lost; /* may be missing from optimised code */
};
#define V(f, e, v)                                         \
	{                                                  \
		f, NULL, e, (long long)(v), NULL, 0, false \
	}
#define T(f, e, t)                         \
	{                                  \
		f, NULL, e, 0, t, 0, false \
	}
#define R(f, e, v)                                             \
	{                                                      \
		f, "return", e, (long long)(v), NULL, 0, false \
	}
#define L(l, e, v)                                            \
	{                                                     \
		"locals", l, e, (long long)(v), NULL, 0, true \
	}
#define E(f, at, e, tag)                      \
	{                                     \
		f, at, e, 0, NULL, tag, false \
	}

static const struct expect expects[] = {
	V("scalars", "$sc", -128),
	V("scalars", "$uc", 200),
	V("scalars", "$s", -30000),
	V("scalars", "$us", 60000),
	V("scalars", "$i", -2000000000),
	V("scalars", "$ui", 4000000000u),
	E("scalars", NULL, "$nope", E_NO_VARIABLE),
	E("scalars", NULL, "$i->x", E_BAD_ACCESS),
	E("scalars", NULL, "$i[0]", E_BAD_ACCESS),
	E("scalars", NULL, "$return", E_CONTEXT),
	V("longs", "$l", -5000000000L),
	V("longs", "$ul", 18000000000000000000UL),
	V("longs", "$yes", 1),
	V("longs", "$no", 0),
	V("longs", "$col", 0),
	V("longs", "$ch", 'Z'),
	V("structs", "$n", 2),
	T("structs", "$str", "text"),
	V("structs", "$str[1]", 'e'),
	V("structs", "$str[#3]", 't'),
	V("structs", "$p->i", -42),
	V("structs", "$p->in->s", -300),
	V("structs", "$p->in->uc", 255),
	V("structs", "$p->in->c", 'x'),
	V("structs", "$p->arr[0]->s", -1),
	V("structs", "$p->arr[2]->uc", 12),
	V("structs", "$p->arr[#2]->s", 1),
	V("structs", "$p->u_i", 0x01020384),
	V("structs", "$p->u_c[0]", -124),
	V("structs", "$p->u_c[#1]", 3),
	V("structs", "$p->anon_l", -99),
	V("structs", "$p->next->i", 7),
	V("structs", "$p->next->next->i", -42),
	T("structs", "$p->name", "outer zero"),
	V("structs", "$p->name[6]", 'z'),
	T("structs", "$p->str", "a string"),
	V("structs", "$p->grid[1][2]", 8),
	V("structs", "$p->grid[#0][#1]", -1),
	V("structs", "$p->grid[1][#1]", 9),
	V("structs", "$p->grid[#1][0]", 10),
	V("structs", "$p->col", 5),
	V("structs", "$p->flag", 1),
	V("structs", "$p->bits->a", 5),
	V("structs", "$p->bits->b", -9),
	V("structs", "$p->bits->c", 0x1fffffffeL),
	V("structs", "$p->bits->d", -64),
	V("structs", "$p->bits->e", 1),
	V("structs", "$p->packed->x", 0x2a),
	V("structs", "$p->packed->y", -1000),
	V("structs", "$p->packed->z", 77777),
	V("structs", "$p[1]->i", 7),
	V("structs", "$p[#1]->i", 7),
	V("structs", "$pp[0]->i", -42),
	V("structs", "$pp[#0]->in->s", -300),
	T("structs", "&$p->name", "outer zero"),
	T("structs", "&$p->name[6]", "zero"),
	T("structs", "&$p->name[#6]", "zero"),
	T("structs", "&$p->str[2]", "string"),
	V("structs", "$p->dbl", 0x4004000000000000),
	E("structs", NULL, "$p->nope", E_NO_MEMBER),
	E("structs", NULL, "&$p->bits->a", E_BAD_ACCESS),
	E("structs", NULL, "$p->in[0]", E_BAD_ACCESS),
	V("many", "$a", 1),
	V("many", "$b", 3),
	V("many", "$c", -4),
	V("many", "$e", -5),
	V("many", "$f", -6000000000L),
	V("many", "$g", 7),
	V("many", "$h", -8),
	V("many", "$i", -9),
	V("many", "$big->a[1]", -2),
	V("many", "$big->a[#3]", 4),
	V("many", "$d", 0x4000000000000000),
	V("taken", "$x", -77),
	V("taken", "$y", 'y'),
	V("by_value", "$p->a", -11),
	V("by_value", "$p->b", 12),
	V("by_value", "$t->a", -13),
	V("by_value", "$t->b", 14),
	V("big_frame", "$x", 77),
	T("variadic", "$fmt", "v"),
	V("one_line", "$a", -6),
	V("vla_param", "$n", 2),
	V("vla_param", "$k", 1),
	V("locals", "$n", 3),
	L("mark_inner", "$doubled", 1003),
	L("mark_inner", "$inner_only", -3),
	L("mark_inner", "$squares[4]", 15),
	L("mark_inner", "$squares[#0]", -1),
	L("mark_inner", "$in->s", -7),
	L("mark_inner", "$in->uc", 200),
	L("mark_inner", "$calls", 42),
	L("mark_inner", "$vla[2]", 102),
	L("mark_inner", "$vla[#1]", 101),
	L("mark_inner", "$n", 3),
	L("mark_outer", "$doubled", 6),
	L("mark_outer", "$squares[#3]", 8),
	E("locals", "mark_outer", "$inner_only", E_NO_VARIABLE),
	V("globals", "$counter", -12345),
	V("globals", "$file_static", 65000),
	V("globals", "$other_global", -987654321012L),
	V("globals", "$unmentioned", 4321),
	T("globals", "$greeting", "hello"),
	V("globals", "$chain[1]->i", 7),
	V("globals", "$chain[#1]->next->in->c", 'x'),
	V("globals", "$table[3]", -40),
	V("globals", "$table[#1]", -20),
	V("globals", "$per_thread", 5),
	V("opaque", "$h->secret", -2),
	V("opaque", "$h->back", 0),
	V("opaque", "$h->first", 1),
	E("opaque", NULL, "$h->nope", E_NO_MEMBER),
	V("is_static", "$v", -33),
	V("floats", "$f", 0x3ff0000000000000),
	V("floats", "$d", 0x4000000000000000),
	R("ret_int", "$return", -5),
	R("ret_uc", "$return", 250),
	R("ret_bool", "$return", 1),
	R("ret_ptr", "$return->in->s", -300),
	R("ret_ptr", "$return->next->i", 7),
	R("ret_pair", "$return->a", -1),
	R("ret_pair", "$return->b", 2),
	R("ret_two", "$return->a", -3),
	R("ret_two", "$return->b", 4),
	R("ret_big", "$return->a[2]", -18),
	R("ret_big", "$return->a[#3]", -17),
	{"ret_str", "return", "$return", 0, "hello", 0, false},
	R("ret_int", "$counter", -12345),
	E("ret_big", "return", "$k", E_CONTEXT),
	R("ret_double", "$return", 0x3ff8000000000000),
	E("ret_void", "return", "$return", E_BAD_ACCESS),
};

/* ------------------------------------------------------------------ the builds */

/* AFTER is run in the directory of the program `p`; CC is another compiler, NEEDS another tool,
 * without which the build is skipped. In the functions that UNSUPPORTED or LOST names an error with
 * that reason is accepted: the variable's form is not supported, or it was optimised out. */
struct build {
	const char *name, *flags, *after, *unsupported, *lost, *cc, *needs;
};
static const struct build builds[] = {
	{.name = "O0", .flags = "-O0 -g"},
	{.name = "O1", .flags = "-O1 -g"},
	{.name = "O2", .flags = "-O2 -g"},
	{.name = "Og", .flags = "-Og -g"},
	{.name = "O0-nopie", .flags = "-O0 -g -no-pie -fno-pie"},
	{.name = "O2-nopie", .flags = "-O2 -g -no-pie -fno-pie"},
	{.name = "O0-static", .flags = "-O0 -g -static"},
	{.name = "O2-cet", .flags = "-O2 -g -fcf-protection=full"},
	{.name = "O0-cet-protector", .flags = "-O0 -g -fcf-protection=full -fstack-protector-all"},
	{.name = "O0-clash", .flags = "-O0 -g -fstack-clash-protection -fomit-frame-pointer"},
	{.name = "O0-asan", .flags = "-O0 -g -fsanitize=address"},
	{.name = "O0-clang", .flags = "-O0 -g", .cc = "clang"},
	/* clang 19 describes neither register parameters of `many' nor the constant of `variadic's
	   copy */
	{.name = "O2-clang", .flags = "-O2 -g", .cc = "clang", .lost = "many variadic"},
	{.name = "O0-dwarf4", .flags = "-O0 -gdwarf-4"},
	{.name = "O2-dwarf4", .flags = "-O2 -gdwarf-4"},
	{.name = "O0-dwarf2", .flags = "-O0 -gdwarf-2 -gstrict-dwarf"},
	{.name = "O2-dwarf3", .flags = "-O2 -gdwarf-3 -gstrict-dwarf"},
	{.name = "O2-lto", .flags = "-O2 -g -flto"},
	{.name = "O0-types",
	 .flags = "-O0 -g -fdebug-types-section",
	 .unsupported = "ret_pair ret_two ret_big"},
	{.name = "O2-split", .flags = "-O2 -g -gsplit-dwarf"},
	{.name = "O0-noaranges",
	 .flags = "-O0 -g",
	 .after = "objcopy --remove-section=.debug_aranges p"},
	{.name = "O2-compressed", .flags = "-O2 -g -gz"},
	{.name = "O2-debuglink",
	 .flags = "-O2 -g",
	 .after = "objcopy --only-keep-debug p p.debug && objcopy -g -S "
		  "--add-gnu-debuglink=p.debug p"},
	{.name = "O0-dwz",
	 .flags = "-O0 -g",
	 .after = "cp p q && dwz -m common -M common p q",
	 .needs = "dwz"},
	{.name = "O2-noehframe", .flags = "-O2 -g -fno-asynchronous-unwind-tables"},
};

static bool shell(const char *cmd)
{
	const char *argv[] = {"sh", "-c", cmd, NULL};
	return run_command(argv, dir, xprintf("%s/log", dir)) == 0;
}

static bool compile(const struct build *b, const char *path)
{
	const char *cc = b->cc ? b->cc : getenv("CC") ? getenv("CC") : "cc";
	bool ok = shell(xprintf("mkdir -p %s && cd %s && %s %s -w -o p %s/vars.c %s/vars2.c", path,
				path, cc, b->flags, PROGRAMS, PROGRAMS));
	return ok && (!b->after || shell(xprintf("cd %s && %s", path, b->after)));
}

/* ------------------------------------------------------------------ comparing */

/* The functions of that name; a compiler clones some for their callers. */
static function_vec functions(struct module *m, const char *name)
{
	struct func_pattern pat = {.func = name};
	function_vec v = {0};
	module_functions(m, &pat, &v);
	return v;
}

/* Labels are not functions; nm lists them. */
static uint64_t label(const char *path, const char *name)
{
	char line[256];
	uint64_t addr = 0;
	FILE *f = popen(xprintf("nm %s %s.debug 2>/dev/null", path, path), "r");
	while (f && fgets(line, sizeof line, f)) {
		char *sp = strrchr(line, ' ');
		line[strcspn(line, "\n")] = '\0';
		if (sp && strcmp(sp + 1, name) == 0)
			addr = strtoull(line, NULL, 16);
	}
	if (f)
		pclose(f);
	return addr;
}

/* NULL, or the difference between E and the value at PC of F in the stopped T. */
static const char *compare(const struct build *b, const struct target *t, const struct function *f,
			   uint64_t pc, const struct expect *e)
{
	int64_t index[8], got = 0;
	struct node *n = parse(e->expr, index);
	struct access a = {0};
	struct var_error err = {0};
	struct strbuf dump = {0};
	char text[64] = "";
	bool at_return = e->at && strcmp(e->at, "return") == 0;
	if (!var_access(f, pc, at_return, n, &a, &err)) {
		bool may_be_lost = e->may_be_lost || (b->lost && strstr(b->lost, e->func));
		bool lost = (may_be_lost && err.tag == E_OPTIMIZED_OUT) ||
			    (err.tag == E_UNSUPPORTED && b->unsupported &&
			     strstr(b->unsupported, e->func));
		if (lost || (e->error && (int)err.tag == e->error && err.msg))
			return NULL;
		return xprintf("%s: error %d: %s", e->expr, (int)err.tag, err.msg);
	}
	access_dump(&dump, &a);
	if (e->error)
		return xprintf("%s: no error but %s", e->expr, dump.s);
	if (!run(t, &a, index, &got))
		return xprintf("%s: cannot be read by %s", e->expr, dump.s);
	if (e->text) {
		peek(t, (uint64_t)got, text, strlen(e->text) + 1);
		return strcmp(text, e->text) == 0
			       ? NULL
			       : xprintf("%s: \"%s\" by %s", e->expr, text, dump.s);
	}
	return got == e->value ? NULL
			       : xprintf("%s: %lld, not %lld, by %s", e->expr, (long long)got,
					 e->value, dump.s);
}

/* Stop T where E requires it: module address *PC of F. NULL, or the reason of a failure. */
static const char *stop_at(struct target *t, const struct function *f, const char *path,
			   const struct expect *e, uint64_t *pc)
{
	uint64_t ret;
	*pc = f->body == f->entry ? function_site(f) : f->body;
	if (e->at && strcmp(e->at, "return") != 0)
		*pc = label(path, e->at);
	if (!*pc || !run_to(t, t->base + *pc))
		return "did not get there";
	if (!e->at || strcmp(e->at, "return") != 0)
		return NULL;
	if (*pc != f->entry) { /* the return address is on top only at the entry */
		stop(t);
		start(t, path, t->base != 0);
		if (!run_to(t, t->base + f->entry))
			return "did not get to its entry";
	}
	*pc = f->entry;
	return peek(t, t->regs.rsp, &ret, 8) && run_to(t, ret) ? NULL : "did not return";
}

static bool same_place(const struct expect *a, const struct expect *b)
{
	return strcmp(a->func, b->func) == 0 &&
	       (a->at == b->at || (a->at && b->at && strcmp(a->at, b->at) == 0));
}

/* Check E and all others at the same address in one run of PATH. */
static void check_place(const struct build *b, struct module *m, const char *path, bool pie,
			size_t i)
{
	struct target t = {0};
	const struct expect *e = &expects[i];
	const char *where = xprintf("%s %s %s", b->name, e->func, e->at ? e->at : "entry");
	function_vec v = functions(m, e->func);
	const char *why = "no such function";
	uint64_t pc = 0;
	size_t k;
	for (k = 0; why && k < v.n; k++) { /* only one of the clones is called */
		stop(&t);
		why = start(&t, path, pie) ? stop_at(&t, v.v[k], path, e, &pc) : "does not start";
	}
	for (; !why && i < ARRAY_LEN(expects); i++)
		if (same_place(&expects[i], e))
			why = compare(b, &t, v.v[k - 1], pc, &expects[i]);
	check(!why, where, why);
	stop(&t);
}

static void check_build(const struct build *b)
{
	const char *sub = xprintf("%s/%s", dir, b->name), *path = xprintf("%s/p", sub);
	bool pie = !strstr(b->flags, "-no-pie") && !strstr(b->flags, "-static");
	const char *tool = b->cc ? b->cc : b->needs;
	if (tool && !find_in_path(tool)) {
		printf("# %s: no %s here\n", b->name, tool);
		return;
	}
	if (!compile(b, sub)) {
		check(false, b->name, "does not compile");
		return;
	}
	struct module *m = module_get(path, nowhere);
	if (!m || !module_has_dwarf(m)) {
		check(false, b->name, "no debug information found");
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(expects); i++) {
		bool seen = false;
		for (size_t j = 0; j < i && !seen; j++)
			seen = same_place(&expects[i], &expects[j]);
		if (!seen)
			check_place(b, m, path, pie, i);
	}
}

int main(int argc, char **argv)
{
	if (!mkdtemp(dir))
		return 1;
	for (size_t i = 0; i < ARRAY_LEN(builds); i++)
		if (argc < 2 || strcmp(argv[1], builds[i].name) == 0)
			check_build(&builds[i]);
	modules_close();
	if (argc < 3)
		shell(xprintf("rm -rf %s", dir));
	arena_free_all();
	return failed != 0;
}
