/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * --system-report: facts about this system that a bug report needs, one "name: value" per line.
 *
 * Everything but the names comes from outside: it is printed without control characters. The report
 * is made to be published, so it names neither the host nor its addresses.
 */
#include "config.h"
#include <gnu/libc-version.h>
#include <grp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <sys/utsname.h>
#include <unistd.h>
#include "base/cache.h"
#include "base/installed.h"
#include "base/kernel_target.h"
#include "base/subprocess.h"
#include "dwarf/kernel/kernel_image.h"
#include "dwarf/module.h"
#include "passes.h"

extern char **environ;

static void fact(const char *name, const char *value)
{
	printf("%s: %s\n", name, value ? printable(value) : "unknown");
}

static char *first_line(char *text)
{
	if (text)
		text[strcspn(text, "\n")] = 0;
	return text;
}

/* Returns the value of NAME: the rest of the first line of the file PATH that begins with it,
 * without quotes and blanks around it. NULL: no such line. */
static const char *field_of(const char *path, const char *name)
{
	char *text = read_file(path, NULL);

	for (char *p = text; p && *p; p = strchr(p, '\n') ? strchr(p, '\n') + 1 : NULL) {
		if (strncmp(p, name, strlen(name)) != 0)
			continue;
		p += strlen(name);
		p += strspn(p, " \t:=\"");
		return xstrndup(p, strcspn(p, "\"\n"));
	}
	return NULL;
}

/* ------------------------------------------------------------ this program */

static void print_ustap(void)
{
	fact("ustap", PACKAGE_VERSION);
	fact("elfutils", elfutils_version());
	fact("libc", gnu_get_libc_version());
	fact("features",
#ifdef HAVE_JSON_C
	     "json-c "
#endif
#ifdef HAVE_LIBREADLINE
	     "readline "
#endif
#ifdef HAVE_LIBBPF
	     "libbpf "
#endif
#ifdef HAVE_LIBDEFLATE
	     "libdeflate "
#endif
	);
	fact("tapset library", data_path("tapsets") ? data_path("tapsets") : "missing");
	fact("staprun", staprun_path() ? staprun_path() : "missing");
	fact("cache", cache_dir());
}

static void print_runtimes(const struct session *s)
{
	static const enum runtime all[] = {RT_KERNEL, RT_USER};

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		const struct backend *b = backends[all[i]];
		struct unusable why;

		fact(xprintf("runtime %s", b->name),
		     b->usable(s, &why) ? "usable" : xprintf("not usable: %s", why.msg));
	}
}

static void print_tool(const char *name)
{
	const char *path = find_tool(name);
	const char *const version[] = {path, "--version", NULL};

	fact(name, path ? first_line(command_output(version)) : "missing");
}

/* ----------------------------------------------------------------- kernel */

/* The options of the kernel's configuration on which ustap or its speed depends. */
static const char *const config_names[] = {
	"CONFIG_MODULES",
	"CONFIG_MODULE_SIG_FORCE",
	"CONFIG_MODVERSIONS",
	"CONFIG_KPROBES",
	"CONFIG_KRETPROBES",
	"CONFIG_KPROBES_ON_FTRACE",
	"CONFIG_OPTPROBES",
	"CONFIG_UPROBES",
	"CONFIG_TRACEPOINTS",
	"CONFIG_FTRACE_SYSCALLS",
	"CONFIG_DYNAMIC_FTRACE_WITH_ARGS",
	"CONFIG_PERF_EVENTS",
	"CONFIG_HAVE_HW_BREAKPOINT",
	"CONFIG_RELAY",
	"CONFIG_DEBUG_INFO_BTF",
	"CONFIG_RANDOMIZE_BASE",
	"CONFIG_UNWINDER_ORC",
	"CONFIG_X86_KERNEL_IBT",
	"CONFIG_CFI_CLANG",
	"CONFIG_SECURITY_LOCKDOWN_LSM",
	"CONFIG_PREEMPT_RT",
	"CONFIG_CC_VERSION_TEXT",
};

/* Its path for the kernel K; NULL: not found. */
static const char *config_file(const struct kernel_target *k)
{
	const char *const paths[] = {
		xprintf("%s/include/config/auto.conf", k->build ? k->build : ""),
		xprintf("/boot/config-%s", k->release),
		xprintf("/lib/modules/%s/config", k->release),
	};

	for (size_t i = !k->build; i < ARRAY_LEN(paths); i++)
		if (!access(paths[i], R_OK))
			return paths[i];
	return NULL;
}

static void print_kernel(const char *given)
{
	struct kernel_target k = kernel_target(given);
	const char *config = config_file(&k);
	const char *debug = kernel_debug_file(k.release);
	struct utsname u;

	if (!uname(&u))
		fact("running kernel", xprintf("%s %s %s", u.release, u.version, u.machine));
	fact("kernel", k.release);
	fact("kernel headers", kernel_has_headers(&k) ? k.build : "missing");
	fact("kernel debug information", debug ? debug : "missing");
	fact("kernel configuration", config ? config : "missing");
	for (size_t i = 0; config && i < ARRAY_LEN(config_names); i++) {
		const char *value = field_of(config, xprintf("%s=", config_names[i]));

		fact(config_names[i], value ? value : "not set");
	}
}

/* -------------------------------------------------- settings, the machine */

static void print_settings(void)
{
	static const char *const files[] = {
		"/sys/kernel/security/lockdown",      "/sys/module/module/parameters/sig_enforce",
		"/sys/kernel/debug/kprobes/enabled",  "/proc/sys/debug/kprobes-optimization",
		"/proc/sys/kernel/yama/ptrace_scope", "/proc/sys/kernel/perf_event_paranoid",
		"/proc/sys/kernel/kptr_restrict",     "/proc/sys/kernel/modules_disabled",
		"/proc/sys/kernel/ftrace_enabled",    "/proc/sys/kernel/tainted",
	};

	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		fact(files[i], read_first_line(files[i]));
}

static void print_groups(void)
{
	static const char *const names[] = {"stapusr", "stapsys", "stapdev"};
	gid_t groups[256];
	int n = getgroups(ARRAY_LEN(groups), groups);
	struct strbuf sb = {0};

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const struct group *g = getgrnam(names[i]);

		for (int j = 0; g && j < n; j++)
			if (groups[j] == g->gr_gid)
				sb_printf(&sb, "%s ", names[i]);
	}
	fact("user", geteuid() ? "not root" : "root");
	fact("groups", sb.s ? sb.s : "not one of stapusr, stapsys, stapdev");
	fact("capabilities", field_of("/proc/self/status", "CapEff"));
	fact("seccomp", field_of("/proc/self/status", "Seccomp:"));
}

static void print_machine(void)
{
	struct sysinfo info;

	fact("distribution", field_of("/etc/os-release", "PRETTY_NAME="));
	fact("processor", field_of("/proc/cpuinfo", "model name"));
	fact("processors online", xprintf("%ld", sysconf(_SC_NPROCESSORS_ONLN)));
	if (!sysinfo(&info))
		fact("memory",
		     xprintf("%llu MB", (unsigned long long)info.totalram * info.mem_unit >> 20));
}

/* Values may be passwords only in DEBUGINFOD_URLS and KBUILD_SIGN_PIN, which are not shown. */
static void print_environment(void)
{
	static const char *const shown[] = {"USTAP_", "SYSTEMTAP_",
					    "XDG_CACHE_HOME=", "PATH=", "LD_LIBRARY_PATH="};
	static const char *const secret[] = {"DEBUGINFOD_URLS=", "KBUILD_SIGN_PIN="};

	for (char **p = environ; *p; p++) {
		size_t n = strcspn(*p, "=");

		for (size_t i = 0; i < ARRAY_LEN(shown); i++)
			if (!strncmp(*p, shown[i], strlen(shown[i])))
				fact(xstrndup(*p, n), *p + n + ((*p)[n] == '='));
		for (size_t i = 0; i < ARRAY_LEN(secret); i++)
			if (!strncmp(*p, secret[i], strlen(secret[i])))
				fact(xstrndup(*p, n), "set");
	}
}

void system_report(const struct session *s)
{
	print_ustap();
	print_runtimes(s);
	print_machine();
	print_kernel(s->opt.release);
	print_tool("gcc");
	print_tool("clang");
	print_tool("ld");
	print_tool("make");
	print_settings();
	print_groups();
	print_environment();
}
