/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The types of C text, which structures hold before it is written; emit/ctext.h makes it. */
#ifndef USTAP_CTEXT_TYPE_H
#define USTAP_CTEXT_TYPE_H

#include <stddef.h>

/* struct ctext_chars is never defined, so that no pointer to characters converts to it. */
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
struct ctext {
	const struct ctext_chars *at;
};

/* C text that grows.  The members are for reading. */
struct cbuf {
	char *s;
	size_t n, cap;
};

#endif
