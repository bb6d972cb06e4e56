/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files that are patched, and their probe sites. */
#ifndef USTAP_INJECT_PATCH_PATCHED_FILE_H
#define USTAP_INJECT_PATCH_PATCHED_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct injector;
struct mapping;

/* The probe sites at one address of a file; possibly a hook, too. */
struct place {
	uint64_t addr, offset;  /* virtual address and file offset of the instruction */
	uint32_t first, rfirst; /* in the agent's order: entries, returns */
	uint16_t n, rn, hook;
	bool full;                      /* handlers need all registers */
	bool no_room;                   /* the stack may be nearly full */
	bool others;                    /* a handler does not only record a call */
	bool told, armed;               /* a failure was reported; counted as armed */
	bool trapped;                   /* armed by a breakpoint in some process ... */
	const char *why;                /* ... because no jump fits */
	const char *pp;                 /* probe point of the first site; NULL: only a hook */
	uint64_t semaphore, sem_offset; /* virtual address and file offset of its SDT semaphore;
					 * 0: none */
	uint16_t turns;  /* number, from 1 on, of a semaphore that gates control; 0: always
			  * incremented */
	uint32_t *gates; /* NGATES of them, numbered from 0: conditions of its sites */
	uint16_t ngates;
	bool always; /* some site has no condition */
};

/* Hooked system calls: rt_sigaction(); rt_sigprocmask() and waits with a mask. */
enum calls { CALLS_ACTION, CALLS_MASK, CALLS };

/* A file that is patched wherever it is mapped. */
struct file {
	char *path;
	dev_t dev; /* from stat(2) */
	ino_t ino;
	struct elf_file *elf; /* NULL: cannot be probed, which was reported */
	struct place *places; /* by address */
	size_t n;
	bool probed;            /* named by the script */
	bool mapped, other;     /* mapped by some process; some process maps another file of this
				 * path */
	bool hooked;            /* its hooks are in `places' */
	bool has_goroutines;    /* a program of Go */
	bool looks_up;          /* handlers of faults look for the address in the code */
	bool retired;           /* its path has another file now, of the same build */
	struct patch_text *all; /* branches of its code at virtual address all_addr, created when
				 * needed */
	uint64_t all_addr;
	struct file *calls[CALLS]; /* its sites that signal_hooks.c watches; NULL: not determined
				    * yet */
	bool watches_signals;      /* this is such a file: `places' are hooks, the file's own
				    * sites are armed besides */
};

/* Open the files that the script probes, and sort its sites by address and into the agent's order.
 * False after a message: none can be probed. */
bool files_open(struct injector *in);
/* Open the script's files again whose paths have another file now. If its build is the same, it
 * replaces the former file for processes that start from now on. */
void files_refresh(struct injector *in);
/* Close and free all files, when no process has them any more. */
void files_close(struct injector *in);
/* Pass the state of the sites to the script: enum ust_count_flags. */
void files_note(const struct injector *in);
/* M of process PID is not one of the script's files; warn, once, if it has the path of one. */
void file_note_replaced(const struct injector *in, pid_t pid, const struct mapping *m);
/* True if F is the file that M of process PID maps. */
bool file_is(const struct file *f, pid_t pid, const struct mapping *m);
/* The known file that M of process PID maps, or NULL. */
struct file *file_of(const struct injector *in, pid_t pid, const struct mapping *m);
/* Add the file that M of process PID maps; NULL with errno set if it cannot be opened. */
struct file *file_add(struct injector *in, pid_t pid, const struct mapping *m);
/* The entry of F for virtual address ADDR, added if missing; NULL if that is not code. */
struct place *file_place(struct file *f, uint64_t addr);
/* True if F has a probe site at ADDR, an address in the file. */
bool file_has_place(const struct file *f, uint64_t addr);
const struct place *file_find_place(const struct file *f, uint64_t addr); /* NULL if not found */

#endif
