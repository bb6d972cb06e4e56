/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Subsystems of the kernel's tracepoints.
 *
 * BTF does not have them, but the headers that define tracepoints do: TRACE_SYSTEM, and then macros
 * whose first or second argument is the tracepoint's name (include/linux/tracepoint.h,
 * include/trace/define_trace.h). Some are defined in headers that no package has; their subsystem
 * is not known.
 */
#include <ctype.h>
#include <dirent.h>
#include <string.h>

#include "dwarf/values.h"
#include "kernel_image.h"
#include "arch/arch.h"

static ARENA_STATE struct smap systems; /* name -> subsystem */
static ARENA_STATE bool tried;

static size_t word(const char *p)
{
	size_t n = 0;

	while (isalnum((unsigned char)p[n]) || p[n] == '_')
		n++;
	return n;
}

/* The arguments at P, in front of which is a macro's name. */
static void read_arguments(const char *p, const char *system)
{
	for (int i = 0; i < 2; i++) {
		size_t n;

		p += strspn(p, " \t\n");
		n = word(p);
		if (n && !smap_get(&systems, xstrndup(p, n)))
			smap_put(&systems, xstrndup(p, n), (void *)system);
		p += n;
		if (*p++ != ',')
			return;
	}
}

/* A line of a header, after which SYSTEM may be another one. */
static const char *read_line(const char *line, const char *system)
{
	static const char define[] = "#define TRACE_SYSTEM";
	const char *name = line + strlen(define);
	size_t n = word(line);

	if (!strncmp(line, define, strlen(define)) && isblank((unsigned char)*name)) {
		name += strspn(name, " \t");
		return xstrndup(name, word(name));
	}
	if (system && n && isupper((unsigned char)*line) && line[n] == '(' &&
	    strncmp(line, "DECLARE_EVENT_CLASS", n))
		read_arguments(line + n + 1, system);
	return system;
}

static void read_header(const char *path)
{
	const char *system = NULL;
	size_t len;

	for (const char *p = read_file(path, &len); p && *p; p += strcspn(p, "\n"), p += !!*p)
		system = read_line(p, system);
}

static void read_directory(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *e;

	while (dir && (e = readdir(dir)))
		if (strlen(e->d_name) > 2 && !strcmp(e->d_name + strlen(e->d_name) - 2, ".h"))
			read_header(xprintf("%s/%s", path, e->d_name));
	if (dir)
		closedir(dir);
}

/* Debian's Makefile for modules only names that of the headers that all flavours share. */
static const char *shared_headers(const char *build)
{
	size_t len;
	const char *text = read_file(xprintf("%s/Makefile", build), &len),
		   *p = text ? strstr(text, "include /") : NULL, *end;

	if (!p)
		return NULL;
	p += strlen("include ");
	end = strstr(p, "/Makefile");
	return end && end < p + strcspn(p, "\n") ? xstrndup(p, (size_t)(end - p)) : NULL;
}

static void read_headers(void)
{
	const char *const folders[] = {
		"include/trace/events", "include/trace", "include/ras",
		xprintf("arch/%s/include/asm/trace", arch_target()->kernel_arch)};
	const char *build = kernel_target_get()->build, *const roots[] = {
								build,
								build ? xprintf("%s/source", build)
								      : NULL,
								build ? shared_headers(build)
								      : NULL,
							};

	tried = true;
	for (size_t i = 0; i < ARRAY_LEN(roots); i++)
		for (size_t k = 0; roots[i] && k < ARRAY_LEN(folders); k++)
			read_directory(xprintf("%s/%s", roots[i], folders[k]));
}

/* Some macros make names of what they are given. */
static const char *const added[] = {"_entry", "_exit", "_tp"};

const char *kernel_trace_system(const char *name)
{
	const char *found;

	if (!tried)
		read_headers();
	found = smap_get(&systems, name);
	for (size_t i = 0; i < ARRAY_LEN(added) && !found; i++) {
		size_t n = strlen(name), end = strlen(added[i]);

		if (n > end && !strcmp(name + n - end, added[i]))
			found = smap_get(&systems, xstrndup(name, n - end));
	}
	return found;
}
