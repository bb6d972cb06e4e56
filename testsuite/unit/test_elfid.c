/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identities of ELF files created in memory: locations of a build-id, its replacement, ignored
 * parts, damage. */
#include "elfid.h"
#include "staprun_check.h"

#include <elf.h>
#include <stddef.h>
#include <string.h>

/* One file: headers, a note of a segment, code, data, a note of a section, section headers. */
struct image {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[3];
	unsigned char inside[64], code[8192], data[512], outside[64];
	Elf64_Shdr sh[2];
};

static size_t reads;

static int read_image(void *arg, void *to, __u32 n, __u64 at)
{
	reads++;
	memcpy(to, (const char *)arg + at, n);
	return 1;
}

static const char *identity(const struct image *im, size_t size)
{
	static char texts[4][ELFID_TEXT];
	static unsigned next;
	unsigned char buffer[ELFID_BUFFER];
	char *to = texts[next++ % 4];

	elfid_text(&(struct elfid_file){size, read_image, (void *)im, buffer}, to);
	return to;
}

static const char *of(const struct image *im) { return identity(im, sizeof *im); }

/* A note of type TYPE and N bytes FILL at TO; how long it is. */
static size_t put_note(unsigned char *to, const char *name, unsigned type, unsigned n,
		       unsigned char fill)
{
	const Elf64_Nhdr h = {4, n, type};

	memcpy(to, &h, sizeof h);
	memcpy(to + sizeof h, name, 4);
	memset(to + sizeof h + 4, fill, n);
	return sizeof h + 4 + (n + 3) / 4 * 4;
}

/* Without any build-id: the notes are of other types. */
static struct image make(void)
{
	static const unsigned char ident[] = {0x7f,       'E',         'L',       'F',
					      ELFCLASS64, ELFDATA2LSB, EV_CURRENT};
	struct image im = {.eh = {.e_type = ET_DYN,
				  .e_machine = EM_X86_64,
				  .e_phoff = offsetof(struct image, ph),
				  .e_phnum = 3,
				  .e_phentsize = sizeof(Elf64_Phdr),
				  .e_shoff = offsetof(struct image, sh),
				  .e_shnum = 2,
				  .e_shentsize = sizeof(Elf64_Shdr)}};

	memcpy(im.eh.e_ident, ident, sizeof ident);
	im.ph[0] = (Elf64_Phdr){.p_type = PT_NOTE,
				.p_offset = offsetof(struct image, inside),
				.p_filesz = sizeof im.inside,
				.p_align = 4};
	im.ph[1] = (Elf64_Phdr){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_X,
				.p_offset = offsetof(struct image, code),
				.p_filesz = sizeof im.code,
				.p_vaddr = 0x1000};
	im.ph[2] = (Elf64_Phdr){.p_type = PT_LOAD,
				.p_flags = PF_R | PF_W,
				.p_offset = offsetof(struct image, data),
				.p_filesz = sizeof im.data,
				.p_vaddr = 0x4000};
	im.sh[1] = (Elf64_Shdr){.sh_type = SHT_NOTE,
				.sh_offset = offsetof(struct image, outside),
				.sh_size = sizeof im.outside,
				.sh_addralign = 4};
	put_note(im.inside, "GNU", 1, 16, 0x11);
	put_note(im.outside, "Go\0", 4, 16, 0x22);
	for (size_t i = 0; i < sizeof im.code; i++)
		im.code[i] = (unsigned char)random64();
	return im;
}

static bool has(const char *identity, const char *build_id)
{
	size_t n = strlen(build_id);

	return !strncmp(identity, build_id, n) && identity[n] == ':' && strlen(identity) == n + 17;
}

static void test_places(void)
{
	struct image im = make();
	size_t n;

	check(has(of(&im), ""), "no build-id", of(&im));
	put_note(im.outside, "GNU", 3, 8, 0xab);
	check(has(of(&im), "abababababababab"), "build-id outside of segments", of(&im));
	n = put_note(im.inside, "GNU", 1, 4, 0);
	n += put_note(im.inside + n, "GNU", 3, 4, 0xcd);
	check(has(of(&im), "cdcdcdcd"), "that of a segment comes first", of(&im));
	put_note(im.inside + n, "GNU", 3, 4, 0xef);
	check(has(of(&im), "cdcdcdcd"), "the first of two counts", of(&im));
	im.eh.e_shoff = im.eh.e_shnum = 0;
	check(has(of(&im), "cdcdcdcd"), "without section headers", of(&im));
	im.ph[0].p_align = 8;
	memset(im.inside, 0, sizeof im.inside);
	put_note(im.inside, "GNU", 5, 12, 1);
	put_note(im.inside + 32, "GNU", 3, 4, 0x77);
	check(has(of(&im), "77777777"), "notes aligned to 8 bytes", of(&im));
}

static void test_damage(void)
{
	struct image im = make();
	unsigned char *huge = im.inside + 4; /* n_descsz */

	put_note(im.outside, "GNU", 3, 8, 0xab);
	put_note(im.inside, "GNU", 3, 20, 0xcd);
	memset(huge, 0xff, 4);
	check(has(of(&im), "abababababababab"), "a note that is longer than its segment", of(&im));
	memset(im.inside, 0xff, sizeof im.inside);
	check(has(of(&im), "abababababababab"), "a note that is nothing but ones", of(&im));
	put_note(im.inside, "GNU", 3, 0, 0);
	check(has(of(&im), "abababababababab"), "an empty build-id", of(&im));
	im.ph[0].p_offset = ~0ull - 8;
	check(has(of(&im), "abababababababab"), "a segment behind the end of the file", of(&im));
	im.sh[1].sh_offset = ~0ull - 8;
	im.sh[1].sh_size = ~0ull;
	check(has(of(&im), ""), "a section behind the end of the file", of(&im));
	im.ph[1].p_filesz = im.ph[1].p_offset = ~0ull;
	check(has(of(&im), ""), "code behind the end of the file", of(&im));
	im.eh.e_phoff = im.eh.e_shoff = ~0ull - 16;
	check(has(of(&im), ""), "tables behind the end of the file", of(&im));
	check(!*identity(&im, 20), "a file without header", of(&im));
	im.eh.e_ident[EI_CLASS] = ELFCLASS32;
	check(!*of(&im), "a 32-bit file", of(&im));
}

/* Empty notes are the most expensive to read. */
static void test_bounds(void)
{
	struct image im = make();

	memset(im.code, 0, sizeof im.code);
	im.eh.e_phnum = 0xffff;
	im.eh.e_shnum = 0xffff;
	im.ph[0].p_offset = offsetof(struct image, code);
	im.ph[0].p_filesz = sizeof im.code;
	im.sh[1].sh_offset = 0;
	im.sh[1].sh_size = ~0ull;
	reads = 0;
	of(&im);
	check(reads < 4000, "many notes are read in few steps", "too many reads");
	for (size_t i = 0; i < 20000; i++) {
		struct image bad = make();

		for (size_t k = 0; k < 8; k++)
			((unsigned char *)&bad)[random64() % (offsetof(struct image, inside) +
							      64)] = (unsigned char)random64();
		if (strlen(identity(&bad, random64() % (sizeof bad + 1))) >= ELFID_TEXT)
			break;
	}
	check(true, "20000 damaged files", "");
}

/* Changes of IM that alter its identity, and those that do not, with and without a build-id. */
static void test_changes(struct image im, const char *with)
{
	const bool has_id = *with;
	struct image other = im;
	char before[ELFID_TEXT];

	strcpy(before, of(&im));
	memset(other.data, 1, sizeof other.data);
	other.ph[1].p_vaddr += 0x10000;
	other.ph[2].p_vaddr += 0x10000;
	other.eh.e_entry += 0x10000;
	check(!strcmp(of(&other), before), has_id ? "moved, with build-id" : "moved", of(&other));
	other.eh.e_shoff = other.eh.e_shnum = 0;
	check(has_id || !strcmp(of(&other), before), "stripped", of(&other));
	other = im;
	memmove(other.code + 64, im.code, sizeof im.code - 64);
	check(strcmp(of(&other), before), has_id ? "code shifted, with build-id" : "code shifted",
	      before);
	other = im;
	other.ph[1].p_offset += 16;
	check(strcmp(of(&other), before),
	      has_id ? "segment shifted, with build-id" : "segment shifted", before);
	check(elfid_difference(of(&other), before) != NULL && !elfid_difference(before, before),
	      "difference", "wrong");
	other = im;
	other.code[5000] ^= 1;
	check(has_id || strcmp(of(&other), before), "one byte of code", before);
}

int main(void)
{
	struct image im = make();

	test_places();
	test_damage();
	test_bounds();
	test_changes(im, "");
	put_note(im.inside, "GNU", 3, 8, 0xab);
	test_changes(im, "abababababababab");
	return failed != 0;
}
