/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identity of an ELF file: identifies the build of a program.
 *
 * The translator writes the identity of each probed file into the script's module; staprun and the
 * kernel module compare it with that of the file they find. All three compile elfid.c, so they
 * agree about the location of a build-id and about its replacement. The file may be hostile: reads
 * are bounded by its size, and tables by constants.
 */
#ifndef USTAP_ELFID_H
#define USTAP_ELFID_H

#include <linux/types.h>

enum {
	ELFID_BUILD_ID = 64, /* bytes of the longest build-id */
	ELFID_TEXT = 2 * ELFID_BUILD_ID + 1 + 16 + 1,
	ELFID_BUFFER = 4096
};

/* Access to the file: reads N bytes at offset AT, which must all lie within SIZE; returns 0 on
 * failure. */
struct elfid_file {
	__u64 size;
	int (*read)(void *arg, void *to, __u32 n, __u64 at);
	void *arg;
	unsigned char *buffer; /* ELFID_BUFFER bytes, for elfid_text() */
};

/*
 * The build-id in hex digits, "" if missing. The notes of segments (PT_NOTE) are searched first,
 * because stripping keeps them, then those of sections: Go's linker puts its build-id outside of
 * all segments. The first one found counts.
 */
void elfid_build_id(const struct elfid_file *f, char to[ELFID_TEXT]);

/*
 * "BUILD-ID:DIGEST". The digest covers the file offsets of the executable segments and samples of
 * their bytes, because programs that edit linked files keep the build-id; without a build-id it
 * covers all code. Headers, data, symbols and debug information are not included: stripping and
 * moving addresses do not change the identity. "" if it is not a 64-bit ELF file.
 */
void elfid_text(const struct elfid_file *f, char to[ELFID_TEXT]);

/* Difference of the identity FOUND from WANT, in words; NULL if they match. */
const char *elfid_difference(const char *found, const char *want);

#endif
