/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a program has moved to other memory at the same address, as node --use-largepages and
 * PHP's opcache.huge_code_pages do: /proc/PID/maps shows anonymous memory there. Its mappings are
 * given the name and offset of the file, so that its functions are found as those of others.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <stdlib.h>
#include <string.h>

/* The kernel's names of memory without a file: none, and that of huge pages (mmap(2),
 * MAP_HUGETLB). */
static bool is_anonymous(const struct mapping *m)
{
	return m->exec && !m->shared &&
	       (!*m->path || (m->deleted && !strcmp(m->path, "/anon_hugepage")));
}

/* M has the code at OFFSET of the file that HEADER maps. */
static void adopt(struct mapping *m, const struct mapping *header, uint64_t offset)
{
	free(m->path);
	m->path = xstrndup(header->path, strlen(header->path));
	m->deleted = header->deleted;
	m->dev_major = header->dev_major;
	m->dev_minor = header->dev_minor;
	m->inode = header->inode;
	m->offset = offset;
}

/* Memory that extends beyond the segment contains other code, too. */
static void adopt_within(struct maps *maps, const struct mapping *header,
			 const struct code_range *r)
{
	uint64_t start = header->start + r->from_header;

	for (size_t i = 0; i < maps->n; i++) {
		struct mapping *m = &maps->v[i];

		if (m->start >= start && m->end <= start + r->size && is_anonymous(m))
			adopt(m, header, r->offset + (m->start - start));
	}
}

static bool has_anonymous_code(const struct maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (is_anonymous(&maps->v[i]))
			return true;
	return false;
}

/* A program may map the first page of a file as often as it likes. */
enum { MOST_COPIES = 64 };

void moved_text_name(const struct injector *in, pid_t pid, struct maps *maps)
{
	struct code_range r;
	size_t copies = 0;

	if (!has_anonymous_code(maps))
		return;
	for (size_t i = 0; i < maps->n && copies < MOST_COPIES; i++) {
		const struct mapping *m = &maps->v[i];
		const struct file *f = m->inode && !m->offset ? file_of(in, pid, m) : NULL;

		for (size_t k = 0; f && elffile_code_range(f->elf, k, &r); k++)
			adopt_within(maps, m, &r);
		copies += !!f;
	}
}
