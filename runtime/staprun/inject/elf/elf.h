/* SPDX-License-Identifier: GPL-2.0-or-later */
/* ELF files, built scripts and the vDSO. */
#ifndef USTAP_INJECT_ELF_ELF_H
#define USTAP_INJECT_ELF_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/types.h>

#include "base/exit_status.h"
#include "wire_agent.h"

/* ---------------------------------------------------------------- elffile.c */

struct elf_file; /* a checked ELF file of this machine's class; the parts that were read are
		  * copied */

/* NULL with errno set (ENOEXEC: not an ELF file of this machine; *WHY, if not NULL, receives the
 * reason). Damaged files are rejected or yield less, but never crash; the same holds for files that
 * are truncated or changed later. */
struct elf_file *elffile_open(const char *path, const char **why);
/* Open the regular file at PATH without blocking; -1 with errno set on failure. */
int elffile_open_fd(const char *path);
struct elf_file *elffile_open_at(int fd, const char **why); /* takes FD */
/* Unmap and free F; NULL is allowed. Pointers into the file become invalid. */
void elffile_close(struct elf_file *f);
/* True if F is the file INODE of the device, as a line of /proc/PID/maps has them. On filesystems
 * whose device numbers differ there, the inode decides. */
bool elffile_same(const struct elf_file *f, unsigned dev_major, unsigned dev_minor, uint64_t inode);
/* see elfid.h; computed at each call */
void elffile_identity(const struct elf_file *f, char *to);
void elffile_build_id(const struct elf_file *f, char *to); /* ELFID_TEXT bytes */
/* The name of the function at ADDR by the symbol tables, its START, and its SIZE (0: unknown); NULL
 * if not found. */
const char *elffile_symbol_at(const struct elf_file *f, uint64_t addr, uint64_t *start,
			      uint64_t *size);
uint64_t elffile_entry(const struct elf_file *f);     /* virtual address */
const char *elffile_interp(const struct elf_file *f); /* NULL: statically linked */
/* True if F is position-independent. */
bool elffile_is_pie(const struct elf_file *f);
/* Convert between file offset and virtual address by the executable PT_LOADs; false if no segment
 * contains it. */
bool elffile_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr);
/* The file offset of ADDR; false if it is not code. */
bool elffile_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset);
/* At most SIZE bytes of the file's code at virtual address ADDR; returns the number available. */
size_t elffile_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes);
/* True if F may have relocations whose addends are in the data (DT_RELR). */
bool elffile_has_relr(const struct elf_file *f);
/* The loaded bytes of segment I (0: the first), and their virtual ADDR; BYTES NULL if they cannot
 * be read, or are more than MOST. Returns their number, 0 if the segment is not loaded; -1 if I is
 * not less than the number of segments. */
ssize_t elffile_segment(const struct elf_file *f, size_t i, uint64_t most, uint64_t *addr,
			const uint8_t **bytes);
/* Code segment of a file, in whole pages, as it is mapped. */
struct code_range {
	uint64_t from_header; /* address relative to that of the file's first byte */
	uint64_t size, offset;
};
/* Executable segment I (0: the first); false if I is not less than their number, or the file's
 * first byte is in no segment. */
bool elffile_code_range(const struct elf_file *f, size_t i, struct code_range *r);
/* Virtual address of function NAME in .symtab or .dynsym (any version, without IFUNCs); 0 if not
 * found. */
uint64_t elffile_function(const struct elf_file *f, const char *name);
/* Virtual address of the variable NAME in .symtab or .dynsym; 0 if not found. */
uint64_t elffile_object(const struct elf_file *f, const char *name);
/* Bounds of the function at ADDR, from the symbols and .eh_frame_hdr's table; false if unknown. END
 * is the end by its size, which may be wrong, NEXT the start of the next function (or the end of
 * the code): padding or code without a symbol is between them. */
bool elffile_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end,
			 uint64_t *next);
/* The range [FROM, TO) of all code that may belong to the function at ADDR, whatever the sizes of
 * symbols say: it holds the functions around a nested one and code behind the end of a function.
 * FROM is the start of a function, so instructions can be decoded from there on. False if no
 * function begins near enough before ADDR. */
bool elffile_code_around(const struct elf_file *f, uint64_t addr, uint64_t *from, uint64_t *to);

/* ------------------------------------------------------------------- blob.c */

struct blob {
	struct ust_agent agent;         /* copies: traced processes cannot write to them */
	struct ust_layout made;         /* ... as init() has created it */
	struct ust_event_probe *probes; /* ... those of process events */
	uint32_t nprobes;
	struct ust_shared *shared;          /* address in this process, and in all others */
	uint64_t base;                      /* private memory */
	uint64_t private_size;              /* with its last page, which a fork child gets wiped */
	uint64_t text, text_size;           /* file offset 0 of `code' */
	uint64_t constants, constants_size; /* after the code in that file */
	uint64_t data, data_size; /* file offset 0 of the memfd; with the used part of the heap */
	int code, memfd;
	char name[NAME_SIZE]; /* name of the script, for messages */
};

/* True if the traced processes run code of the script: it has probe sites or samples threads. */
static inline bool blob_is_injected(const struct blob *b)
{
	return b->made.nsites || b->made.nprofiles;
}

#define BLOB_NAME "ustap-script" /* of its memory */
/* True if PATH, of /proc/PID/maps, is the memory of a script, and no file that is named like it. */
static inline bool blob_is_mapped_as(const char *path)
{
	static const char name[] = "/memfd:" BLOB_NAME;

	return !strncmp(path, name, sizeof name - 1);
}
/* Map and check the script file PATH and run its init(). False after a message. */
bool blob_load(struct blob *b, const char *path, unsigned buffer_mb);
/* Unmap and close all of B, which is empty then. */
void blob_unload(struct blob *b);
/* Record the identity of the calling process: handlers will run in it. Call again after fork. */
void blob_record_identity(const struct blob *b);
/* True if EVENT (UST_EVENTS: any) of a process that runs module MODULE, or of the process PID, is
 * probed. */
bool blob_wants(const struct blob *b, uint32_t event, uint32_t module, uint32_t pid);
/* Ignore all hits from now on. */
static inline void blob_disarm(const struct blob *b)
{
	__atomic_fetch_or(&b->shared->owner, UST_DISARMED, __ATOMIC_SEQ_CST);
}
/* True if handlers run. Any thread. */
static inline bool blob_is_armed(const struct blob *b)
{
	return !(__atomic_load_n(&b->shared->owner, __ATOMIC_SEQ_CST) &
		 (UST_DISARMED | UST_ORPHANED));
}
/* Register the calling thread as the tracer: when it ends, the kernel marks the script as
 * orphaned. */
bool blob_own(const struct blob *b);
/* From now on forked children do not inherit B: they would be taken for traced processes. Best
 * effort. */
void blob_keep_from_children(const struct blob *b);
/* Make the code non-executable in the calling process, after its last call; its children do not
 * inherit it. False after a message. */
bool blob_retire(const struct blob *b);
/* True if FILE is a script for the user runtime, as opposed to a kernel module. Prints nothing. */
bool blob_is(const char *path);

/* ------------------------------------------------------------------- vdso.c */

/* Offset of function NAME from the start of the vDSO; 0 if not found. */
uint64_t vdso_offset(const char *name);

#endif
