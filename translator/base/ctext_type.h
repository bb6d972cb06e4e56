/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The type of C text, which structures hold before it is written; emit/ctext.h makes it. */
#ifndef USTAP_CTEXT_TYPE_H
#define USTAP_CTEXT_TYPE_H

/* struct ctext_chars is never defined, so that no pointer to characters converts to it. */
#pragma GCC diagnostic error "-Wincompatible-pointer-types"
struct ctext {
	const struct ctext_chars *at;
};

#endif
