/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Providers of SDT markers, as a file in the D language (PROVIDER.d) declares them. */
#ifndef SDT_PROVIDER_H
#define SDT_PROVIDER_H

#include "base/util.h"

enum { MARKER_ARGS = 12 };

struct marker {
	const char *provider, *name;
	const char *macro; /* PROVIDER_NAME in capitals; two underscores become one */
	const char *types; /* the parameters as they are declared */
	unsigned nargs;
};
typedef VEC(struct marker) marker_vec;

/* Append the markers that TEXT, the contents of FILE or what the preprocessor made of it, declares.
 * Returns false after an error, which is printed with its position; line markers of the
 * preprocessor are obeyed. */
bool provider_parse(const char *file, const char *text, marker_vec *out);

#endif
