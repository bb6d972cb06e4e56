/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Once for each kernel: compile a part of the runtime with the kernel's own build system and keep
 * what scripts need of it in the cache. Of the base:
 *
 *   base.o       the runtime, __this_module, modversions, linked
 *   module.lds   the kernel's linker script for modules
 *   cc, objtool, ld   the commands that the kernel's build used, one argument
 *                a line, without file names; see struct recipe
 *   cc_headers   cc for scripts whose embedded C includes kernel headers
 *
 * Of each other part, which is compiled when a script first needs it (runtime_parts.c):
 *
 *   part.o       its code and modversions, linked
 *   needs        names of the parts that it refers to, one a line
 *
 * The commands come from kbuild's own records (.NAME.cmd). Differences between kernel builds are
 * thus taken over without being known here.
 */
#include "kbuild_commands.h"
#include "createfile.h"
#include "base/cache.h"
#include "base/subprocess.h"
#include "base/environment.h"
#include "dwarf/object_symbols.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* Functions that a compiler may call of its own accord.  The runtime names
 * them so that the module has the kernel's versions of these symbols. */
static const char imports_text[] = "#include <linux/string.h>\n"
				   "extern const void *const ust_imports[];\n"
				   "#ifdef CONFIG_STACKPROTECTOR\n"
				   "extern void __stack_chk_fail(void);\n"
				   "#endif\n"
				   "const void *const ust_imports[] = {\n"
				   "#ifdef CONFIG_STACKPROTECTOR\n"
				   "\t__stack_chk_fail,\n"
				   "#endif\n"
				   "\tmemcpy, memmove, memset, memcmp, strlen };\n";

/* --------------------------------------------------------------------- key */

/* All of the build that the result depends on, besides this function's own
 * version: raise the first part when the layout of what is kept changes. */
bool kernel_key(struct kernel *k)
{
	VEC(const char *) parts = {0};
	word_vec files = {0};

	vec_push(&parts, "7");
	vec_push(&parts, k->release);
	vec_push(&parts, k->build);
	vec_push(&parts, file_identity(xprintf("%s/Module.symvers", k->build)));
	vec_push(&parts, file_identity(xprintf("%s/include/config/auto.conf", k->build)));
	vec_push(&parts, file_identity(k->cc));
	vec_push(&parts, imports_text);
	runtime_sources(k->runtime, &files);
	for (size_t i = 0; i < files.n; i++) {
		char *text = read_file(xprintf("%s/%s", k->runtime, files.v[i]), NULL);

		vec_push(&parts, files.v[i]);
		vec_push(&parts, text ? text : "");
	}
	k->kept = cache_path("kernels", xprintf("%s-%s", k->release, hash_hex(parts.v, parts.n)));
	return k->kept;
}

char *part_dir(const struct kernel *k, enum runtime_part part)
{
	return part == PART_BASE ? k->kept : xprintf("%s-%s", k->kept, part_name(part));
}

/* ---------------------------------------------------------------- scratch */

static bool write_file(const char *path, const char *text)
{
	return write_text(path, text, strlen(text));
}

struct unit {
	const char *name;
	struct strbuf includes;
};

/* Write SRC/unit_NAME.c for each compile unit of PART and append the objects' names to OBJECTS. */
static bool write_units(const char *src, const word_vec *files, enum runtime_part part,
			struct strbuf *objects)
{
	VEC(struct unit) units = {0};

	for (size_t i = 0; i < files->n; i++) {
		const char *name;
		size_t at = 0;

		if (!has_suffix(files->v[i], ".c") || part_of_source(files->v[i], &name) != part)
			continue;
		while (at < units.n && strcmp(units.v[at].name, name))
			at++;
		if (at == units.n)
			vec_push(&units, ((struct unit){.name = name}));
		sb_printf(&units.v[at].includes, "#include \"%s\"\n", files->v[i]);
	}
	/* modpost asks for a license; link_part() removes it, as the base has it */
	if (part != PART_BASE && units.n)
		sb_add(&units.v[0].includes, "#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n"
					     "MODULE_DESCRIPTION(\"part of the runtime\");\n");
	for (size_t i = 0; i < units.n; i++) {
		sb_printf(objects, " unit_%s.o", units.v[i].name);
		if (!write_file(xprintf("%s/unit_%s.c", src, units.v[i].name),
				units.v[i].includes.s))
			return false;
	}
	return true;
}

/* The Kbuild file for OBJECTS; SRC is absolute since $(src) means several things.  The runtime's
 * .mk files look at the kernel's headers and add to ccflags-y. */
static char *kbuild_text(const char *src, const word_vec *files, const char *objects)
{
	struct strbuf sb = {0};

	sb_printf(&sb, "obj-m := %s.o\n%s-y :=%s", KEPT_NAME, KEPT_NAME, objects);
	sb_printf(&sb, "\nccflags-y := -std=gnu11 -I%s/include -I%s/common -I%s/kernel", src, src,
		  src);
	sb_add(&sb, " -Wno-declaration-after-statement -Wno-missing-prototypes\n"
		    "ccflags-remove-y := $(CC_FLAGS_FTRACE)\n"
		    "UBSAN_SANITIZE := n\nKCOV_INSTRUMENT := n\nGCOV_PROFILE := n\n");
	for (size_t i = 0; i < files->n; i++)
		if (has_suffix(files->v[i], ".mk"))
			sb_printf(&sb, "include %s/%s\n", src, files->v[i]);
	return sb.s;
}

/* Make the folders of PATH, which is relative to SRC. */
static void make_parents(const char *src, const char *path)
{
	for (const char *p = path; (p = strchr(p, '/')); p++)
		mkdir(xprintf("%s/%.*s", src, (int)(p - path), path), 0700);
}

/* SCRATCH/src: links to the runtime's sources, and a Kbuild file. */
static bool make_source_tree(const struct kernel *k, enum runtime_part part, const char *src)
{
	struct strbuf objects = {0};
	word_vec files = {0};

	mkdir(src, 0700);
	runtime_sources(k->runtime, &files);
	for (size_t i = 0; i < files.n; i++) {
		make_parents(src, files.v[i]);
		if (symlink(xprintf("%s/%s", k->runtime, files.v[i]),
			    xprintf("%s/%s", src, files.v[i]))) {
			diag_error(E_IO, (struct loc){0}, "cannot link %s into %s: %s", files.v[i],
				   src, strerror(errno));
			return false;
		}
	}
	if (part == PART_BASE) {
		sb_add(&objects, " imports.o");
		if (!write_file(xprintf("%s/imports.c", src), imports_text))
			return false;
	}
	return write_units(src, &files, part, &objects) &&
	       write_file(xprintf("%s/Kbuild", src), kbuild_text(src, &files, objects.s));
}

/* ------------------------------------------------------------- running make */

/* Unset variables that would change kbuild, such as those of a surrounding make. */
static void clean_environment(void)
{
	static const char *const names[] = {"MAKEFLAGS",
					    "MFLAGS",
					    "MAKELEVEL",
					    "MAKEOVERRIDES",
					    "KBUILD_OUTPUT",
					    "KBUILD_EXTMOD",
					    "ARCH",
					    "O",
					    "M",
					    "V",
					    "W",
					    "C",
					    "LLVM",
					    "CFLAGS",
					    "CPPFLAGS",
					    "LDFLAGS"};

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		unsetenv(names[i]);
	setenv("LC_ALL", "C", 1);
}

/* SPOKEN: LOG gets the commands, too. True if kbuild succeeds. */
static bool try_make(const struct kernel *k, const char *src, bool spoken, const char *log)
{
	VEC(const char *) a = {0};
	char *cpus = xprintf("-j%ld", sysconf(_SC_NPROCESSORS_ONLN));

	vec_push(&a, "make");
	vec_push(&a, cpus);
	vec_push(&a, "-C");
	vec_push(&a, k->build);
	vec_push(&a, xprintf("M=%s", src));
	/* No debug information: it is half of the compiler's time, and BTF of
	 * modules needs a vmlinux that header packages do not have. */
	vec_push(&a, "CONFIG_DEBUG_INFO=");
	vec_push(&a, "CONFIG_DEBUG_INFO_BTF=");
	vec_push(&a, "CONFIG_DEBUG_INFO_BTF_MODULES=");
	/* ust_program comes with the script; undefined_symbols() looks for others. */
	vec_push(&a, "KBUILD_MODPOST_WARN=1");
	vec_push(&a, k->clang ? "LLVM=1" : xprintf("CC=%s", k->cc));
	/* options of newer compilers that the kernel's Makefile takes for granted */
	if (k->cc_major < k->kernel_cc_major)
		vec_push(&a, "CONFIG_CC_HAS_MIN_FUNCTION_ALIGNMENT=");
	if (spoken)
		vec_push(&a, "V=1");
	vec_push(&a, "modules");
	vec_push(&a, NULL);
	clean_environment();
	return !run_command(a.v, NULL, log);
}

/* Kbuild's commands are in LOG, for find_objtool_spoken(); after a failure it runs once more, for
 * a log of the errors alone. */
static bool run_make(const struct kernel *k, const char *src, const char *log)
{
	if (try_make(k, src, true, log) || try_make(k, src, false, log))
		return true;
	report_failure(xprintf("the runtime does not build for kernel %s", k->release), log);
	return false;
}

/* modpost only warns: report undefined symbols, except ust_program, which the script defines. */
static bool undefined_symbols(const struct kernel *k, const char *log)
{
	char *text = read_file(log, NULL);
	int n = 0;

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		if (strstr(line, "undefined!") && !strstr(line, "\"ust_program\"")) {
			diag_error(E_BUILD, (struct loc){0}, "kernel %s: %s", k->release, line);
			n++;
		}
	return n > 0;
}

/* ----------------------------------------------------------------- linking */

static bool link_base(const struct link *l, const char *out, const char *log)
{
	VEC(const char *) a = {0};

	for (size_t i = 0; i < l->flags.n; i++)
		if (strncmp(l->flags.v[i], "--build-id", strlen("--build-id")) != 0)
			vec_push(&a, l->flags.v[i]);
	vec_push(&a, "-o");
	vec_push(&a, out);
	for (size_t i = 0; i < l->inputs.n; i++)
		vec_push(&a, l->inputs.v[i]);
	vec_push(&a, NULL);
	return !run_command(a.v, NULL, log);
}

/* ------------------------------------------------------------------ keeping */

static bool write_words(const char *dir, const char *name, const word_vec *words)
{
	struct strbuf sb = {0};

	sb_add(&sb, "");
	for (size_t i = 0; i < words->n; i++)
		sb_printf(&sb, "%s\n", words->v[i]);
	return write_file(xprintf("%s/%s", dir, name), sb.s);
}

static bool fail_recipe(const struct kernel *k, const char *what)
{
	diag_error(E_BUILD, (struct loc){0}, "kernel %s: cannot parse kbuild's command file of %s",
		   k->release, what);
	return false;
}

static bool keep_commands(const struct kernel *k, const char *src, const char *dir, const char *log)
{
	word_vec cc_cmds[8], ld_cmds[8], cc = {0}, headers = {0}, objtool = {0};
	size_t ncc = recorded(src, "imports.o", cc_cmds, 8);
	size_t nld = recorded(src, KEPT_NAME ".o", ld_cmds, 8);

	if (!ncc || cc_cmds[0].n < 10)
		return fail_recipe(k, "the compiler's command");
	script_cc(k, &cc_cmds[0], &cc);
	headers_cc(k, src, &cc_cmds[0], &headers);
	if (!find_objtool(k, src, cc_cmds, ncc, &objtool) &&
	    !find_objtool(k, src, ld_cmds, nld, &objtool))
		find_objtool_spoken(k, src, log, &objtool);
	return write_words(dir, "cc", &cc) && write_words(dir, "cc_headers", &headers) &&
	       write_words(dir, "objtool", &objtool);
}

static bool keep_objects(const struct kernel *k, const char *src, const char *dir, const char *log)
{
	word_vec cmds[8];
	struct link l;
	char *script;

	if (!recorded(src, KEPT_NAME ".ko", cmds, 8))
		return fail_recipe(k, "the linker's command");
	split_link(k, src, &cmds[0], &l);
	script = l.script ? read_file(l.script, NULL) : NULL;
	if (!script || !l.inputs.n)
		return fail_recipe(k, "the linker's command");
	if (!link_base(&l, xprintf("%s/base.o", dir), log)) {
		report_failure("the runtime cannot be linked", log);
		return false;
	}
	return write_words(dir, "ld", &l.flags) &&
	       write_file(xprintf("%s/module.lds", dir), script);
}

/* The base must not refer to another part: it is linked without any. */
static bool check_base(const struct kernel *k, const char *src)
{
	bool needed[RUNTIME_PARTS] = {0};

	if (!parts_needed(k->runtime, xprintf("%s/" KEPT_NAME ".o", src), needed))
		return fail_recipe(k, "the runtime's object");
	for (int i = PART_BASE + 1; i < RUNTIME_PARTS; i++)
		if (needed[i]) {
			diag_error(E_BUILD, (struct loc){0},
				   "the base of the runtime refers to its part \"%s\"",
				   part_name(i));
			return false;
		}
	return true;
}

static bool fill_base(const struct kernel *k, const char *src, const char *kept, const char *log)
{
	return !undefined_symbols(k, log) && check_base(k, src) &&
	       keep_commands(k, src, kept, log) && keep_objects(k, src, kept, log);
}

/* ------------------------------------------------------------ the other parts */

/* Copy the versions of the kernel's symbols that modpost wrote into FROM to the object TO, which is
 * NULL afterwards if FROM is without them. */
static bool copy_versions(const char *from, char **to, const char *log)
{
	/* the second and third are those of CONFIG_EXTENDED_MODVERSIONS */
	static const char *const sections[] = {"__versions", "__version_ext_crcs",
					       "__version_ext_names"};
	VEC(const char *) a = {0};
	bool any = false;

	vec_push(&a, "objcopy");
	for (size_t i = 0; i < ARRAY_LEN(sections); i++)
		if (object_has_section(from, sections[i])) {
			vec_push(&a, xprintf("--only-section=%s", sections[i]));
			any = true;
		}
	vec_push(&a, from);
	vec_push(&a, *to);
	vec_push(&a, NULL);
	if (!any) {
		*to = NULL;
		return true;
	}
	return !run_command(a.v, NULL, log);
}

/* Link the part in SRC to OUT: its code and, if the kernel has them, versions. */
static bool link_part(const struct kernel *k, const char *src, const char *out, const char *log)
{
	char *versions = xprintf("%s/versions.o", src);
	const char *const strip[] = {"objcopy", "--remove-section=.modinfo", out, NULL};
	word_vec cmds[8];
	struct link l;

	if (!recorded(src, KEPT_NAME ".ko", cmds, 8))
		return fail_recipe(k, "the linker's command");
	split_link(k, src, &cmds[0], &l);
	l.inputs = (word_vec){0};
	vec_push(&l.inputs, xprintf("%s/" KEPT_NAME ".o", src));
	if (copy_versions(xprintf("%s/" KEPT_NAME ".mod.o", src), &versions, log)) {
		if (versions)
			vec_push(&l.inputs, versions);
		if (link_base(&l, out, log) && !run_command(strip, NULL, log))
			return true;
	}
	report_failure("a part of the runtime cannot be linked", log);
	return false;
}

/* A symbol that parts_needed() does not know would be missing in the modules of scripts. */
static bool check_part(const struct kernel *k, enum runtime_part part, const char *object)
{
	const char *name = part_misplaced_symbol(k->runtime, object, part);

	if (!name)
		return true;
	diag_error(
		E_BUILD, (struct loc){0},
		"the definition of \"%s\" was not found in the sources of the part \"%s\" of the "
		"runtime",
		name, part_name(part));
	return false;
}

static bool fill_part(const struct kernel *k, enum runtime_part part, const char *src,
		      const char *kept, const char *log)
{
	char *object = xprintf("%s/part.o", kept);
	bool needed[RUNTIME_PARTS] = {0};
	word_vec names = {0};

	if (!link_part(k, src, object, log) || !check_part(k, part, object) ||
	    !parts_needed(k->runtime, object, needed))
		return false;
	for (int i = PART_BASE + 1; i < RUNTIME_PARTS; i++)
		if (needed[i])
			vec_push(&names, xstrdup(part_name(i)));
	return write_words(kept, "needs", &names);
}

static bool fill(const struct kernel *k, enum runtime_part part, const char *scratch)
{
	char *src = xprintf("%s/src", scratch), *kept = xprintf("%s/kept", scratch);
	char *log = xprintf("%s/log", scratch);

	mkdir(kept, 0700);
	return make_source_tree(k, part, src) && run_make(k, src, log) &&
	       (part == PART_BASE ? fill_base(k, src, kept, log)
				  : fill_part(k, part, src, kept, log)) &&
	       cache_seal(kept, part_dir(k, part));
}

/* Wait for another run that fills the same kernel's cache.  -1: no lock, go on. */
static int lock_kernel(const struct kernel *k)
{
	char *path = cache_path("kernels", xprintf("%s.lock", k->release));
	int fd = path ? private_open(path, O_RDWR) : -1;

	if (fd >= 0)
		flock(fd, LOCK_EX);
	return fd;
}

bool kbuild_prepare(const struct session *s, const struct kernel *k, enum runtime_part part)
{
	int lock = lock_kernel(k);
	bool ok = true;

	warn_untrusted("kernel headers in", k->build);

	if (!cache_is_sound(part_dir(k, part))) {
		char *scratch = cache_begin("kernels");

		ok = scratch;
		if (!ok)
			diag_error(E_IO, (struct loc){0}, "cannot make a directory in %s: %s",
				   cache_dir(), strerror(errno));
		ok = ok && fill(k, part, scratch);
		if (scratch && !s->opt.keep)
			cache_remove(scratch);
		else if (scratch)
			fprintf(stderr, "ustap: kept %s\n", scratch);
		cache_enforce_limit();
	}
	if (lock >= 0)
		close(lock);
	return ok;
}

/* ------------------------------------------------------------------ reading */

/* The lines of a file as an argument list; NULL if it cannot be read or is empty. */
static char **read_words(const struct kernel *k, const char *name)
{
	char *text = read_file(xprintf("%s/%s", k->kept, name), NULL);
	word_vec words = {0};

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		vec_push(&words, line);
	if (!words.n)
		return NULL;
	vec_push(&words, NULL);
	return words.v;
}

bool recipe_read(const struct kernel *k, struct recipe *r)
{
	r->cc = read_words(k, "cc");
	r->cc_headers = read_words(k, "cc_headers");
	r->objtool = read_words(k, "objtool");
	r->ld = read_words(k, "ld");
	return r->cc && r->ld;
}

bool part_needs(const struct kernel *k, enum runtime_part part, bool needed[RUNTIME_PARTS])
{
	char *text = read_file(xprintf("%s/needs", part_dir(k, part)), NULL);

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		for (int i = PART_BASE + 1; i < RUNTIME_PARTS; i++)
			if (!strcmp(line, part_name(i)))
				needed[i] = true;
	return text;
}
