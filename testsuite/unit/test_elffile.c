/* SPDX-License-Identifier: GPL-2.0-or-later */
/* elffile.c: compared with known facts about this program and the machine's libraries; damaged
 * files. */
#include "elfid.h"
#include "inject/elf/elf.h"
#include "staprun_check.h"
#include "base/message.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { FUZZ_ROUNDS = 400 };

static double now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec * 1e3 + (double)ts.tv_nsec / 1e6;
}

int __attribute__((noinline)) some_function(int a) { return a * 3 + failed; }

static uint64_t bias_of(void *addr)
{
	struct link_map *map = NULL;
	Dl_info info;

	return dladdr1(addr, &info, (void **)&map, RTLD_DL_LINKMAP) ? map->l_addr : 0;
}

static void test_self(void)
{
	struct elf_file *f = elffile_open("/proc/self/exe", NULL);
	uint64_t bias = bias_of((void *)some_function), addr = (uint64_t)some_function - bias;
	uint64_t start, end, next, offset, back;
	const uint8_t *text;
	struct stat st;

	check(f != NULL, "own file", "not opened");
	check(elffile_function(f, "some_function") == addr, "own function by name", "wrong");
	check(elffile_function(f, "some_functio") == 0 && elffile_function(f, "no such") == 0,
	      "no function", "found");
	check(elffile_function_at(f, addr + 3, &start, &end, &next) && start == addr &&
		      end > addr + 3 && next >= end,
	      "own function by address", "wrong");
	check(elffile_code_around(f, addr + 3, &start, &end) && start <= addr && end >= next,
	      "the code around an own function", "is less than the function");
	check(elffile_offset_of_addr(f, addr, &offset) &&
		      elffile_addr_of_offset(f, offset, &back) && back == addr,
	      "address and offset", "differ");
	check(elffile_text(f, addr, &text) > 16 && !memcmp(text, (void *)some_function, 8),
	      "its text", "differs");
	check(elffile_text(f, 0xfffffffffffff000, &text) == 0 &&
		      !elffile_offset_of_addr(f, (uint64_t)&failed - bias, &offset),
	      "addresses outside the code", "found");
	check(elffile_interp(f) && strstr(elffile_interp(f), "ld-linux"), "interpreter", "wrong");
	check(!stat("/proc/self/exe", &st) &&
		      elffile_same(f, (unsigned)(st.st_dev >> 8 & 0xfff),
				   (unsigned)(st.st_dev & 0xff), st.st_ino) &&
		      !elffile_same(f, 0, 0, st.st_ino + 1),
	      "same file", "wrong");
	elffile_close(f);
}

/* Every exported function of libc is found, within bounds that hold it. */
static void test_libc(void)
{
	char id[ELFID_TEXT];
	static const char *const names[] = {"malloc", "execve",    "vfork",          "posix_spawn",
					    "munmap", "sigaction", "dl_iterate_phdr"};
	void *libc = dlopen("libc.so.6", RTLD_LAZY); /* not the replacement of a sanitizer */
	Dl_info info;
	struct elf_file *f;
	bool ok = true;
	double begin = now_ms(), opened;
	uint64_t start, end, next;

	dladdr(dlsym(libc, "gnu_get_libc_version"), &info);
	f = elffile_open(info.dli_fname, NULL);
	for (size_t i = 0; f && i < sizeof names / sizeof *names; i++) {
		uint64_t addr = elffile_function(f, names[i]);

		ok = ok && addr == (uint64_t)dlsym(libc, names[i]) - (uint64_t)info.dli_fbase &&
		     elffile_function_at(f, addr, &start, &end, &next) && start == addr &&
		     end > addr && next >= end;
	}
	opened = now_ms() - begin;
	check(f && ok, "functions of libc", "not all");
	check(f && (elffile_identity(f, id), strcspn(id, ":")) == 40, "build-id of libc", "none");
	check(f && elffile_function(f, "strlen") == 0, "IFUNCs are left out", "found");
	printf("# libc: %.2f ms\n", opened);
	elffile_close(f);
}

static void test_big(const char *path)
{
	struct elf_file *f;
	uint64_t start, end, next, addr = 0, n = 0, size;
	const uint8_t *text;
	double begin = now_ms(), opened, sorted;

	if (access(path, R_OK))
		return;
	f = elffile_open(path, NULL);
	opened = now_ms() - begin;
	for (uint64_t offset = 0; f && (!elffile_addr_of_offset(f, offset, &addr) ||
					elffile_text(f, addr, &text) < 65536);
	     offset += 4096)
		;
	elffile_function_at(f, addr, &start, &end, &next);
	sorted = now_ms() - begin;
	size = elffile_text(f, addr, &text);
	for (uint64_t at = addr; at < addr + size; at = next, n++)
		if (!elffile_function_at(f, at, &start, &end, &next)) {
			next = at + 1;
			n--;
		}
	printf("# %s: open %.2f ms, sort %.2f ms, %llu functions walked in %.2f ms\n", path, opened,
	       sorted - opened, (unsigned long long)n, now_ms() - begin - sorted);
	check(n > 1000, "a big library", "few functions");
	elffile_close(f);
}

/* Call all functions on the file in its present state. */
static void ask_all(const char *path)
{
	char id[ELFID_TEXT];
	struct elf_file *f = elffile_open(path, NULL);
	uint64_t start, end, next, x;
	const uint8_t *text;
	volatile unsigned sum = 0;
	ssize_t got;

	if (!f)
		return;
	elffile_identity(f, id);
	sum += (unsigned)strlen(id) + (elffile_interp(f) ? (unsigned)strlen(elffile_interp(f)) : 0);
	elffile_function(f, "main");
	elffile_function(f, "some_function");
	sum += elffile_has_relr(f);
	for (size_t i = 0, k; (got = elffile_segment(f, i, 1 << 20, &x, &text)) >= 0; i++)
		for (k = 0; text && k < (size_t)got; k += 1 + (size_t)got / 16)
			sum += text[k];
	for (int i = 0; i < 200; i++) {
		uint64_t addr = i < 100 ? elffile_entry(f) + (uint64_t)i * 64 : random64();

		if (elffile_function_at(f, addr, &start, &end, &next) &&
		    (start > addr || end <= start || next < end))
			check(false, "bounds hold the address", "they do not");
		if (elffile_code_around(f, addr, &start, &next) && (start > addr || next <= addr))
			check(false, "the code around it holds the address", "it does not");
		elffile_addr_of_offset(f, addr, &x);
		elffile_offset_of_addr(f, addr, &x);
		for (size_t n = elffile_text(f, addr, &text), k = 0; k < n; k += 1 + n / 16)
			sum += text[k];
	}
	elffile_close(f);
}

static void write_file(const char *path, const void *data, size_t size)
{
	int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);

	if (write(fd, data, size) != (ssize_t)size)
		check(false, "a file to damage", "cannot write");
	close(fd);
}

/* Most damage is in critical data: headers, and 64-bit values that become huge. */
static void damage(uint8_t *data, size_t size, int round)
{
	size_t head = round % 2 ? 1024 : size;
	Elf64_Ehdr *eh = (Elf64_Ehdr *)data;
	size_t sections = eh->e_shoff;

	for (int i = 0; i <= round % 8; i++) {
		size_t at = sizeof *eh / 2 + random64() % (head - sizeof *eh);

		if (round % 3 == 0 && sections + 64 * 40 < size)
			at = sections + random64() % (size - sections);
		if (round % 5 == 0 && at + 8 <= size)
			memcpy(data + at, &(uint64_t){random64() >> random64() % 64}, 8);
		else
			data[at] ^= (uint8_t)(1u << random64() % 8);
	}
}

static void test_damaged(const char *path)
{
	char name[] = "/tmp/test_elffile.XXXXXX";
	int fd = open(path, O_RDONLY), out = mkstemp(name);
	struct stat st;
	uint8_t *data, *copy;

	if (fd < 0 || out < 0 || fstat(fd, &st))
		return check(false, "a file to damage", path);
	close(out);
	data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	copy = malloc((size_t)st.st_size);
	for (int i = 0; i < FUZZ_ROUNDS; i++) {
		size_t size = (size_t)st.st_size;

		memcpy(copy, data, size);
		damage(copy, size, i);
		if (i % 7 == 0)
			size = random64() % size;
		write_file(name, copy, size);
		ask_all(name);
	}
	unlink(name);
	free(copy);
	munmap(data, (size_t)st.st_size);
	close(fd);
	check(true, "damaged files do no harm", "");
}

static void test_refused(void)
{
	const char *why = NULL;

	errno = 0;
	check(!elffile_open("/etc/passwd", &why) && errno == ENOEXEC && why, "a text file",
	      "opened");
	check(!elffile_open("/etc", &why) && why, "a directory", "opened");
	check(!elffile_open("/no/such/file", &why) && errno == ENOENT, "no file", "opened");
	check(!elffile_open("/dev/zero", NULL), "a device", "opened");
}

/* ------------------------------------------------------- files that cost much to read */

enum {
	SYMBOLS_BYTES = 11 << 20,
	SECTIONS = 60000,
	TEXT = 0x400000,
	READ_MB = 700,
	READ_SECONDS = 5
};

static size_t put(int fd, size_t at, const void *from, size_t n)
{
	if (pwrite(fd, from, n, (off_t)at) != (ssize_t)n)
		check(false, "a crafted file", "cannot be written");
	return at + n;
}

/* An ELF file of 15 MB: one code segment, NPH notes of the whole file, and SECTIONS symbol tables
 * that are the same. */
static int crafted(unsigned nph)
{
	Elf64_Ehdr eh = {.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = EM_X86_64,
			 .e_phoff = sizeof eh,
			 .e_phentsize = sizeof(Elf64_Phdr),
			 .e_phnum = (uint16_t)(nph + 1),
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = SECTIONS};
	Elf64_Phdr text = {.p_type = PT_LOAD,
			   .p_flags = PF_X | PF_R,
			   .p_vaddr = TEXT,
			   .p_filesz = 4096,
			   .p_memsz = 4096};
	Elf64_Phdr note = {.p_type = PT_NOTE, .p_offset = 0, .p_filesz = SYMBOLS_BYTES};
	Elf64_Shdr strings = {.sh_type = SHT_STRTAB, .sh_size = 1};
	Elf64_Sym sym = {
		.st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), .st_shndx = 1, .st_size = 8};
	int fd = memfd_create("crafted", MFD_CLOEXEC);
	size_t at = put(fd, sizeof eh, &text, sizeof text);
	Elf64_Shdr table = {.sh_type = SHT_SYMTAB, .sh_link = 0};

	for (unsigned i = 0; i < nph; i++)
		at = put(fd, at, &note, sizeof note);
	table.sh_offset = (at + 63) & ~(size_t)63;
	table.sh_size = SYMBOLS_BYTES / sizeof sym * sizeof sym;
	strings.sh_offset = EI_NIDENT - 1;
	for (at = table.sh_offset; at < table.sh_offset + table.sh_size;) {
		Elf64_Sym many[512];

		for (size_t i = 0; i < 512; i++, sym.st_value++)
			many[i] = sym, many[i].st_value = TEXT + sym.st_value % 4096;
		at = put(fd, at, many, sizeof many);
	}
	eh.e_shoff = (at + 63) & ~(size_t)63;
	at = put(fd, eh.e_shoff, &strings, sizeof strings);
	for (unsigned i = 1; i < SECTIONS; i++)
		at = put(fd, at, &table, sizeof table);
	put(fd, 0, &eh, sizeof eh);
	return fd;
}

/* Runs in a child with little memory and time. */
static void read_crafted(int fd)
{
	struct rlimit time = {READ_SECONDS, READ_SECONDS},
		      memory = {(rlim_t)READ_MB << 20, (rlim_t)READ_MB << 20};
	struct elf_file *f;
	uint64_t start, end, next;

	setrlimit(RLIMIT_CPU, &time);
#ifndef __SANITIZE_ADDRESS__
	setrlimit(RLIMIT_AS, &memory);
#else
	(void)memory;
#endif
	f = elffile_open_at(fd, NULL);
	if (!f)
		_exit(2);
	_exit(elffile_function_at(f, TEXT + 9, &start, &end, &next) && !elffile_function(f, "none")
		      ? 0
		      : 1);
}

static int status_of_crafted(unsigned nph)
{
	int fd = crafted(nph), status = -1;
	pid_t pid = fork();

	if (!pid)
		read_crafted(fd);
	close(fd);
	waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_crafted(void)
{
	check(status_of_crafted(0) == 0, "60,000 symbol tables",
	      "take too long or too much memory");
	check(status_of_crafted(100) == 0, "100 segments of notes",
	      "take too long or too much memory");
	check(status_of_crafted(65000) == 2, "65,000 segments", "are accepted");
}

/* -------------------------------------------------- files that change while they are open */

enum { BEFORE_OPEN, AFTER_OPEN, AFTER_TABLES };

/* Runs in a child, which may be killed: read a copy of the C library that is truncated at moment
 * WHEN. */
static void read_truncated(int fd, const char *path, int when)
{
	struct stat st;
	uint64_t start, end, next, addr, text_addr;
	const uint8_t *text;
	char id[ELFID_TEXT];
	struct elf_file *f;

	if (fstat(fd, &st) || (when == BEFORE_OPEN && ftruncate(fd, 200)))
		_exit(9);
	f = elffile_open(path, NULL);
	if (when == BEFORE_OPEN)
		_exit(f ? 1 : 0);
	if (!f || !(text_addr = elffile_function(elffile_open(path, NULL), "malloc")))
		_exit(9);
	addr = when == AFTER_TABLES ? elffile_function(f, "malloc") : 0;
	if (ftruncate(fd, 0))
		_exit(9);
	elffile_identity(f, id);
	elffile_function_at(f, text_addr, &start, &end, &next);
	if (elffile_text(f, text_addr, &text))
		_exit(2);
	/* a file of the old size again, but zeros: data read before must not change */
	if (ftruncate(fd, st.st_size) || (addr && elffile_function(f, "malloc") != addr))
		_exit(3);
	elffile_close(f);
	_exit(0);
}

static int status_of_truncated(int when)
{
	char path[] = "/tmp/test_elffile.XXXXXX";
	int from, to = mkstemp(path), status = -1;
	struct stat st;
	Dl_info info;
	pid_t pid;

	dladdr(dlsym(dlopen("libc.so.6", RTLD_LAZY), "gnu_get_libc_version"), &info);
	from = open(info.dli_fname, O_RDONLY);
	if (from < 0 || to < 0 || fstat(from, &st) ||
	    sendfile(to, from, NULL, (size_t)st.st_size) != st.st_size)
		check(false, "a file to truncate", "cannot be written");
	pid = fork();
	if (!pid)
		read_truncated(to, path, when);
	waitpid(pid, &status, 0);
	unlink(path);
	close(from);
	close(to);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void test_truncated(void)
{
	check(status_of_truncated(BEFORE_OPEN) == 0, "a truncated file", "is accepted");
	check(status_of_truncated(AFTER_OPEN) == 0, "a file truncated while it is open",
	      "is read wrongly, or ends the tracer");
	check(status_of_truncated(AFTER_TABLES) == 0, "a file truncated when its symbols were read",
	      "is read wrongly, or ends the tracer");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	for (int i = 1; i < argc; i++)
		test_big(argv[i]);
	test_self();
	test_libc();
	test_refused();
	test_crafted();
	test_truncated();
	test_damaged("/proc/self/exe");
	test_damaged("/bin/true");
	return failed != 0;
}
