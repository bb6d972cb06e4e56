/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Interface between blobfile.c and blob.c. */
#ifndef USTAP_BLOBFILE_H
#define USTAP_BLOBFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <elf.h>

#include "wire_agent.h"

enum { SEG_PRIVATE, SEG_TEXT, SEG_CONST, SEG_DATA, SEGMENTS };

/* Larger than any script's image, far from overflow. */
#define BLOB_IMAGE_MAX (1ull << 30)

/* Checked contents of a script's file: segments do not overlap, start at pages, lie in the file up
 * to their file size, and the agent table is in the constants. */
struct blob_file {
	const char *path;
	int fd;
	Elf64_Phdr seg[SEGMENTS];
	Elf64_Phdr dynamic;
	uint64_t entry;
	unsigned char *bytes[SEGMENTS]; /* contents of these segments, without zero-initialised
					 * memory; NULL for the private segment */
};

/* Open and check the file at a path. False after a message. */
bool blob_file_open(struct blob_file *f, const char *path);
/* Relocate the constants and data for BASE. False after a message. */
bool blob_file_relocate(struct blob_file *f, uint64_t base);
/* Close the file and free its segments. */
void blob_file_close(struct blob_file *f);

#endif
