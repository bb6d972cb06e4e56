/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Traits of a kernel's uprobes, by its headers, as versions do not show them.
 *
 * Kernels from 6.18 on have arch_uprobe_optimize(). The first of them replace a nop of five bytes
 * by a call, for which a process has a list of trampolines (head_tramps). Later ones leave that
 * nop, and optimise longer ones without writing to the red zone.
 */
#include <string.h>

#include "kernel_uprobes.h"
#include "util.h"

/* include/linux/uprobes.h of the kernel sources; Debian's build directory has a Makefile that
 * includes theirs. */
static char *read_header(const char *build)
{
	static const char name[] = "include/linux/uprobes.h", include[] = "include ";
	char *text = read_file(xprintf("%s/%s", build, name), NULL), *makefile, *line, *end;

	if (!text)
		text = read_file(xprintf("%s/source/%s", build, name), NULL);
	if (text)
		return text;
	makefile = read_file(xprintf("%s/Makefile", build), NULL);
	line = makefile ? strstr(makefile, include) : NULL;
	if (!line || (line > makefile && line[-1] != '\n'))
		return NULL;
	line += strlen(include);
	line[strcspn(line, "\n")] = 0;
	end = strrchr(line, '/');
	return end ? read_file(xprintf("%.*s/%s", (int)(end - line), line, name), NULL) : NULL;
}

struct uprobe_traits uprobe_traits(const char *build)
{
	const char *text = build ? read_header(build) : NULL;
	struct uprobe_traits t = {0};

	t.emulates_nops = text && strstr(text, "arch_uprobe_optimize(");
	t.calls = t.emulates_nops && strstr(text, "head_tramps");
	return t;
}
