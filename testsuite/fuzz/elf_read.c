/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reader for the ELF fuzzers: a damaged program goes through the translator, with scripts that use
 * all of it, with and without a name index, and through the loader's reader. A damaged index
 * replaces that of an intact program.
 */
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf/index/debug_cache.h"
#include "dwarf/index/name_index.h"
#include "elf.h"
#include "elfid.h"
#include "cli/options.h"
#include "passes.h"

/* staprun's function; its header conflicts with the translator's */
struct elf_file *elffile_open(const char *path, const char **why);
void elffile_close(struct elf_file *f);
void elffile_identity(const struct elf_file *f, char *to);
const char *elffile_interp(const struct elf_file *f);
bool elffile_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr);
bool elffile_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset);
size_t elffile_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes);
uint64_t elffile_function(const struct elf_file *f, const char *name);
bool elffile_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end,
			 uint64_t *next);

/* ------------------------------------------------------------- the translator */

#define P "process(@1)"
static const struct {
	int list;
	const char *text;
} scripts[] = {
	{LIST_VARIABLES,
	 "probe " P ".function(\"*\")?, " P ".function(\"*\").return?, " P ".mark(\"*\")? {}"},
	{LIST_VARIABLES, "probe " P ".statement(\"*@*:*\")?, " P
			 ".function(\"*\").label(\"*\")?, " P ".plt(\"*\")? {}"},
	{0, "probe " P ".function(\"*\")? { println($$parms$$, $$locals$$, $$vars) }"},
	{0,
	 "probe " P ".function(\"*\").return? { println($$return$$, @defined($return) ? 1 : 0) }"},
	{0, "probe " P ".statement(\"area@*:*\")? { println($$vars$$) }"},
	{0, "probe " P ".mark(\"*\")? { println($$vars, @defined($arg1) ? $arg1 : 0, "
	    "@defined($arg5) ? $arg5 : 0) }"},
	{0,
	 "probe " P
	 ".function(\"area\") { println(@defined($p->next->grid[1][2]) ? $p->next->grid[1][2] : 0,"
	 " @defined($p$$) ? $p$$ : \"\", @defined($copy->bits) ? $copy->bits : 0, "
	 "@defined($local[1]) ? $local[1] : 0) }"},
	{0, "probe " P ".function(\"area\"), " P ".statement(\"area@*:*\")? {"
	    " println(@defined($local[1]) ? len($local) : 0, @defined($plane[1][1]) ? "
	    "$plane[1][1] : 0, @defined($own[times][2]) ? $own$ : \"\", "
	    "@defined($text$) ? $text$ : \"\") } global times"},
	{0, "probe " P ".function(\"area\") { println(@defined(@var(\"total@seed.c\")) ? "
	    "@var(\"total@seed.c\") : 0,"
	    " @defined(@var(\"the_item\")->u->i) ? @var(\"the_item\")->u->i : 0, @defined($own) ? "
	    "$own : 0) }"},
	{0, "probe " P ".function(\"*@seed.c*:20\")?, " P ".function(\"ns::*\")?, " P
	    ".statement(\"mix@seed.c+2\").nearest? {"
	    " println(@cast(1, \"struct item\", @1)->name, @enum(\"FAR\", @1), $p, $$vars) }"},
	{0, "probe " P ".function(\"nosuch@x.c:3\"), " P ".statement(\"area@seed.c:1\"), " P
	    ".statement(0x1010) { println($nosuch) }"},
};

/* Read the parts that --explain shows of the first sites. */
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
		pass_aliases,  pass_resolve, pass_elide,   pass_points, pass_prune, pass_types,
		pass_pointers, pass_fold,    pass_display, pass_locks,  pass_emit,
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
		.opt = {.argc = 1,
			.argv = args,
			.compatible = "4.8",
			.privilege = "stapdev",
			.runtime = RT_USER,
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

void *xrealloc(void *p, size_t size); /* conflicts with the fuzzer's own */
void *xrealloc(void *p, size_t size)
{
	p = realloc(p, size);
	if (!p)
		abort();
	return p;
}

static void load(const char *path)
{
	char id[ELFID_TEXT];
	uint64_t addr, offset, start, end, next;
	const uint8_t *bytes;
	struct elf_file *f = elffile_open(path, NULL);
	volatile size_t sum = 0; /* forces the reads */

	if (!f)
		return;
	elffile_identity(f, id);
	sum += strlen(id) + (elffile_interp(f) ? strlen(elffile_interp(f)) : 0);
	addr = elffile_function(f, "area");
	for (offset = 0; offset < 0x4000; offset += 0x3b) {
		if (!elffile_addr_of_offset(f, offset, &addr))
			continue;
		elffile_offset_of_addr(f, addr, &next);
		for (size_t n = elffile_text(f, addr, &bytes); n > 0; n /= 2)
			sum += bytes[n - 1];
		if (elffile_function_at(f, addr, &start, &end, &next))
			sum += start > addr;
	}
	elffile_close(f);
}

static char path[64], cache[80], package[80];

static void write_file(const char *name, const void *data, size_t size)
{
	int fd = open(name, O_WRONLY | O_CREAT | O_TRUNC, 0700);

	if (fd < 0 || write(fd, data, size) != (ssize_t)size)
		abort();
	close(fd);
}

static void compile_all(const char *names)
{
	setenv("USTAP_NAMES", names, 1);
	for (unsigned n = 0; elf_compile(path, n); n++)
		;
}

static void read_program(const uint8_t *data, size_t size)
{
	setenv("USTAP_CACHE_DIR", "/dev/null/cache", 1);
	write_file(path, data, size);
	snprintf(package, sizeof package, "%s.dwp", path);
	if (symlink(path, package) && errno != EEXIST)
		abort();
	load(path);
	compile_all(debug_cache_checksum(data, size, 0) & 1 ? "no" : "all"); /* both would take
										twice as long */
	unlink(path);
	unlink(package);
}

/* ------------------------------------------------------------ the index of names */

static uint8_t *program, *first_index; /* program whose index is read; its undamaged index */
static size_t program_size, first_size;

static void remove_cache(void)
{
	static const char command[] = "rm -rf ";
	char line[sizeof command + sizeof cache];

	snprintf(line, sizeof line, "%s%s", command, cache);
	if (*cache && system(line))
		perror("rm");
}

/* Path of the cached index of PROGRAM, or NULL. */
static const char *index_path(void)
{
	static char name[400];
	char pattern[120];
	glob_t g;

	snprintf(pattern, sizeof pattern, "%s/names/*.names", cache);
	if (glob(pattern, 0, NULL, &g))
		return NULL;
	snprintf(name, sizeof name, "%s", g.gl_pathv[0]);
	globfree(&g);
	return name;
}

/* Index the program, then replace the index by DATA with valid checksums. */
static void read_index(const uint8_t *data, size_t size)
{
	struct index_header *h = malloc(size < sizeof *h ? sizeof *h : size);
	const char *name;

	memcpy(h, data, size);
	setenv("USTAP_CACHE_DIR", cache, 1);
	write_file(path, program, program_size);
	setenv("USTAP_NAMES", "all", 1);
	elf_compile(path, 2);
	name = index_path();
	if (name && size >= sizeof *h) {
		h->size = size;
		h->sum = debug_cache_checksum(h + 1, size - sizeof *h, 0);
		unlink(name);
		write_file(name, h, size);
		compile_all("all");
	}
	free(h);
	unlink(path);
	remove_cache();
}

size_t elf_first_index(uint8_t *data, size_t max)
{
	if (!first_index || first_size > max)
		return 0;
	memcpy(data, first_index, first_size);
	return first_size;
}

void elf_start(const char *base)
{
	const char *dir = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm", *name;
	char *text;

	snprintf(path, sizeof path, "%s/ustap-fuzz.%d", dir, getpid());
	snprintf(cache, sizeof cache, "%s.cache", path);
	setenv("PATH", "/usr/bin:/bin", 1);
	setenv("USTAP_TAPSETS", "/nonexistent", 1);
	unsetenv("DEBUGINFOD_URLS");
	text = base ? read_file(base, &program_size) : NULL;
	if (!text)
		return;
	program = malloc(program_size);
	memcpy(program, text, program_size);
	setenv("USTAP_CACHE_DIR", cache, 1);
	setenv("USTAP_NAMES", "all", 1);
	write_file(path, program, program_size);
	elf_compile(path, 2);
	name = index_path();
	text = name ? read_file(name, &first_size) : NULL;
	if (text) {
		first_index = malloc(first_size);
		memcpy(first_index, text, first_size);
	}
	arena_free_all();
	unlink(path);
	remove_cache();
}

void elf_end(void) { remove_cache(); }

void elf_read_all(const uint8_t *data, size_t size)
{
	bool index = size > 8 && !memcmp(data, INDEX_MAGIC, 8);

	if (index && program)
		read_index(data, size);
	else if (!index)
		read_program(data, size);
}
