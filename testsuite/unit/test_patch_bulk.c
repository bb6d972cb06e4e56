/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All functions of libraries of this system: the patches planned for them; and some of those
 * libraries at work with all of their functions patched.
 */
#include "patch_test.h"
#include "inject/patch/patch.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <dlfcn.h>
#include <elf.h>
#include <glob.h>
#include <link.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

struct function {
	uint64_t addr, size;
	const char *name;
};

struct module {
	uint8_t *file;
	size_t size;
	const uint8_t *text;
	uint64_t addr, text_size; /* virtual address of text */
	struct function *f;       /* by address, each once */
	size_t nf;
	uint64_t *starts; /* addresses where any function begins, sorted */
	size_t nstarts;
	struct patch_text *all;
};

/* ---------------------------------------------------------------- ELF files */

static const Elf64_Phdr *segment(const struct module *m, unsigned type, unsigned flags)
{
	const Elf64_Ehdr *e = (void *)m->file;
	const Elf64_Phdr *p = (void *)(m->file + e->e_phoff);
	unsigned i;

	for (i = 0; i < e->e_phnum; i++)
		if (p[i].p_type == type && (p[i].p_flags & flags) == flags)
			return &p[i];
	return NULL;
}

static void add_start(struct module *m, uint64_t addr)
{
	m->starts = realloc(m->starts, (m->nstarts + 1) * sizeof m->starts[0]);
	m->starts[m->nstarts++] = addr;
}

static void add_symbols(struct module *m, const Elf64_Sym *s, size_t n, const char *names)
{
	for (; n; n--, s++) {
		if ((s->st_info & 15) != STT_FUNC || s->st_value - m->addr >= m->text_size)
			continue;
		m->f = realloc(m->f, (m->nf + 1) * sizeof m->f[0]);
		m->f[m->nf++] = (struct function){s->st_value, s->st_size, names + s->st_name};
		add_start(m, s->st_value);
	}
}

static void add_sections(struct module *m)
{
	const Elf64_Ehdr *e = (void *)m->file;
	const Elf64_Shdr *s = (void *)(m->file + e->e_shoff);
	unsigned i;

	for (i = 0; i < e->e_shnum; i++)
		if (s[i].sh_type == SHT_DYNSYM)
			add_symbols(m, (void *)(m->file + s[i].sh_offset),
				    s[i].sh_size / sizeof(Elf64_Sym),
				    (char *)m->file + s[s[i].sh_link].sh_offset);
}

static void add_unwound(struct module *m)
{
	const Elf64_Phdr *p = segment(m, PT_GNU_EH_FRAME, 0);
	const int32_t *table;
	uint32_t n, i;

	if (!p || m->file[p->p_offset + 3] != 0x3b)
		return;
	memcpy(&n, m->file + p->p_offset + 8, 4);
	table = (void *)(m->file + p->p_offset + 12);
	for (i = 0; i < n; i++)
		if (p->p_vaddr + table[2 * i] - m->addr < m->text_size)
			add_start(m, p->p_vaddr + table[2 * i]);
}

static int by_addr(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

static void sort(struct module *m)
{
	size_t i, n = 0;

	qsort(m->f, m->nf, sizeof m->f[0], by_addr);
	for (i = 0; i < m->nf; i++) {
		if (n && m->f[n - 1].addr == m->f[i].addr)
			m->f[n - 1].size = m->f[i].size > m->f[n - 1].size ? m->f[i].size
									   : m->f[n - 1].size;
		else
			m->f[n++] = m->f[i];
	}
	m->nf = n;
	qsort(m->starts, m->nstarts, sizeof m->starts[0], by_addr);
}

static bool open_module(struct module *m, const char *path)
{
	int fd = open(path, O_RDONLY);
	const Elf64_Phdr *text;
	struct stat st;

	*m = (struct module){0};
	if (fd < 0 || fstat(fd, &st))
		return false;
	m->size = st.st_size;
	m->file = mmap(NULL, m->size, PROT_READ, MAP_PRIVATE, fd, 0);
	close(fd);
	if (m->file == MAP_FAILED || memcmp(m->file, ELFMAG, SELFMAG))
		return false;
	text = segment(m, PT_LOAD, PF_X);
	m->text = m->file + text->p_offset;
	m->addr = text->p_vaddr;
	m->text_size = text->p_filesz;
	add_sections(m);
	add_unwound(m);
	sort(m);
	m->all = patch_text_new(m->text, m->text_size);
	return m->all && m->nf;
}

static void close_module(struct module *m)
{
	patch_text_free(m->all);
	free(m->f);
	free(m->starts);
	munmap(m->file, m->size);
}

/* Function I, mapped with BIAS. */
static struct patch_site site_of(const struct module *m, size_t i, uint64_t bias)
{
	const struct function *f = &m->f[i];
	uint64_t next = m->addr + m->text_size, end = f->addr + f->size;
	size_t lo = 0, hi = m->nstarts;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (m->starts[mid] <= f->addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < m->nstarts)
		next = m->starts[lo];
	if (!f->size || end > next)
		end = next;
	return (struct patch_site){.addr = f->addr + bias,
				   .start = f->addr + bias,
				   .end = end + bias,
				   .next = next + bias,
				   .text = m->text + (f->addr - m->addr),
				   .entry = true,
				   .n = 1,
				   .all = m->all,
				   .all_start = m->addr + bias};
}

/* ----------------------------------------------------------------- planning */

static enum patch_way best_way(const struct patch_site *s, struct patch *p)
{
	uint64_t at = s->all_start - (1 << 20), lo, hi;

	if (patch_plan(p, s, at, at - 4096))
		return p->way;
	if (patch_pun_range(s, 0, &lo, &hi))
		return PATCH_PUNNED;
	patch_plan_trap(p, s, at, at - 4096);
	return p->way;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

struct shares {
	unsigned way[PATCH_TRAP + 1], n;
	double time;
};

static void print_shares(const char *path, const char *what, const struct shares *s)
{
	unsigned w;

	printf("# %s: %u %s:", path, s->n, what);
	for (w = PATCH_JUMP; w <= PATCH_TRAP; w++)
		printf(" %s %.2f %%,", patch_way_names[w], 100.0 * s->way[w] / s->n);
	printf(" none %.2f %%; %.2f ms for 1000\n", 100.0 * s->way[PATCH_NONE] / s->n,
	       1e6 * s->time / s->n);
}

static struct shares plan_entries(const struct module *m)
{
	struct shares s = {.n = m->nf, .time = -now()};
	struct patch p;
	size_t i;

	for (i = 0; i < m->nf; i++) {
		struct patch_site site = site_of(m, i, 1ull << 32);
		enum patch_way w = best_way(&site, &p);

		s.way[w]++;
		if (getenv("PATCH_VERBOSE") && w != PATCH_JUMP)
			printf("# %s %#lx: %s (%s)\n", m->f[i].name, m->f[i].addr,
			       patch_way_names[w],
			       patch_plan(&p, &site, site.all_start - 65536, site.all_start - 65536)
				       ? ""
				       : p.why);
	}
	s.time += now();
	return s;
}

/* Some instructions of each function, as possible sites of statement probes. */
static struct shares plan_statements(const struct module *m)
{
	struct shares s = {.time = -now()};
	struct patch p;
	size_t i;

	for (i = 0; i < m->nf; i++) {
		struct patch_site site = site_of(m, i, 1ull << 32);
		uint64_t k;

		site.entry = false;
		for (k = 17; k < site.end - site.start && k < 2000; k += 23) {
			site.addr = site.start + k;
			while (!patch_plan_trap(&p, &site, site.all_start - 65536,
						site.all_start - 131072) &&
			       strstr(p.why, "no instruction starts"))
				site.addr++;
			s.way[best_way(&site, &p)]++;
			s.n++;
		}
	}
	s.time += now();
	return s;
}

static void plan_file(const char *pattern)
{
	struct module m;
	struct shares s;
	char name[100];
	glob_t g;
	double t;

	if (glob(pattern, 0, NULL, &g))
		return;
	t = now();
	if (open_module(&m, g.gl_pathv[0])) {
		t = now() - t;
		s = plan_entries(&m);
		printf("# %s: opened in %.1f ms\n", pattern, 1e3 * t);
		print_shares(pattern, "entries", &s);
		snprintf(name, sizeof name, "bulk: %s", strrchr(pattern, '/') + 1);
		check(s.way[PATCH_JUMP] + s.way[PATCH_PADDED] > 0.97 * s.n &&
			      s.way[PATCH_NONE] < 0.01 * s.n,
		      name, "too few jumps fit");
		s = plan_statements(&m);
		print_shares(pattern, "statements", &s);
		close_module(&m);
	}
	globfree(&g);
}

/* ---------------------------------------------------------------- at work */

static struct patch *patches;
static size_t npatches;
enum { MOST = 200000 };

/* These return twice, or on another stack. */
static bool returns_once(const char *name)
{
	static const char *const others[] = {"setjmp", "fork",        "context", "clone",
					     "_start", "__cxa_throw", "unwind"};
	size_t i;

	for (i = 0; i < sizeof others / sizeof others[0]; i++)
		if (strstr(name, others[i]))
			return false;
	return true;
}

enum what { ENTRIES, RETURNS, STATEMENTS, GROUPS };

static void patch_one(const struct patch_site *s, struct test_area *a)
{
	struct patch *p = &patches[npatches];

	if (!patch_plan(p, s, area_room(a), (uint64_t)a->start) ||
	    (npatches && patch_overlaps(p, p - 1)))
		return;
	memcpy((void *)p->at, p->code, p->code_len);
	a->used = p->at + p->code_len - (uint64_t)a->start;
	npatches++;
}

/* Every instruction that can have a jump. */
static void patch_statements(struct patch_site s, struct test_area *a)
{
	s.entry = false;
	for (; s.addr < s.end && npatches < MOST; s.addr++)
		patch_one(&s, a);
}

/* One jump for the site S and the one K bytes after it. */
static bool patch_two(const struct patch_site *s, unsigned k, struct test_area *a)
{
	struct patch *const p[] = {&patches[npatches], &patches[npatches + 1]};
	struct patch_site second = *s;
	const struct patch_site *const sites[] = {s, &second};
	const uint64_t at[] = {area_room(a), area_room(a) + STUB_BYTES};

	second.addr += k;
	second.entry = false;
	if (!patch_plan_group(p, sites, 2, at, (uint64_t)a->start))
		return false;
	memcpy((void *)p[0]->at, p[0]->code, p[0]->code_len);
	memcpy((void *)p[1]->at, p[1]->code, p[1]->code_len);
	a->used = p[1]->at + p[1]->code_len - (uint64_t)a->start;
	npatches += 2;
	return true;
}

/* Every two instructions that can share a jump. */
static void patch_groups(struct patch_site s, struct test_area *a)
{
	unsigned k;

	while (s.addr < s.end && npatches + 2 <= MOST) {
		for (k = 1; k < JUMP_BYTES && !patch_two(&s, k, a); k++)
			;
		s.addr += k < JUMP_BYTES ? patches[npatches - 2].len : 1;
		s.entry = false;
	}
}

static void patch_all(const struct module *m, uint64_t bias, enum what what)
{
	uint64_t text = m->addr + bias;
	struct test_area a = area_make(text - (1u << 30), text + (1u << 30), 64 << 20);
	size_t i;

	patches = malloc(MOST * sizeof patches[0]);
	make_writable(text, m->text_size);
	for (i = 0; i < m->nf && npatches < MOST; i++) {
		struct patch_site s = site_of(m, i, bias);

		s.rn = what == RETURNS && returns_once(m->f[i].name);
		if (what == STATEMENTS)
			patch_statements(s, &a);
		else if (what == GROUPS)
			patch_groups(s, &a);
		else
			patch_one(&s, &a);
	}
	for (i = 0; i < npatches; i++)
		memcpy((void *)patches[i].addr, patches[i].new_text, patches[i].len);
}

static uint64_t bias_of(void *handle)
{
	struct link_map *l;

	return dlinfo(handle, RTLD_DI_LINKMAP, &l) ? 0 : l->l_addr;
}

/* Run WORK with all functions of PATTERN patched, in a separate process. */
static void at_work(const char *pattern, int (*work)(void *handle), enum what what)
{
	static const char *const names[] = {"", ", returns", ", statements", ", groups"};
	struct module m;
	char name[200];
	void *handle;
	int status;
	glob_t g;

	if (glob(pattern, 0, NULL, &g))
		return;
	handle = dlopen(g.gl_pathv[0], RTLD_NOW | RTLD_GLOBAL);
	if (handle && open_module(&m, g.gl_pathv[0])) {
		fflush(stdout);
		if (!fork()) {
			setrlimit(RLIMIT_CPU, &(struct rlimit){120, 120});
			entries = returns = 0;
			patch_all(&m, bias_of(handle), what);
			status = work(handle);
			printf("# %zu patched, %lu entries, %lu returns\n", npatches, entries,
			       returns);
			fflush(stdout);
			_exit(status || !(what == RETURNS ? returns : entries));
		}
		wait(&status);
		snprintf(name, sizeof name, "at work: %s%s", strrchr(pattern, '/') + 1,
			 names[what]);
		check(status == 0, name,
		      WIFSIGNALED(status) ? strsignal(WTERMSIG(status)) : "it fails");
		close_module(&m);
	}
	globfree(&g);
}

static int compare_ints(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }

static int work_libc(void *unused)
{
	static int v[1000];
	char text[100], *copy;
	int i, bad = 0;
	FILE *f;

	(void)unused;
	for (i = 0; i < 1000; i++)
		v[i] = (i * 7919) % 1000;
	qsort(v, 1000, sizeof v[0], compare_ints);
	for (i = 0; i < 1000; i++) {
		bad |= v[i] != i;
		snprintf(text, sizeof text, "%d %s %.3f", i, "abc", i / 8.0);
		copy = strdup(text);
		bad |= strcmp(copy, text) || strtol(copy, NULL, 10) != i || !strstr(copy, "abc");
		free(realloc(copy, 5000));
	}
	f = tmpfile();
	fprintf(f, "%s %ld\n", "line", 12345l);
	rewind(f);
	bad |= fscanf(f, "%99s %d", text, &i) != 2 || i != 12345 || strcmp(text, "line");
	fclose(f);
	f = popen("echo hello", "r");
	bad |= !f || !fgets(text, sizeof text, f) || strcmp(text, "hello\n");
	pclose(f);
	setenv("TZ", "UTC", 1);
	strftime(text, sizeof text, "%Y", gmtime(&(time_t){0}));
	return bad | strcmp(text, "1970");
}

static int work_python(void *handle)
{
	static const char script[] =
		"import json, re, hashlib, collections, sys\n"
		"def fib(n): return n if n < 2 else fib(n - 1) + fib(n - 2)\n"
		"assert fib(18) == 2584\n"
		"d = {str(i): [i, i * 2.5, None, {'k': 'v' * (i % 7)}] for i in range(500)}\n"
		"assert json.loads(json.dumps(d)) == d\n"
		"assert re.sub(r'(\\w+) (\\w+)', r'\\2 \\1', 'a b' * 10).startswith('ba a')\n"
		"assert hashlib.md5(b'x').hexdigest() == '9dd4e461268c8034f5c8564e155c67a6'\n"
		"assert sorted(set(range(1000)) - set(range(0, 1000, 2)))[3] == 7\n"
		"assert 3 ** 1000 % 1000007 == pow(3, 1000, 1000007)\n"
		"def g():\n    try:\n        yield from range(100)\n    finally:\n        pass\n"
		"assert sum(g()) == 4950\n"
		"try:\n    1 / 0\nexcept ZeroDivisionError as e:\n    pass\n";
	void (*init)(int) = (void (*)(int))dlsym(handle, "Py_InitializeEx");
	int (*run)(const char *, void *) = (int (*)(const char *, void *))dlsym(
		handle, "PyRun_SimpleStringFlags");
	int (*done)(void) = (int (*)(void))dlsym(handle, "Py_FinalizeEx");

	init(0);
	return run(script, NULL) | done();
}

static int work_sqlite(void *handle)
{
	int (*open)(const char *, void **) = (int (*)(const char *, void **))dlsym(handle,
										   "sqlite3_open");
	int (*exec)(void *, const char *, void *, void *, char **) = (int (*)(
		void *, const char *, void *, void *, char **))dlsym(handle, "sqlite3_exec");
	int (*close)(void *) = (int (*)(void *))dlsym(handle, "sqlite3_close");
	void *db;

	return open(":memory:", &db) |
	       exec(db,
		    "create table t(a integer primary key, b text);"
		    "with recursive c(x) as (select 1 union all select x + 1 from c where x < "
		    "20000)"
		    " insert into t select x, hex(x) || upper('abc') from c; create index i on "
		    "t(b);"
		    "select count(*), max(b), sum(a) from t where b like '3%' group by length(b);",
		    NULL, NULL, NULL) |
	       close(db);
}

void test_bulk(void)
{
	plan_file("/usr/lib/*/libc.so.6");
	plan_file("/usr/lib/*/libpython3*.so.1.0");
	plan_file("/bin/bash");
	plan_file("/usr/lib/*/libsqlite3.so.0");
	plan_file("/usr/lib/*/libstdc++.so.6");
	plan_file("/usr/lib/*/libcrypto.so.3");
	at_work("/usr/lib/*/libsqlite3.so.0", work_sqlite, ENTRIES);
	at_work("/usr/lib/*/libsqlite3.so.0", work_sqlite, RETURNS);
	at_work("/usr/lib/*/libsqlite3.so.0", work_sqlite, STATEMENTS);
	at_work("/usr/lib/*/libsqlite3.so.0", work_sqlite, GROUPS);
	at_work("/usr/lib/*/libc.so.6", work_libc, ENTRIES);
	at_work("/usr/lib/*/libc.so.6", work_libc, RETURNS);
	at_work("/usr/lib/*/libc.so.6", work_libc, STATEMENTS);
	at_work("/usr/lib/*/libc.so.6", work_libc, GROUPS);
	at_work("/usr/lib/*/libpython3*.so.1.0", work_python, ENTRIES);
	at_work("/usr/lib/*/libpython3*.so.1.0", work_python, RETURNS);
	at_work("/usr/lib/*/libpython3*.so.1.0", work_python, STATEMENTS);
}
