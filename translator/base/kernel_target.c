/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel that a script is for: the running one, or that of -r.  Only its release and the
 * directory of its headers are looked up here; what a module needs of it is in backend/kernel.c.
 */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "environment.h"
#include "kernel_target.h"
#include "proc_root.h"
#include "util.h"

const char *running_release(void)
{
	static struct utsname u;

	return uname(&u) ? "" : u.release;
}

bool kernel_has_headers(const struct kernel_target *k)
{
	return k->build && !access(xprintf("%s/Makefile", k->build), R_OK) &&
	       !access(xprintf("%s/include/config/auto.conf", k->build), R_OK);
}

const char *kernel_headers_package(const char *release)
{
	return xprintf("linux-headers-%s", release);
}

const char *kernel_debug_package(const char *release)
{
	return xprintf("linux-image-%s-dbg", release);
}

/* The release that the headers in directory BUILD are of. */
static char *headers_release(const char *build)
{
	char *text = read_file(xprintf("%s/include/generated/utsrelease.h", build), NULL);
	const char *quote = text ? strchr(text, '"') : NULL;

	if (quote)
		return xstrndup(quote + 1, strcspn(quote + 1, "\""));
	return read_first_line(xprintf("%s/include/config/kernel.release", build));
}

struct kernel_target kernel_target(const char *given)
{
	const char *build = environment_path("USTAP_KERNEL_BUILD");
	struct kernel_target k;
	char real[PATH_MAX];

	if (given && strchr(given, '/'))
		build = given;
	else if (given || !build || !*build)
		build = xprintf("/lib/modules/%s/build", given ? given : running_release());
	if (*sysroot() && given && !strchr(given, '/'))
		k.build = path_below(sysroot(), build);
	else
		k.build = realpath(build, real) ? xstrdup(real) : NULL;
	k.release = given && !strchr(given, '/') ? given : running_release();
	if (k.build && build != given && !environment_path("USTAP_KERNEL_BUILD"))
		return k;
	if (k.build && headers_release(k.build))
		k.release = headers_release(k.build);
	else if (build == given)
		k.release = given;
	return k;
}
