/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A damaged program goes through the translator, with scripts that ask for all it has, and through the loader's reader. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "elf.h"
#include "options.h"
#include "ustap.h"

/* staprun's; its header and the translator's do not go together */
struct elf_file *elf_open(const char *path, const char **why);
void elf_close(struct elf_file *f);
const char *elf_build_id(const struct elf_file *f);
const char *elf_interp(const struct elf_file *f);
bool elf_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr);
bool elf_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset);
size_t elf_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes);
uint64_t elf_function(const struct elf_file *f, const char *name);
bool elf_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end, uint64_t *next);

/* ------------------------------------------------------------- the translator */

#define P "process(@1)"
static const struct { int list; const char *text; } scripts[] = {
	{LIST_VARIABLES, "probe " P ".function(\"*\")?, " P ".function(\"*\").return?, " P ".mark(\"*\")? {}"},
	{LIST_VARIABLES, "probe " P ".statement(\"*@*:*\")?, " P ".function(\"*\").label(\"*\")?, " P ".plt(\"*\")? {}"},
	{0, "probe " P ".function(\"*\")? { println($$parms$$, $$locals$$, $$vars) }"},
	{0, "probe " P ".function(\"*\").return? { println($$return$$, @defined($return) ? 1 : 0) }"},
	{0, "probe " P ".statement(\"area@*:*\")? { println($$vars$$) }"},
	{0, "probe " P ".mark(\"*\")? { println($$vars, @defined($arg1) ? $arg1 : 0, @defined($arg5) ? $arg5 : 0) }"},
	{0, "probe " P ".function(\"area\") { println(@defined($p->next->grid[1][2]) ? $p->next->grid[1][2] : 0,"
	    " @defined($p$$) ? $p$$ : \"\", @defined($copy->bits) ? $copy->bits : 0, @defined($local[1]) ? $local[1] : 0) }"},
	{0, "probe " P ".function(\"area\") { println(@defined(@var(\"total@seed.c\")) ? @var(\"total@seed.c\") : 0,"
	    " @defined(@var(\"the_item\")->u->i) ? @var(\"the_item\")->u->i : 0, @defined($own) ? $own : 0) }"},
	{0, "probe " P ".function(\"*@seed.c*:20\")?, " P ".function(\"ns::*\")?, " P ".statement(\"mix@seed.c+2\").nearest? {"
	    " println(@cast(1, \"struct item\", @1)->name, @enum(\"FAR\", @1), $p, $$vars) }"},
	{0, "probe " P ".function(\"nosuch@x.c:3\"), " P ".statement(\"area@seed.c:1\"), " P ".statement(0x1010) { println($nosuch) }"},
};

/* What --explain reads of the first sites. */
static void look_at_sites(const struct session *s)
{
	volatile size_t sum = 0;

	for (size_t i = 0; i < s->program.probes.n; i++)
		for (size_t k = 0; k < s->program.probes.v[i]->sites.n && k < 32; k++) {
			const struct site *site = &s->program.probes.v[i]->sites.v[k];
			const char *file;
			seen_vec seen = {0};
			name_vec into = {0};
			int line;

			function_variables(site->f, site->pc, &seen);
			function_inlined_into(site->f, &into);
			for (size_t j = 0; j < into.n; j++)
				sum += strlen(into.v[j]);
			if (module_line_at(site->mod, site->addr, &file, &line))
				sum += strlen(file);
			sum += seen.n + strlen(site_instruction(site));
		}
}

static void compile(struct session *s, const struct source *src)
{
	static void (*const passes[])(struct session *) = {
		pass_aliases, pass_resolve, pass_elide, pass_points, pass_prune, pass_types, pass_pointers,
		pass_fold, pass_display, pass_locks, pass_emit,
	};
	int before = diag_errors();

	if (!parse_source(s, src))
		return;
	for (size_t i = 0; i < ARRAY_LEN(passes) && diag_errors() == before; i++) {
		passes[i](s);
		if (passes[i] == pass_types && diag_errors() == before && s->opt.list)
			print_points(s);
		if (passes[i] == pass_locks && diag_errors() == before)
			look_at_sites(s);
	}
}

int elf_compile(const char *path, unsigned n)
{
	char *args[] = {(char *)path};
	struct session s = {
		.opt = {.argc = 1, .argv = args, .compatible = "4.8", .privilege = "stapdev", .runtime = RT_USER,
			.stop_after = 3},
	};
	struct source src = {.name = "fuzz"};

	if (n >= ARRAY_LEN(scripts))
		return 0;
	s.opt.list = scripts[n].list;
	src.text = xstrdup(scripts[n].text);
	src.len = strlen(src.text);
	limits_default(&s.lim);
	compile(&s, &src);
	modules_close();
	arena_free_all();
	return 1;
}

/* ----------------------------------------------------------------- the loader */

void *xrealloc(void *p, size_t size);            /* which has one of its own */
void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		abort();
	return p;
}

static void load(const char *path)
{
	uint64_t addr, offset, start, end, next;
	const uint8_t *bytes;
	struct elf_file *f = elf_open(path, NULL);
	volatile size_t sum = 0;                 /* that all is really read */

	if (!f)
		return;
	sum += strlen(elf_build_id(f)) + (elf_interp(f) ? strlen(elf_interp(f)) : 0);
	addr = elf_function(f, "area");
	for (offset = 0; offset < 0x4000; offset += 0x3b) {
		if (!elf_addr_of_offset(f, offset, &addr))
			continue;
		elf_offset_of_addr(f, addr, &next);
		for (size_t n = elf_text(f, addr, &bytes); n > 0; n /= 2)
			sum += bytes[n - 1];
		if (elf_function_at(f, addr, &start, &end, &next))
			sum += start > addr;
	}
	elf_close(f);
}

void elf_read_all(const uint8_t *data, size_t size)
{
	static char path[64];
	int fd;

	if (!*path)
		snprintf(path, sizeof path, "%s/ustap-fuzz.%d", access("/dev/shm", W_OK) ? "." : "/dev/shm", getpid());
	fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0700);
	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
	load(path);
	for (unsigned n = 0; elf_compile(path, n); n++)
		;
	unlink(path);
}
