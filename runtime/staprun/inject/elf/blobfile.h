/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between blobfile.c and blob.c. */
#ifndef USTAP_BLOBFILE_H
#define USTAP_BLOBFILE_H

#include <elf.h>

#include "inject/inject.h"

enum { SEG_PRIVATE, SEG_TEXT, SEG_CONST, SEG_DATA, SEGMENTS };

/* Wide enough for anything a script can hold, far from overflow. */
#define BLOB_IMAGE_MAX (1ull << 30)

/* What a blob's file says, checked: segments do not overlap, begin at pages, are in the file as far
 * as they say, and the agent is in the constants. */
struct blob_file {
	const char *path;
	int fd;
	Elf64_Phdr seg[SEGMENTS];
	Elf64_Phdr dynamic;
	uint64_t entry;
	unsigned char *bytes[SEGMENTS]; /* of these segments as in memory, without what is only
					   reserved; NULL: private */
};

static inline uint64_t page_up(uint64_t n)
{
	return (n + UST_PAGE - 1) & ~(uint64_t)(UST_PAGE - 1);
}

/* False after a message. */
bool blob_file_open(struct blob_file *f, const char *path);
/* Relocate its constants and data for BASE.  False after a message. */
bool blob_file_relocate(struct blob_file *f, uint64_t base);
void blob_file_close(struct blob_file *f);

#endif
