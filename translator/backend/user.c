/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The user backend: C text -> blob, which staprun maps into the traced process.
 *
 * The runtime was compiled when ustap was built (libustap_user.a), so a script costs
 * one run of the compiler and one of the linker, and needs nothing of the kernel.
 * The result is kept under a hash of all that went into it.
 */
#include "backend.h"
#include "arch/arch.h"
#include "base/cache.h"
#include "base/environment.h"
#include "base/installed.h"
#include "base/subprocess.h"
#include "emit/stackmap.h"
#include "passes.h"

#include <string.h>
#include <unistd.h>

/* Tools that build the code for the user runtime. */
struct tools {
	const char *cc, *ld, *archive, *runtime;
};

static bool find_tools(struct tools *t, struct unusable *why)
{
	static const char *const compilers[] = {"gcc", "cc"};

	*t = (struct tools){.ld = find_tool("ld"),
			    .archive = user_runtime_path(),
			    .runtime = data_path("runtime")};
	for (size_t i = 0; !t->cc && i < ARRAY_LEN(compilers); i++)
		t->cc = find_tool(compilers[i]);
	if (!arch_target()->user_cflags)
		return refuse(
			why, E_UNSUPPORTED,
			xprintf("the user runtime does not support %s yet", arch_target()->name),
			"use --runtime=kernel");
	if (!t->cc)
		return refuse(why, E_BUILD, "no C compiler found", "apt install gcc");
	if (!t->ld)
		return refuse(why, E_BUILD, "no linker (ld) found", "apt install binutils");
	if (!t->archive || !t->runtime)
		return refuse(why, E_BUILD, "ustap's user runtime was not found",
			      "run `make install`, or set USTAP_USER_RUNTIME to libustap_user.a "
			      "and USTAP_RUNTIME to the directory of its sources");
	return true;
}

/* Two runtimes for one process make no sense of -r. */
static bool user_usable(const struct session *s, struct unusable *why)
{
	struct tools t;

	if (s->opt.release)
		return refuse(why, E_OPTION, "-r is for the kernel runtime",
			      "use --runtime=kernel");
	return find_tools(&t, why);
}

static bool get_tools(struct tools *t)
{
	struct unusable why;

	if (find_tools(t, &why))
		return true;
	diag_error(why.tag, (struct loc){0}, "%s", why.msg);
	diag_hint("%s", why.hint);
	return false;
}

static bool user_prepare(struct session *s)
{
	struct tools t;

	(void)s;
	if (!get_tools(&t))
		return false;
	fprintf(stderr, "ustap: the user runtime needs no preparation\n");
	return true;
}

/* ------------------------------------------------------------------- building */

static char *linker_script(const struct tools *t)
{
	return xprintf("%s/user/blob.lds", t->runtime);
}

/* The files of one build, in the session's work directory. */
struct job {
	char *c, *o, *blob, *log;
};

typedef VEC(const char *) arg_vec;

/* The words of TEXT, which blanks separate. */
static void add_words(arg_vec *a, const char *text)
{
	for (size_t n; *(text += strspn(text, " ")); text += n) {
		n = strcspn(text, " ");
		vec_push(a, xstrndup(text, n));
	}
}

static bool run_step(const struct session *s, const struct job *j, const char *what, arg_vec *a)
{
	static const char hint[] = "kernel headers, variables and functions need --runtime=kernel";
	int status;

	vec_push(a, NULL);
	status = run_command(a->v, NULL, j->log);
	if (!status)
		return true;
	if (report_embedded(s, j->log, hint))
		return false;
	report_failed_step(what, status, j->log);
	return false;
}

/* runtime/user/probes/handler_stack.c has the stack that deep handlers run on. */
static const struct stack_limits stack_limits = {"a handler's stack", 4096, 16384};

/* Handlers run where the probed program keeps its own registers, flags and stack: like the
 * archive's files (runtime/user/local.mk) they use no vector register and no string instruction,
 * and call no library. */
static bool compile(struct session *s, const struct tools *t, const struct job *j)
{
	arg_vec a = {0};

	vec_push(&a, t->cc);
	/* -w would hide the error, too */
	add_words(&a, s->embeds.n ? "-Werror=implicit-function-declaration" : "-w");
	add_words(&a, "-std=gnu11 -O2 -ffreestanding -fPIE -fvisibility=hidden "
		      "-fno-stack-protector -fno-asynchronous-unwind-tables -fno-strict-aliasing "
		      "-fno-tree-loop-distribute-patterns -fstack-usage -ftabstop=1");
	add_words(&a, arch_target()->user_cflags);
	vec_push(&a, xprintf("-I%s/include", t->runtime));
	add_words(&a, "-c -o");
	vec_push(&a, j->o);
	vec_push(&a, j->c);
	if (headers_option(s)) {
		vec_push(&a, headers_option(s));
		vec_push(&a, "-MF");
		vec_push(&a, headers_rule(s));
	}
	return run_step(s, j, "the compiler", &a) && stack_check(s, j->o, &stack_limits);
}

static bool link_blob(const struct session *s, const struct tools *t, const struct job *j)
{
	arg_vec a = {0};

	vec_push(&a, t->ld);
	add_words(
		&a,
		"-pie --no-dynamic-linker -z text -z noexecstack -z norelro -z max-page-size=4096 "
		"--hash-style=sysv --build-id=none --no-undefined -e agent -u agent -T");
	vec_push(&a, linker_script(t));
	vec_push(&a, "-o");
	vec_push(&a, j->blob);
	vec_push(&a, j->o);
	vec_push(&a, t->archive);
	return run_step(s, j, "the linker", &a);
}

static bool make_blob(struct session *s, const struct tools *t, const char *entry, const char *name)
{
	struct job j = {xprintf("%s/script.c", s->work_dir), xprintf("%s/script.o", s->work_dir),
			xprintf("%s/%s", s->work_dir, name), xprintf("%s/log", s->work_dir)};

	return stackmaps_check() && write_text(j.c, s->c_text.s, s->c_text.n) &&
	       compile(s, t, &j) && link_blob(s, t, &j) &&
	       artifact_keep(s, "blobs", entry, j.blob, name);
}

/* Headers that emitted C includes: ustap_rt.h and its parts, and that of embedded C. */
static const char *const headers[] = {"ustap_rt",       "ustap_types",   "arch/ustap_regs",
				      "ustap_stackmap", "ustap_program", "ustap_context",
				      "ustap_values",   "ustap_memory",  "ustap_shape",
				      "ustap_builtins", "ustap_embedded"};

/* All that the result depends on; raise the first part when this file's options change. */
static char *blob_key(const struct session *s, const struct tools *t)
{
	const char *parts[6 + ARRAY_LEN(headers)] = {"4",
						     s->c_text.s,
						     file_identity(t->cc),
						     file_identity(t->ld),
						     file_identity(t->archive),
						     file_identity(linker_script(t))};

	for (size_t i = 0; i < ARRAY_LEN(headers); i++)
		parts[6 + i] = file_identity(xprintf("%s/include/%s.h", t->runtime, headers[i]));
	return hash_hex(parts, ARRAY_LEN(parts));
}

static bool user_build(struct session *s)
{
	const char *entry, *name, *key;
	struct tools t;

	if (!get_tools(&t))
		return false;
	key = blob_key(s, &t);
	name = xprintf("ustap_%.10s.ust", key);
	entry = cache_path("blobs", key);
	if (!entry)
		return false;
	if (artifact_cached(s, entry, name)) {
		vlog(1, "using the code from the cache");
	} else {
		cache_expire("blobs", UNUSED_DAYS);
		s->work_dir = private_dir();
		if (s->opt.keep)
			private_dir_keep();
		if (!s->work_dir || !make_blob(s, &t, entry, name))
			return false;
	}
	return artifact_copy(s, ".ust");
}

const struct backend backend_user = {
	.name = "user",
	.usable = user_usable,
	.prepare = user_prepare,
	.build = user_build,
};
