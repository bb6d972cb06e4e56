/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's check of module files, on made-up ELF files: rejected files, effects of the new
 * name, and damage.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <elf.h>
#include <stdlib.h>
#include <string.h>

#include "base/exit_status.h"
#include "base/privilege.h"
#include "module/kernel_module.h"
#include "staprun_check.h"
#include "wire.h"

/* ------------------------------------------------------------- made-up modules */

struct made {
	unsigned char b[4096];
	size_t n;
	size_t info, mod; /* offsets of the two sections */
};

static const char strings[] = "\0.modinfo\0.gnu.linkonce.this_module\0.shstrtab";
enum { NAME_INFO = 1, NAME_MOD = 10, NAME_STR = 36 };

static size_t put(struct made *m, const void *data, size_t n)
{
	size_t at = m->n;

	memcpy(m->b + at, data, n);
	m->n = (m->n + n + 7) & ~(size_t)7;
	return at;
}

static Elf64_Shdr section(unsigned name, unsigned type, size_t at, size_t n)
{
	return (Elf64_Shdr){.sh_name = name, .sh_type = type, .sh_offset = at, .sh_size = n};
}

/* INFO is the text of .modinfo, each string ended by '|'; NAME the one in struct module. */
static void make(struct made *m, const char *info, const char *name)
{
	Elf64_Ehdr eh = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB},
			 .e_type = ET_REL,
			 .e_shentsize = sizeof(Elf64_Shdr),
			 .e_shnum = 4,
			 .e_shstrndx = 3};
	char text[512], mod[256] = "";
	size_t n = strlen(info), str;
	Elf64_Shdr sh[4] = {0};

	memset(m, 0, sizeof *m);
	m->n = sizeof eh;
	for (size_t i = 0; i < n; i++)
		text[i] = info[i] == '|' ? 0 : info[i];
	strcpy(mod + 24, name);
	m->info = put(m, text, n);
	m->mod = put(m, mod, sizeof mod);
	str = put(m, strings, sizeof strings);
	sh[1] = section(NAME_INFO, SHT_PROGBITS, m->info, n);
	sh[2] = section(NAME_MOD, SHT_PROGBITS, m->mod, sizeof mod);
	sh[3] = section(NAME_STR, SHT_STRTAB, str, sizeof strings);
	eh.e_shoff = put(m, sh, sizeof sh);
	memcpy(m->b, &eh, sizeof eh);
}

#define NAME       "ustap_0123456789_0000000"
#define TEXT_OF(x) #x
#define TEXT(x)    TEXT_OF(x)
#define VERSION    TEXT(UST_WIRE_VERSION)
#define INFO       "ustap=" VERSION "|name=" NAME "|vermagic=6.1.0-9-amd64 SMP mod_unload |"

/* A copy of exactly the right size, so that a sanitizer detects a read beyond it. */
static bool checked(struct image *im, const unsigned char *b, size_t n)
{
	bool ok;

	memset(im, 0, sizeof *im);
	im->data = malloc(n ? n : 1);
	memcpy(im->data, b, n);
	im->size = n;
	drop_messages();
	ok = module_file_check(im, "x.ko");
	restore_messages();
	return ok;
}

static void refused(const char *info, const char *name, const char *what)
{
	struct image im;
	struct made m;

	make(&m, info, name);
	check(!checked(&im, m.b, m.n), what, "it was accepted");
	free(im.data);
}

/* --------------------------------------------------------------------- checks */

static void test_good(void)
{
	static const char longest[] = "name_of_the_longest_that_a_module_can_have_0123456789ab";
	char info[200];
	struct image im;
	struct made m;

	make(&m, INFO, NAME);
	check(checked(&im, m.b, m.n), "a module of ours is accepted", "it was refused");
	check(!strcmp(im.name, NAME), "its name is found", im.name);
	check(!strncmp(im.vermagic, "6.1.0-9-amd64 ", 14), "its kernel is found", im.vermagic);
	check(!im.is_signed, "it is not signed", "it is");
	free(im.data);
	snprintf(info, sizeof info, "ustap=" VERSION "|name=%s|", longest);
	make(&m, info, longest);
	check(checked(&im, m.b, m.n) && !strcmp(im.name, longest), "the longest name",
	      "it was refused");
	free(im.data);
}

static void test_number(void)
{
	struct image im, again;
	struct made m;

	make(&m, INFO, NAME);
	checked(&im, m.b, m.n);
	check(module_file_has_number(&im), "the name has a place for a number", "no such section");
	module_file_set_number(&im, 4321);
	check(!strcmp(im.name, "ustap_0123456789_0004321"), "the number is in the name", im.name);
	check(checked(&again, im.data, im.size) && !strcmp(again.name, im.name),
	      "the number is in both places of the file", again.name);
	module_file_set_number(&im, 12345678);
	check(!strcmp(im.name, "ustap_0123456789_2345678"), "a number keeps to 7 digits", im.name);
	free(im.data);
	free(again.data);
	make(&m, "ustap=" VERSION "|name=mine|", "mine");
	check(checked(&im, m.b, m.n) && !module_file_has_number(&im), "a chosen name has no number",
	      "it has");
	module_file_set_number(&im, 1);
	check(!memcmp(im.data, m.b, m.n), "a chosen name stays", "it was changed");
	free(im.data);
}

static void test_signed(void)
{
	static const char mark[] = "~Module signature appended~\n";
	struct image im;
	struct made m;

	make(&m, INFO, NAME);
	memcpy(m.b + m.n, mark, sizeof mark - 1);
	m.n += sizeof mark - 1;
	check(checked(&im, m.b, m.n) && im.is_signed, "a signature is seen", "it is not");
	module_file_set_number(&im, 1);
	check(!memcmp(im.data, m.b, m.n), "a signed module stays as it is", "it was changed");
	free(im.data);
}

static void test_refused(void)
{
	refused("name=" NAME "|", NAME, "a module without our key is refused");
	refused("name=ustap=" VERSION "|", "ustap=" VERSION,
		"our key within a value is not our key");
	refused("ustap=" VERSION "|name=" NAME, NAME, "a .modinfo without end is refused");
	refused("ustap=99|name=" NAME "|", NAME, "another version is refused");
	refused("ustap=|name=" NAME "|", NAME, "an empty version is refused");
	refused("ustap=" VERSION "x|name=" NAME "|", NAME,
		"a version that is not a number is refused");
	refused("ustap=" VERSION "|", NAME, "a module without name is refused");
	refused("ustap=" VERSION "|name=|", "", "an empty name is refused");
	refused("ustap=" VERSION "|name=../x|", "../x", "a name with odd characters is refused");
	refused("ustap=" VERSION "|name=other|", NAME, "two different names are refused");
	refused("ustap=" VERSION "|name=name_of_the_longest_that_a_module_can_have_0123456789abc|",
		"name_of_the_longest_that_a_module_can_have_0123456789abc",
		"a longer name is refused");
}

/* In truncated files the section headers at the end are missing. */
static void test_truncated(void)
{
	struct image im;
	struct made m;
	size_t accepted = 0;

	make(&m, INFO, NAME);
	for (size_t n = 0; n < m.n; n++) {
		accepted += checked(&im, m.b, n);
		free(im.data);
	}
	check(!accepted, "a file cut anywhere is refused", "some length was accepted");
}

/* Offsets, sizes and counts with extreme values. */
static void test_extremes(void)
{
	static const uint64_t values[] = {0,
					  1,
					  0x7fffffff,
					  0xffffffff,
					  0x100000000,
					  0x7fffffffffffffff,
					  0xfffffffffffffff0,
					  UINT64_MAX};
	size_t bad = 0;

	for (size_t at = 0; at + 8 <= sizeof(Elf64_Ehdr) + 4 * sizeof(Elf64_Shdr); at += 2) {
		for (size_t v = 0; v < sizeof values / sizeof values[0]; v++) {
			struct image im;
			struct made m;
			size_t where = at;

			make(&m, INFO, NAME);
			if (at >= sizeof(Elf64_Ehdr))
				where = m.n - 4 * sizeof(Elf64_Shdr) + at - sizeof(Elf64_Ehdr);
			memcpy(m.b + where, &values[v], 8);
			if (checked(&im, m.b, m.n))
				bad += strcmp(im.name, NAME) != 0;
			free(im.data);
		}
	}
	check(!bad, "extreme header values", "a module with another name was accepted");
}

static void test_mutations(void)
{
	size_t accepted = 0, wrong = 0;

	for (int round = 0; round < 20000; round++) {
		struct image im;
		struct made m;

		make(&m, INFO, NAME);
		for (uint64_t n = 1 + random64() % 3; n; n--)
			m.b[random64() % m.n] = (unsigned char)random64();
		if (checked(&im, m.b, m.n)) {
			accepted++;
			module_file_set_number(&im, (unsigned)round);
			wrong += strlen(im.name) >= NAME_SIZE;
		}
		free(im.data);
	}
	check(!wrong && accepted < 20000, "mutated modules",
	      "nothing was refused, or a name too long");
}

static void test_files(void)
{
	struct image im;
	bool fifo, dir, none;

	drop_messages();
	fifo = module_file_read(&im, "/dev/null", ROLE_ROOT);
	free(im.data);
	dir = module_file_read(&im, "/", ROLE_ROOT);
	free(im.data);
	none = module_file_read(&im, "/nonexistent.ko", ROLE_ROOT);
	restore_messages();
	check(!fifo, "a device is not a module", "it was read");
	check(!dir, "a directory is not a module", "it was read");
	check(!none, "a missing file is not a module", "it was read");
	check(module_file_read(&im, "/proc/self/exe", ROLE_ROOT), "a file is read", "it was not");
	drop_messages();
	check(!module_file_check(&im, "self"), "a program is not a module", "it was accepted");
	restore_messages();
	free(im.data);
}

int main(void)
{
	test_good();
	test_number();
	test_signed();
	test_refused();
	test_truncated();
	test_extremes();
	test_mutations();
	test_files();
	return failed != 0;
}
