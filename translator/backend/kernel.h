/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Private to the kernel backend: the kernel that a script is built for, and
 * what is kept for it.
 */
#ifndef USTAP_BACKEND_KERNEL_H
#define USTAP_BACKEND_KERNEL_H

#include "backend.h"
#include "runtime_parts.h"

/* The name that kbuild gives the module; build replaces it by the script's name, which is at
 * most as long. NAME_FORMAT is UST_NAME_FMT of wire.h. */
#define KEPT_NAME   "ustap_kept_for_scripts_of_this_kernel_000000000000"
#define NAME_FORMAT "ustap_%.10s_0000000"

struct kernel {
	const char *release;
	const char *build; /* its headers: /lib/modules/RELEASE/build or what -r names */
	const char *cc;    /* the compiler to use */
	int cc_major, kernel_cc_major;
	bool clang;
	const char *runtime; /* directory of the runtime's sources */
	char *kept;          /* cache directory of what is kept for this kernel and runtime */
};

/* Commands of the kernel's own build, cached in KERNEL.kept; see kbuild.c. */
struct recipe {
	/* NULL-terminated argument lists; objtool NULL if none */
	char **cc, **cc_headers, **objtool, **ld;
};

/* Find the kernel that S is for.  False: WHY says what is missing. */
bool kernel_find(const struct session *s, struct kernel *k, struct unusable *why);
/* Name the directory of what is kept for K; false after an error. */
bool kernel_key(struct kernel *k);
/* Directory of what is kept of PART: that of the base is K->kept. */
char *part_dir(const struct kernel *k, enum runtime_part part);
/* Fill the directories of the PARTS for which that is not done by one run of kbuild, or wait for
 * another ustap that does so; false after an error. */
bool kbuild_prepare(const struct session *s, const struct kernel *k,
		    const bool parts[RUNTIME_PARTS]);
/* False if what is kept cannot be read. */
bool recipe_read(const struct kernel *k, struct recipe *r);

/* *SOURCE: C with the versions of the kernel's symbols that OBJECT refers to, in the sections that
 * the kernel reads; NULL: none, or the kernel has no versions. False after an error. */
bool symbol_versions(const struct kernel *k, const char *object, const char **source);

/* sign.c: identity of the signing key and certificate, a part of the cached module's name; ""
 * without --sign-module. NULL after an error was reported. */
const char *sign_identity(const struct session *s);
/* Append a signature to the file KO with the kernel's scripts/sign-file, as --sign-module requests
 * it; true without that option. Output of the program goes to the file LOG. False after an error
 * was reported. */
bool sign_module(const struct session *s, const struct kernel *k, const char *ko, const char *log);

#endif
