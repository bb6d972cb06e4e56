/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Addresses of the script's modules and of all other file-backed code in a process, for unwinding
 * and to know callers: the loader writes them to the process's private memory, if the script uses
 * them.
 */
#include "inject/elf/elf.h"
#include "inject/injector.h"
#include "inject/patch/arm.h"
#include "inject/patch/patched_file.h"
#include "inject/process/process.h"
#include "inject/ptrace/ptrace.h"
#include "base/message.h"
#include "wire_agent.h"
#include "wire_process.h"

#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The number of the module that M maps; -1 if it is not one of the script's. */
static int module_of(const struct injector *in, const struct process *p, const struct mapping *m)
{
	uint32_t n = in->blob->made.nmodules;

	for (uint32_t i = 0; m->inode && i < n; i++)
		if (file_is(in->files[i], p->pid, m))
			return (int)i;
	return -1;
}

static bool same_file(const struct mapping *a, const struct mapping *b)
{
	return a->inode == b->inode && a->dev_major == b->dev_major && a->dev_minor == b->dev_minor;
}

static bool is_vdso(const struct mapping *m) { return !strcmp(m->path, "[vdso]"); }

/* Address of the first byte of the file whose mapping has index I. */
static uint64_t first_byte(const struct maps *maps, size_t i)
{
	const struct mapping *m = &maps->v[i];

	if (is_vdso(m))
		return m->start;
	for (size_t j = i + 1; j-- > 0;)
		if (!maps->v[j].offset && same_file(&maps->v[j], m))
			return maps->v[j].start;
	return 0;
}

/* True for code of a file that is neither one of the script's modules nor the runtime's own. */
static bool is_other_code(const struct mapping *m)
{
	return m->exec && (m->inode || is_vdso(m)) && !blob_is_mapped_as(m->path);
}

struct told {
	struct ust_mapped v[UST_MAPPED];
	size_t n;
	char paths[UST_PATHS];
	size_t used; /* bytes of paths; the first is the empty path */
};

static uint32_t add_path(struct told *to, const char *path)
{
	size_t at = to->used, n = strlen(path) + 1;

	if (n > UST_PATHS - at)
		return 0;
	memcpy(to->paths + at, path, n);
	to->used += n;
	return (uint32_t)at;
}

/* List at most UST_MAPPED mappings, in order of address. */
static void list(const struct injector *in, const struct process *p, const struct maps *maps,
		 struct told *to)
{
	to->n = 0;
	to->used = 1;
	to->paths[0] = 0;
	for (size_t i = 0; i < maps->n && to->n < UST_MAPPED; i++) {
		const struct mapping *m = &maps->v[i];
		int module = module_of(in, p, m);

		if (module < 0 && !is_other_code(m))
			continue;
		to->v[to->n++] = (struct ust_mapped){m->start,
						     m->end,
						     is_vdso(m) ? 0 : m->offset,
						     first_byte(maps, i),
						     module < 0 ? UST_NO_MODULE : (uint32_t)module,
						     module < 0 ? add_path(to, m->path) : 0};
	}
}

static bool differs(const struct process *p, const struct told *now)
{
	return now->n != p->nmapped ||
	       (now->n && memcmp(now->v, p->mapped, now->n * sizeof *now->v));
}

bool module_map_changed(const struct injector *in, const struct process *p, const struct maps *maps)
{
	struct told now;

	if (!in->blob->made.walks)
		return false;
	list(in, p, maps, &now);
	return differs(p, &now);
}

/* An address may have other code now. */
static void forget_callers(const struct blob *b, struct tracee *t)
{
	static const uint64_t none[UST_CALLERS];

	tracee_write(t, b->made.callers, none, sizeof none);
}

void module_map_write(const struct injector *in, struct process *p, struct tracee *t,
		      const struct maps *maps)
{
	uint64_t base = in->blob->base;
	struct told now;
	uint32_t n;

	if (!in->blob->made.walks)
		return;
	list(in, p, maps, &now);
	if (!differs(p, &now))
		return;
	n = (uint32_t)now.n;
	p->mapped = xrealloc(p->mapped, UST_MAPPED * sizeof *p->mapped);
	p->nmapped = now.n;
	memcpy(p->mapped, now.v, n * sizeof *now.v);
	tracee_write(t, base + offsetof(struct ust_process, mapped), now.v, n * sizeof *now.v);
	tracee_write(t, base + offsetof(struct ust_process, paths), now.paths, now.used);
	tracee_write(t, base + offsetof(struct ust_process, nmapped), &n, sizeof n);
	forget_callers(in->blob, t);
}
