/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel backend: C text -> .ko, without kbuild and without kernel headers.
 *
 * The slow steps run once per kernel, and their results are cached (kbuild.c). A script costs
 * one run of the compiler, of the kernel's objtool and of the linker; then the module's name is
 * put in place. The module is cached, too, under a hash of all its inputs.
 */
#include "kernel.h"
#include "base/cache.h"
#include "base/environment.h"
#include "base/installed.h"
#include "base/kernel_target.h"
#include "base/subprocess.h"
#include "emit/stackmap.h"
#include "passes.h"
#include "arch/arch.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

/* ------------------------------------------------- which kernel, which compiler */

/* Value of NAME in the kernel's configuration, quotes removed; NULL if unset. */
static char *config_value(const char *config, const char *name)
{
	size_t n = strlen(name);
	const char *p = config;

	while ((p = strstr(p, name))) {
		if ((p == config || p[-1] == '\n') && p[n] == '=') {
			p += n + 1;
			p += *p == '"';
			return xstrndup(p, strcspn(p, "\"\n"));
		}
		p += n;
	}
	return NULL;
}

/* Major version that COMPILER reports, 0 if it does not run. */
static int compiler_major(const char *compiler)
{
	char *text = command_output((const char *const[]){compiler, "-dumpversion", NULL});

	return text ? atoi(text) : 0;
}

/* The kernel's own compiler if it is here, else this machine's.  False: none. */
static bool find_compiler(struct kernel *k, const char *config)
{
	char *text = config_value(config, "CONFIG_CC_VERSION_TEXT");
	char *version = config_value(config, "CONFIG_GCC_VERSION");
	char *own = text ? xstrndup(text, strcspn(text, " ")) : NULL;

	k->clang = config_value(config, "CONFIG_CC_IS_CLANG") != NULL;
	k->kernel_cc_major = version ? atoi(version) / 10000 : 0;
	k->cc = own ? find_tool(own) : NULL;
	if (!k->cc && !k->clang && k->kernel_cc_major)
		k->cc = find_tool(xprintf("gcc-%d", k->kernel_cc_major));
	if (k->cc) {
		k->cc_major = k->kernel_cc_major;
		return true;
	}
	k->cc = find_tool(k->clang ? "clang" : "gcc");
	return k->cc != NULL;
}

bool kernel_find(const struct session *s, struct kernel *k, struct unusable *why)
{
	struct kernel_target target;
	char *config;

	*k = (struct kernel){0};
	target = kernel_target(s->opt.release);
	k->release = target.release;
	k->build = target.build;
	if (!kernel_has_headers(&target))
		return refuse(
			why, E_NO_HEADERS, xprintf("kernel headers for %s are missing", k->release),
			strchr(k->release, '/')
				? "give -r a directory of kernel headers"
				: xprintf("apt install %s", kernel_headers_package(k->release)));
	config = read_file(xprintf("%s/include/config/auto.conf", k->build), NULL);
	if (!config || !config_value(config, "CONFIG_UPROBES") ||
	    !config_value(config, "CONFIG_MODULES"))
		return refuse(
			why, E_NO_MODULES,
			xprintf("kernel %s was configured without modules or uprobes", k->release),
			"boot a kernel with CONFIG_MODULES=y and CONFIG_UPROBES=y, for "
			"example Debian's: apt install linux-image-amd64");
	k->runtime = data_path("runtime");
	if (!k->runtime)
		return refuse(why, E_BUILD, "the sources of ustap's runtime were not found",
			      "run `make install`, or set USTAP_RUNTIME to their directory");
	if (!find_tool("make") || !find_tool("ld"))
		return refuse(why, E_BUILD,
			      "make or ld was not found; building a module needs both",
			      "apt install make binutils");
	if (!find_compiler(k, config))
		return refuse(why, E_BUILD, "no C compiler found",
			      k->clang ? "apt install clang lld" : "apt install gcc");
	return true;
}

/* ------------------------------------------------------ can modules be loaded? */

static bool has_capability(unsigned cap)
{
	char *text = read_file("/proc/self/status", NULL);
	const char *p = text ? strstr(text, "\nCapEff:") : NULL;

	return p ? strtoull(p + 8, NULL, 16) >> cap & 1 : geteuid() == 0;
}

/* The chosen word of /sys/kernel/security/lockdown, as "none [integrity]". */
static bool locked_down(void)
{
	char *text = read_file("/sys/kernel/security/lockdown", NULL);
	char *enforce = read_first_line("/sys/module/module/parameters/sig_enforce");

	return (text && strchr(text, '[') && !strstr(text, "[none]")) ||
	       (enforce && enforce[0] == 'Y');
}

static bool loadable(const struct session *s, struct unusable *why)
{
	enum { CAP_SYS_MODULE_ = 16 };

	if (s->opt.pids.n > 1)
		return refuse(why, E_OPTION, "several -x need the user runtime",
			      "use --runtime=user, or --children");
	if (access("/proc/modules", F_OK))
		return refuse(
			why, E_NO_MODULES,
			xprintf("the running kernel %s cannot load modules", running_release()),
			"boot a kernel with CONFIG_MODULES=y, for example Debian's: "
			"apt install linux-image-amd64");
	if (s->opt.release && strcmp(s->opt.release, running_release()) &&
	    !strchr(s->opt.release, '/'))
		return refuse(why, E_OPTION,
			      xprintf("a module for kernel %s cannot be loaded into the running "
				      "kernel %s",
				      s->opt.release, running_release()),
			      "add -p4 to build the module and run it there with staprun");
	if (!has_capability(CAP_SYS_MODULE_))
		return refuse(why, E_NO_PRIVILEGE,
			      geteuid() ? "loading a module needs root"
					: "root lacks the capability to load modules here "
					  "(CAP_SYS_MODULE), as in a container",
			      geteuid() ? "run it with sudo" : "run it outside the container");
	if (locked_down() && !s->opt.sign_module)
		return refuse(why, E_NO_MODULES,
			      "the running kernel is locked down and loads only signed modules",
			      "sign modules with an enrolled key (--sign-module; mokutil --import "
			      "CERT), or turn Secure "
			      "Boot off (mokutil --disable-validation)");
	return true;
}

static bool kernel_usable(const struct session *s, struct unusable *why)
{
	struct kernel k;

	if (s->opt.stop_after >= 5 && !s->opt.prepare && !loadable(s, why))
		return false;
	return kernel_find(s, &k, why);
}

/* ------------------------------------------------------------------ preparing */

static bool get_kernel(struct session *s, struct kernel *k)
{
	struct unusable why;

	if (!kernel_find(s, k, &why)) {
		diag_error(why.tag, (struct loc){0}, "%s", why.msg);
		diag_hint("%s", why.hint);
		return false;
	}
	/* Debian's objtool is a script that asks which architecture it is for. */
	setenv("SRCARCH", arch_target()->kernel_arch, 0);
	return kernel_key(k);
}

/* Make, and the shells that it runs, take names apart at blanks and the like. */
static bool kbuild_can_work(const struct kernel *k)
{
	if (!strpbrk(k->kept, " \t\n!\"#$%&'()*:;<>?[\\]`{|}"))
		return true;
	diag_error(E_BUILD, (struct loc){0},
		   "kbuild cannot build in %s: make does not support a character in this path",
		   cache_dir());
	diag_hint("set USTAP_CACHE_DIR to another directory");
	return false;
}

/* Make the PARTS of the runtime ready, if that is not done. */
static bool prepare_parts(const struct session *s, struct kernel *k,
			  const bool parts[RUNTIME_PARTS])
{
	bool ready = true;

	for (int i = 0; i < RUNTIME_PARTS && ready; i++)
		ready = !parts[i] || cache_is_sound(part_dir(k, i));
	if (ready)
		return true;
	if (!kbuild_can_work(k))
		return false;
	if (!k->cc_major)
		k->cc_major = compiler_major(k->cc);
	if (k->cc_major != k->kernel_cc_major)
		vlog(1, "kernel %s was built with compiler version %d; using %s, version %d",
		     k->release, k->kernel_cc_major, k->cc, k->cc_major);
	cache_expire("kernels", UNUSED_DAYS);
	return kbuild_prepare(s, k, parts);
}

/* --poison-cache: nothing is taken from the cache. */
static void forget_parts(const struct session *s, const struct kernel *k)
{
	for (int i = 0; i < RUNTIME_PARTS && s->opt.poison_cache; i++)
		cache_discard(part_dir(k, i));
}

static bool kernel_prepare(struct session *s)
{
	bool all[RUNTIME_PARTS];
	struct kernel k;

	for (int i = 0; i < RUNTIME_PARTS; i++)
		all[i] = true;
	if (!get_kernel(s, &k))
		return false;
	forget_parts(s, &k);
	if (!prepare_parts(s, &k, all))
		return false;
	vlog(1, "kernel %s is ready in %s", k.release, k.kept);
	return true;
}

/* ------------------------------------------------------------------- building */

/* The files of one build, in the session's work directory. */
struct job {
	char *c, *o, *ko, *log;
};

static bool run_step(const struct session *s, const struct job *j, const char *what,
		     char *const *fixed, const char *const *more)
{
	VEC(const char *) a = {0};
	int status;

	for (; *fixed; fixed++)
		vec_push(&a, *fixed);
	for (; *more; more++)
		vec_push(&a, *more);
	vec_push(&a, NULL);
	status = run_command(a.v, NULL, j->log);
	if (!status)
		return true;
	if (report_embedded(s, j->log, NULL))
		return false;
	report_failed_step(what, status, j->log);
	return false;
}

/* A kernel stack has 16 KB.  Functions deep in file systems and drivers are entered with about half
 * of it in use; the runtime's own functions take up to 3 KB below a handler. */
static const struct stack_limits stack_limits = {"the kernel's stack", 1024, 4096};

/* Prepare the parts of the runtime that the script's object needs and set LINKED[part] for each. */
static bool prepare_linked(const struct session *s, struct kernel *k, const struct job *j,
			   bool linked[RUNTIME_PARTS])
{
	if (!parts_needed(k->runtime, j->o, linked)) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s", j->o);
		return false;
	}
	linked[PART_BASE] = true;
	return prepare_parts(s, k, linked);
}

/* *OBJECT: an object with the versions of the symbols that embedded C uses, or NULL. */
static bool compile_versions(const struct kernel *k, const struct recipe *r,
			     const struct session *s, const struct job *j, const char **object)
{
	const char *source, *c = xprintf("%s.versions.c", j->o),
			    *o = xprintf("%s.versions.o", j->o);
	const char *const cc[] = {"-c", "-o", o, c, NULL};

	*object = NULL;
	if (!s->embeds.n)
		return true;
	if (!symbol_versions(k, j->o, &source))
		return false;
	*object = source ? o : NULL;
	return !source ||
	       (write_text(c, source, strlen(source)) && run_step(s, j, "the compiler", r->cc, cc));
}

static bool link_module(const struct kernel *k, const struct recipe *r, const struct session *s,
			const struct job *j, const bool linked[RUNTIME_PARTS])
{
	const char *versions;
	VEC(const char *) a = {0};

	if (!compile_versions(k, r, s, j, &versions))
		return false;
	vec_push(&a, "-T");
	vec_push(&a, xprintf("%s/module.lds", k->kept));
	vec_push(&a, "-o");
	vec_push(&a, j->ko);
	vec_push(&a, xprintf("%s/base.o", k->kept));
	for (int i = PART_BASE + 1; i < RUNTIME_PARTS; i++)
		if (linked[i]) {
			vec_push(&a, xprintf("%s/part.o", part_dir(k, i)));
			cache_touch(part_dir(k, i));
		}
	vec_push(&a, j->o);
	if (versions)
		vec_push(&a, versions);
	vec_push(&a, NULL);
	return run_step(s, j, "the linker", r->ld, a.v);
}

static bool compile(struct kernel *k, const struct recipe *r, struct session *s,
		    const struct job *j)
{
	bool linked[RUNTIME_PARTS] = {0};
	const char *const cc[] = {xprintf("-I%s/include", k->runtime),
				  "-fstack-usage",
				  "-c",
				  "-o",
				  j->o,
				  j->c,
				  headers_option(s),
				  "-MF",
				  headers_rule(s),
				  NULL};
	const char *const obj[] = {j->o, NULL};
	bool headers = s->embeds.n && r->cc_headers;

	if (headers)
		vlog(1, "embedded C: the script is compiled with all of the kernel's options and "
			"headers");
	if (!stackmaps_check() || !write_text(j->c, s->c_text.s, s->c_text.n) ||
	    !run_step(s, j, "the compiler", headers ? r->cc_headers : r->cc, cc) ||
	    !stack_check(s, j->o, &stack_limits))
		return false;
	if (r->objtool && !run_step(s, j, "objtool", r->objtool, obj))
		return false;
	return prepare_linked(s, k, j, linked) && link_module(k, r, s, j, linked);
}

/* Put NAME, which is no longer, in the place of each KEPT_NAME that a NUL ends. */
static bool set_name(const char *path, const char *name)
{
	const size_t len = strlen(KEPT_NAME);
	char padded[sizeof KEPT_NAME] = "";
	size_t n, count = 0;
	char *data = read_file(path, &n), *p = data;

	memcpy(padded, name, strlen(name));
	while (data && (p = memmem(p, (size_t)(data + n - p), KEPT_NAME, len + 1))) {
		memcpy(p, padded, len);
		p += len;
		count++;
	}
	if (count < 2) {
		diag_error(E_BUILD, (struct loc){0}, "the cached runtime has no module name");
		return false;
	}
	return write_text(path, data, n);
}

static bool name_ok(const char *name)
{
	size_t n = strlen(name);

	for (const char *p = name; *p; p++)
		if (!isalnum((unsigned char)*p) && *p != '_')
			n = 0;
	if (n && n <= strlen(KEPT_NAME) && !isdigit((unsigned char)name[0]))
		return true;
	diag_error(E_OPTION, (struct loc){0}, "\"%s\" cannot name a module", name);
	diag_hint("use at most %zu letters, digits and _", strlen(KEPT_NAME));
	return false;
}

static bool make_module(struct session *s, struct kernel *k, const char *name, const char *entry)
{
	char *file = xprintf("%s.ko", name);
	struct recipe r;
	struct job j = {xprintf("%s/script.c", s->work_dir), xprintf("%s/script.o", s->work_dir),
			xprintf("%s/%s", s->work_dir, file), xprintf("%s/log", s->work_dir)};

	if (!recipe_read(k, &r)) {
		diag_error(E_IO, (struct loc){0}, "cannot read %s: %s", k->kept, strerror(errno));
		diag_hint("remove that directory; ustap creates it again when needed");
		return false;
	}
	return compile(k, &r, s, &j) && set_name(j.ko, name) && sign_module(s, k, j.ko, j.log) &&
	       artifact_keep(s, "modules", entry, j.ko, file);
}

static bool kernel_build(struct session *s)
{
	bool named[RUNTIME_PARTS] = {[PART_BASE] = true};
	const char *parts[5], *name, *entry;
	struct kernel k;
	char *hash;

	if (s->opt.module_name && !name_ok(s->opt.module_name))
		return false;
	if (!get_kernel(s, &k))
		return false;
	parts[0] = "3";
	parts[1] = k.kept;
	parts[2] = s->c_text.s;
	parts[3] = s->opt.module_name ? s->opt.module_name : "";
	parts[4] = sign_identity(s);
	if (!parts[4])
		return false;
	hash = hash_hex(parts, ARRAY_LEN(parts));
	name = s->opt.module_name ? s->opt.module_name : xprintf(NAME_FORMAT, hash);
	entry = cache_path("modules", hash);
	if (!entry)
		return false;
	if (artifact_cached(s, entry, xprintf("%s.ko", name))) {
		vlog(1, "using module %s from the cache", name);
		cache_touch(k.kept);
	} else {
		cache_expire("modules", UNUSED_DAYS);
		s->work_dir = private_dir();
		if (s->opt.keep)
			private_dir_keep();
		forget_parts(s, &k);
		parts_named(k.runtime, s->c_text.s, named);
		if (!s->work_dir || !prepare_parts(s, &k, named) ||
		    !make_module(s, &k, name, entry))
			return false;
	}
	return artifact_copy(s, ".ko");
}

const struct backend backend_kernel = {
	.name = "kernel",
	.usable = kernel_usable,
	.prepare = kernel_prepare,
	.build = kernel_build,
};
