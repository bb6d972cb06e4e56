/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Identity of an ELF file: which build of a program it is.
 *
 * The translator writes the identity of each probed file into the script's module; staprun and the
 * kernel module compare it with that of the file they find.  All three compile elfid.c, so they
 * cannot disagree about where a build-id may be or about what takes its place.  The file may be
 * hostile: reads are bounded by its size, and tables by constants.
 */
#ifndef USTAP_ELFID_H
#define USTAP_ELFID_H

#include <linux/types.h>

enum {
	ELFID_BUILD_ID = 64, /* bytes of the longest build-id */
	ELFID_TEXT = 2 * ELFID_BUILD_ID + 1 + 16 + 1,
	ELFID_BUFFER = 4096
};

/* How to read the file: N bytes at offset AT, all of which lie within SIZE; 0 if that fails. */
struct elfid_file {
	__u64 size;
	int (*read)(void *arg, void *to, __u32 n, __u64 at);
	void *arg;
	unsigned char *buffer; /* ELFID_BUFFER bytes, for elfid_text() */
};

/*
 * The build-id in hex digits, "" if there is none.  The notes of segments (PT_NOTE) come first,
 * since stripping keeps them, then those of sections: Go's linker leaves its build-id outside of
 * all segments.  Of several the first counts.
 */
void elfid_build_id(const struct elfid_file *f, char to[ELFID_TEXT]);

/*
 * "BUILD-ID:DIGEST".  The digest covers where the executable segments lie in the file and samples
 * of their bytes, because programs that edit linked files keep the build-id; without a build-id it
 * covers all of the code.  Headers, data, symbols and debug information do not count: stripping and
 * moving addresses leave the identity as it is.  "" if it is not a 64-bit ELF file.
 */
void elfid_text(const struct elfid_file *f, char to[ELFID_TEXT]);

/* Why a file with the identity FOUND is not the one with the identity WANT; NULL if it is. */
const char *elfid_difference(const char *found, const char *want);

#endif
