/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Is a file the one that the script was compiled for?  Offsets of another build
 * could lie in the middle of instructions, and a breakpoint there would
 * crash the target.  The build-id is in an ELF note: elf(5).
 */
#include <linux/cred.h>
#include <linux/elf.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>

#include "rt.h"

enum { MAX_NOTES = 4096, MAX_HEADERS = 128 };

static bool read_at(struct file *f, void *to, size_t n, loff_t pos)
{
	return kernel_read(f, to, n, &pos) == n;
}

/* Does the note segment at NOTES hold build-id WANT, in hex digits? */
static bool notes_have(const char *notes, size_t n, const char *want)
{
	size_t len = strlen(want) / 2, at = 0;

	while (at + sizeof(struct elf64_note) <= n) {
		const struct elf64_note *h = (const void *)(notes + at);
		size_t name = at + sizeof *h, desc = name + ALIGN((size_t)h->n_namesz, 4);
		char hex[130];

		if (desc + h->n_descsz > n)
			break;
		if (h->n_type == 3 && h->n_namesz == 4 && !memcmp(notes + name, "GNU", 4)) {
			if (h->n_descsz != len || len > 64)
				return false;
			bin2hex(hex, notes + desc, len);
			return !memcmp(hex, want, 2 * len);
		}
		at = desc + ALIGN((size_t)h->n_descsz, 4);
	}
	return false;
}

static bool segment_has(struct file *f, const Elf64_Phdr *ph, char *buf, const char *want)
{
	size_t n = min_t(u64, ph->p_filesz, MAX_NOTES);

	return ph->p_type == PT_NOTE && read_at(f, buf, n, ph->p_offset) && notes_have(buf, n, want);
}

static bool file_has(struct file *f, const char *want)
{
	char *buf = kmalloc(MAX_NOTES, GFP_KERNEL);
	Elf64_Ehdr eh;
	Elf64_Phdr ph;
	bool found = false;
	u32 i;

	if (buf && read_at(f, &eh, sizeof eh, 0) && !memcmp(eh.e_ident, ELFMAG, SELFMAG) &&
	    eh.e_ident[EI_CLASS] == ELFCLASS64)
		for (i = 0; i < eh.e_phnum && i < MAX_HEADERS && !found; i++)
			found = read_at(f, &ph, sizeof ph, eh.e_phoff + (u64)i * sizeof ph) &&
				segment_has(f, &ph, buf, want);
	kfree(buf);
	return found;
}

bool buildid_matches(const struct path *path, const char *want)
{
	struct file *f;
	bool found;

	if (!want || !*want)
		return true;
	f = dentry_open(path, O_RDONLY | O_LARGEFILE, current_cred());
	if (IS_ERR(f))
		return false;
	found = file_has(f, want);
	fput(f);
	return found;
}
