/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Once for each kernel: compile parts of the runtime with the kernel's own build system and keep
 * what scripts need of them in the cache. Of the base:
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
 *
 * All parts that are wanted at a time are units of one module to kbuild, since its own start takes
 * as long as the compiler does for a part; the units are then linked by part. The commands come
 * from kbuild's records (kbuild_commands.c).
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
#include <time.h>
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

/* Passes that the runtime's units do without: they are more than a tenth of the compiler's time,
 * and change few hits (bench/cold-start, bench/hit-cost). gcc 9, with which kernels are built as
 * well, does not have the first at -O2. The level itself stays: at -O1, calls of pv_ops go through
 * a register in loops, and apply_alternatives() of Linux 6.12 stops with a BUG at such a call. */
static const char unit_flags[] = "-fno-inline-functions -fno-schedule-insns2 -fno-tree-pre "
				 "-fno-code-hoisting -fno-tree-loop-vectorize "
				 "-fno-tree-slp-vectorize";

/* --------------------------------------------------------------------- key */

/* All of the build that the result depends on, besides this function's own
 * version: raise the first part when the layout of what is kept changes. */
bool kernel_key(struct kernel *k)
{
	VEC(const char *) parts = {0};

	vec_push(&parts, "12");
	vec_push(&parts, k->release);
	vec_push(&parts, k->build);
	vec_push(&parts, file_identity(xprintf("%s/Module.symvers", k->build)));
	vec_push(&parts, file_identity(xprintf("%s/include/config/auto.conf", k->build)));
	vec_push(&parts, file_identity(k->cc));
	vec_push(&parts, imports_text);
	vec_push(&parts, unit_flags);
	vec_push(&parts, runtime_digest(k->runtime));
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

/* A compile unit: unit_NAME.c includes sources, SIZE bytes. */
struct unit {
	const char *name;
	enum runtime_part part;
	struct strbuf includes;
	off_t size;
};

/* One run of kbuild, for the parts of WANTED. */
struct run {
	const struct kernel *k;
	const char *src, *log; /* kbuild's directory and output */
	bool wanted[RUNTIME_PARTS];
	VEC(struct unit) units;
	word_vec objects; /* all objects of the module but its .mod.o */
	double started;
};

static struct unit *find_unit(struct run *r, const char *name, enum runtime_part part)
{
	for (size_t i = 0; i < r->units.n; i++)
		if (!strcmp(r->units.v[i].name, name))
			return &r->units.v[i];
	vec_push(&r->units, ((struct unit){.name = name, .part = part}));
	return &r->units.v[r->units.n - 1];
}

static int by_size(const void *a, const void *b)
{
	const struct unit *x = a, *y = b;

	return x->size < y->size ? 1 : x->size > y->size ? -1 : strcmp(x->name, y->name);
}

/* Make starts the compiler for the units in their order: a large one at the end would leave the
 * other processors idle. */
static void find_units(struct run *r, const word_vec *files)
{
	for (size_t i = 0; i < files->n; i++) {
		const char *name, *file = files->v[i];
		enum runtime_part part = part_of_source(file, &name);
		struct stat st;
		struct unit *u;

		if (!r->wanted[part] || !has_suffix(file, ".c"))
			continue;
		u = find_unit(r, name, part);
		sb_printf(&u->includes, "#include \"%s\"\n", file);
		if (!stat(xprintf("%s/%s", r->k->runtime, file), &st))
			u->size += st.st_size;
	}
	if (r->units.n)
		qsort(r->units.v, r->units.n, sizeof *r->units.v, by_size);
	if (r->wanted[PART_BASE])
		vec_push(&r->objects, xstrdup("imports.o"));
	for (size_t i = 0; i < r->units.n; i++)
		vec_push(&r->objects, xprintf("unit_%s.o", r->units.v[i].name));
	/* modpost asks for a license; link_part() removes it, as the base has it */
	if (!r->wanted[PART_BASE] && r->units.n)
		sb_add(&r->units.v[0].includes,
		       "#include <linux/module.h>\nMODULE_LICENSE(\"GPL\");\n"
		       "MODULE_DESCRIPTION(\"part of the runtime\");\n");
}

/* The Kbuild file; the path of the sources is absolute since $(src) means several things.  The
 * runtime's .mk files look at the kernel's headers and add to ccflags-y.  Flags of single units
 * come after those; imports.o, whose command scripts are compiled with, is without. */
static char *kbuild_text(const struct run *r, const word_vec *files)
{
	const char *src = r->src;
	struct strbuf sb = {0};

	sb_printf(&sb, "obj-m := %s.o\n%s-y :=", KEPT_NAME, KEPT_NAME);
	for (size_t i = 0; i < r->objects.n; i++)
		sb_printf(&sb, " %s", r->objects.v[i]);
	sb_printf(&sb, "\nccflags-y := -std=gnu11 -I%s/include -I%s/common -I%s/kernel", src, src,
		  src);
	sb_add(&sb, " -Wno-declaration-after-statement -Wno-missing-prototypes\n"
		    "ccflags-remove-y := $(CC_FLAGS_FTRACE)\n"
		    "UBSAN_SANITIZE := n\nKCOV_INSTRUMENT := n\nGCOV_PROFILE := n\n");
	for (size_t i = 0; i < r->units.n && !r->k->clang; i++)
		sb_printf(&sb, "CFLAGS_unit_%s.o := %s\n", r->units.v[i].name, unit_flags);
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

/* Fill R->src: links to the runtime's sources, the compile units and a Kbuild file. */
static bool make_source_tree(struct run *r)
{
	const char *src = r->src;
	word_vec files = {0};
	bool ok = true;

	mkdir(src, 0700);
	runtime_sources(r->k->runtime, &files);
	for (size_t i = 0; i < files.n; i++) {
		make_parents(src, files.v[i]);
		if (symlink(xprintf("%s/%s", r->k->runtime, files.v[i]),
			    xprintf("%s/%s", src, files.v[i]))) {
			diag_error(E_IO, (struct loc){0}, "cannot link %s into %s: %s", files.v[i],
				   src, strerror(errno));
			return false;
		}
	}
	find_units(r, &files);
	for (size_t i = 0; i < r->units.n && ok; i++)
		ok = write_file(xprintf("%s/unit_%s.c", src, r->units.v[i].name),
				r->units.v[i].includes.s);
	return ok && write_file(xprintf("%s/imports.c", src), imports_text) &&
	       write_file(xprintf("%s/Kbuild", src), kbuild_text(r, &files));
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

static double seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static bool shows_progress(const struct run *r)
{
	return isatty(STDERR_FILENO) && seconds() - r->started > 1;
}

static bool is_compiled(const struct run *r, const char *object)
{
	return !access(xprintf("%s/.%s.cmd", r->src, object), F_OK);
}

/* Show how many objects of the module are compiled; ARG is the run. */
static void show_progress(void *arg)
{
	const struct run *r = arg;
	size_t done = is_compiled(r, KEPT_NAME ".mod.o");

	if (!shows_progress(r))
		return;
	for (size_t i = 0; i < r->objects.n; i++)
		done += is_compiled(r, r->objects.v[i]);
	fprintf(stderr, "\rpreparing kernel %s: %zu/%zu", r->k->release, done, r->objects.n + 1);
}

/* SPOKEN: the log gets the commands, too. True if kbuild succeeds. */
static bool try_make(struct run *r, bool spoken)
{
	const struct kernel *k = r->k;
	bool ok;

	VEC(const char *) a = {0};
	char *cpus = xprintf("-j%ld", sysconf(_SC_NPROCESSORS_ONLN));

	vec_push(&a, "make");
	vec_push(&a, cpus);
	vec_push(&a, "-C");
	vec_push(&a, k->build);
	vec_push(&a, xprintf("M=%s", r->src));
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
	r->started = seconds();
	ok = !run_watched(a.v, r->log, show_progress, r);
	if (shows_progress(r))
		fprintf(stderr, "\r\033[K");
	return ok;
}

/* Kbuild's commands are in the log, for find_objtool_spoken(); after a failure it runs once more,
 * for a log of the errors alone. */
static bool run_make(struct run *r)
{
	if (try_make(r, true) || try_make(r, false))
		return true;
	report_failure(xprintf("the runtime does not build for kernel %s", r->k->release), r->log);
	return false;
}

/* modpost only warns: report undefined symbols of the base, except ust_program, which the script
 * defines. Those of other parts are in the base. */
static bool undefined_symbols(const struct run *r)
{
	char *text = r->wanted[PART_BASE] ? read_file(r->log, NULL) : NULL;
	int n = 0;

	for (char *line = text ? strtok(text, "\n") : NULL; line; line = strtok(NULL, "\n"))
		if (strstr(line, "undefined!") && !strstr(line, "\"ust_program\"")) {
			diag_error(E_BUILD, (struct loc){0}, "kernel %s: %s", r->k->release, line);
			n++;
		}
	return n > 0;
}

/* ---------------------------------------------------------------- commands */

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

/* OUT: the objtool command, empty if kbuild runs none. True if kbuild runs it on the module, false
 * if on each object. */
static bool objtool_command(const struct run *r, word_vec *out)
{
	word_vec cmds[8];
	char *unit = xprintf("unit_%s.o", r->units.v[0].name);

	if (find_objtool(r->k, r->src, cmds, recorded(r->src, unit, cmds, 8), out))
		return false;
	if (find_objtool(r->k, r->src, cmds, recorded(r->src, KEPT_NAME ".o", cmds, 8), out))
		return true;
	find_objtool_spoken(r->k, r->src, r->log, out);
	return false;
}

static bool keep_commands(const struct run *r, const char *dir, const struct link *l,
			  const word_vec *objtool)
{
	word_vec cmds[8], cc = {0}, headers = {0};
	char *script = l->script ? read_file(l->script, NULL) : NULL;

	if (!recorded(r->src, "imports.o", cmds, 8) || cmds[0].n < 10)
		return fail_recipe(r->k, "the compiler's command");
	if (!script)
		return fail_recipe(r->k, "the linker's command");
	script_cc(r->k, &cmds[0], &cc);
	headers_cc(r->k, r->src, &cmds[0], &headers);
	return write_words(dir, "cc", &cc) && write_words(dir, "cc_headers", &headers) &&
	       write_words(dir, "objtool", objtool) && write_words(dir, "ld", &l->flags) &&
	       write_file(xprintf("%s/module.lds", dir), script);
}

/* ----------------------------------------------------------------- linking */

static bool link_objects(const struct run *r, const struct link *l, const word_vec *inputs,
			 const char *out)
{
	VEC(const char *) a = {0};

	for (size_t i = 0; i < l->flags.n; i++)
		if (strncmp(l->flags.v[i], "--build-id", strlen("--build-id")) != 0)
			vec_push(&a, l->flags.v[i]);
	vec_push(&a, "-o");
	vec_push(&a, out);
	for (size_t i = 0; i < inputs->n; i++)
		vec_push(&a, inputs->v[i]);
	vec_push(&a, NULL);
	return !run_command(a.v, NULL, r->log);
}

/* Link the units of PART to one object; PATH is set to it. Kbuild has linked those of all parts
 * together, and with TOOL has run that objtool command on the result. */
static bool link_units(const struct run *r, enum runtime_part part, const struct link *l,
		       const word_vec *tool, char **path)
{
	VEC(const char *) objtool = {0};
	word_vec inputs = {0};

	*path = xprintf("%s/part_%s.o", r->src, part_name(part));
	if (part == PART_BASE)
		vec_push(&inputs, xprintf("%s/imports.o", r->src));
	for (size_t i = 0; i < r->units.n; i++)
		if (r->units.v[i].part == part)
			vec_push(&inputs, xprintf("%s/unit_%s.o", r->src, r->units.v[i].name));
	if (!link_objects(r, l, &inputs, *path))
		return false;
	if (!tool)
		return true;
	for (size_t i = 0; i < tool->n; i++)
		vec_push(&objtool, tool->v[i]);
	vec_push(&objtool, *path);
	vec_push(&objtool, NULL);
	return !run_command(objtool.v, NULL, r->log);
}

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

/* Link OBJECT, the code of the base, and all that modpost adds to a module, to OUT. */
static bool link_base(const struct run *r, const struct link *l, const char *object,
		      const char *out)
{
	word_vec inputs = {0};

	for (size_t i = 0; i < l->inputs.n; i++)
		vec_push(&inputs, has_suffix(l->inputs.v[i], "/" KEPT_NAME ".o") ? xstrdup(object)
										 : l->inputs.v[i]);
	return link_objects(r, l, &inputs, out);
}

/* Link OBJECT, the code of another part, and, if the kernel has them, versions to OUT. */
static bool link_part(const struct run *r, const struct link *l, const char *object,
		      const char *out)
{
	char *versions = xprintf("%s/versions.o", r->src);
	const char *const strip[] = {"objcopy", "--remove-section=.modinfo", out, NULL};
	word_vec inputs = {0};

	if (!copy_versions(xprintf("%s/" KEPT_NAME ".mod.o", r->src), &versions, r->log))
		return false;
	vec_push(&inputs, xstrdup(object));
	if (versions)
		vec_push(&inputs, versions);
	return link_objects(r, l, &inputs, out) && !run_command(strip, NULL, r->log);
}

/* ------------------------------------------------------------------ checks */

/* Parts refer to nothing but what part_may_use() allows: scripts' modules are linked with those
 * that the script itself needs, and with what these may use. */
static bool refers_to_others(const struct run *r, enum runtime_part part, const char *object)
{
	bool needed[RUNTIME_PARTS] = {0};

	if (!parts_needed(r->k->runtime, object, needed))
		return !fail_recipe(r->k, "the runtime's object");
	for (int i = 0; i < RUNTIME_PARTS; i++)
		if (needed[i] && !part_may_use(part, i)) {
			diag_error(E_BUILD, (struct loc){0},
				   "the part \"%s\" of the runtime refers to its part \"%s\"",
				   part_name(part), part_name(i));
			return true;
		}
	return false;
}

/* A symbol that parts_needed() does not know would be missing in the modules of scripts. */
static bool has_unknown_symbol(const struct run *r, enum runtime_part part, const char *object)
{
	const char *name = part_misplaced_symbol(r->k->runtime, object, part);

	if (!name)
		return false;
	diag_error(
		E_BUILD, (struct loc){0},
		"the definition of \"%s\" was not found in the sources of the part \"%s\" of the "
		"runtime",
		name, part_name(part));
	return true;
}

/* ------------------------------------------------------------------ keeping */

/* Put what scripts need of PART into DIR. */
static bool fill_part(const struct run *r, enum runtime_part part, const char *dir)
{
	word_vec cmds[8], objtool = {0};
	struct link l;
	char *object;
	bool linked;

	if (!recorded(r->src, KEPT_NAME ".ko", cmds, 8))
		return fail_recipe(r->k, "the linker's command");
	split_link(r->k, r->src, &cmds[0], &l);
	linked = link_units(r, part, &l, objtool_command(r, &objtool) ? &objtool : NULL, &object) &&
		 (part == PART_BASE ? link_base(r, &l, object, xprintf("%s/base.o", dir))
				    : link_part(r, &l, object, xprintf("%s/part.o", dir)));
	if (!linked) {
		report_failure("the runtime cannot be linked", r->log);
		return false;
	}
	if (refers_to_others(r, part, object))
		return false;
	return part == PART_BASE ? keep_commands(r, dir, &l, &objtool)
				 : !has_unknown_symbol(r, part, object);
}

/* Build the parts of WANTED in SCRATCH and publish each. */
static bool fill(const struct kernel *k, const bool wanted[RUNTIME_PARTS], const char *scratch)
{
	struct run r = {
		.k = k, .src = xprintf("%s/src", scratch), .log = xprintf("%s/log", scratch)};

	memcpy(r.wanted, wanted, sizeof r.wanted);
	if (!make_source_tree(&r) || !run_make(&r) || undefined_symbols(&r))
		return false;
	for (int i = 0; i < RUNTIME_PARTS; i++) {
		char *dir = xprintf("%s/%s", scratch, part_name(i));

		if (!wanted[i])
			continue;
		mkdir(dir, 0700);
		if (!fill_part(&r, i, dir) || !cache_seal(dir, part_dir(k, i)))
			return false;
	}
	return true;
}

/* Wait for another run that fills the same kernel's cache.  -1: no lock, go on. */
static int lock_kernel(const struct kernel *k)
{
	char *path = cache_path("kernels", xprintf("%s.lock", k->release));
	int fd = path ? private_open(path, O_RDWR) : -1;

	if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
		vlog(isatty(STDERR_FILENO) ? 0 : 1,
		     "preparing kernel %s: waiting for another ustap that does so", k->release);
		flock(fd, LOCK_EX);
	}
	return fd;
}

/* Build the parts of WANTED. */
static bool build_parts(const struct session *s, const struct kernel *k,
			const bool wanted[RUNTIME_PARTS])
{
	char *scratch = cache_begin("kernels");
	bool ok;

	if (!scratch) {
		diag_error(E_IO, (struct loc){0}, "cannot make a directory in %s: %s", cache_dir(),
			   strerror(errno));
		return false;
	}
	ok = fill(k, wanted, scratch);
	if (s->opt.keep)
		fprintf(stderr, "ustap: kept %s\n", scratch);
	else
		cache_remove(scratch);
	cache_enforce_limit();
	return ok;
}

bool kbuild_prepare(const struct session *s, const struct kernel *k,
		    const bool parts[RUNTIME_PARTS])
{
	int lock = lock_kernel(k);
	bool missing[RUNTIME_PARTS] = {0}, any = false, ok;
	struct strbuf names = {0};

	warn_untrusted("kernel headers in", k->build);
	for (int i = 0; i < RUNTIME_PARTS; i++)
		if (parts[i] && !cache_is_sound(part_dir(k, i))) {
			missing[i] = any = true;
			sb_printf(&names, " %s", part_name(i));
		}
	if (any)
		vlog(1, "preparing kernel %s, once:%s", k->release, names.s);
	ok = !any || build_parts(s, k, missing);
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
