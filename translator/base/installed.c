/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that come with ustap: the runtime's sources, the tapset library, the archive of the user
 * runtime. */
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "environment.h"
#include "installed.h"
#include "subprocess.h"
#include "util.h"

static bool is_dir(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

char *program_dir(void)
{
	char buf[PATH_MAX];
	ssize_t n = readlink("/proc/self/exe", buf, sizeof buf - 1);

	if (n <= 0)
		return xstrdup("");
	buf[n] = 0;
	*strrchr(buf, '/') = 0;
	return xstrdup(buf);
}

static const char *runtime_sources; /* -R */

void runtime_sources_are(const char *dir)
{
	warn_untrusted("-R", dir);
	runtime_sources = dir;
}

const char *data_path(const char *what)
{
	const char *env = !strcmp(what, "runtime")   ? environment_path("USTAP_RUNTIME")
			  : !strcmp(what, "tapsets") ? environment_path("USTAP_TAPSETS")
						     : NULL;
	char *dir = program_dir();
	const char *cand[] = {
		xprintf("%s/.srcdir/%s", dir, what),
		xprintf("%s/../share/ustap/%s", dir, what),
		xprintf("%s/%s", PKGDATADIR, what),
	};

	if (runtime_sources && !strcmp(what, "runtime"))
		return runtime_sources;
	if (env)
		return is_dir(env) ? env : NULL;
	for (size_t i = 0; i < ARRAY_LEN(cand); i++)
		if (is_dir(cand[i]))
			return cand[i];
	return NULL;
}

const char *user_runtime_path(void)
{
	const char *env = environment_path("USTAP_USER_RUNTIME");
	char *dir = program_dir();
	const char *cand[] = {
		xprintf("%s/libustap_user.a", dir),
		xprintf("%s/../lib/ustap/libustap_user.a", dir),
		xprintf("%s/libustap_user.a", PKGLIBDIR),
	};

	if (env)
		return access(env, R_OK) ? NULL : env;
	for (size_t i = 0; i < ARRAY_LEN(cand); i++)
		if (!access(cand[i], R_OK))
			return cand[i];
	return NULL;
}

/* staprun lies beside this program, in the build tree as where it is installed. */
const char *staprun_path(void)
{
	const char *own = environment_path("USTAP_STAPRUN");
	char *path = xprintf("%s/staprun", program_dir());

	if (own)
		return own;
	if (!access(path, X_OK))
		return path;
	path = xprintf("%s/staprun", BINDIR);
	return access(path, X_OK) ? find_tool("staprun") : path;
}
