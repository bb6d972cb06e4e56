/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loader's part of the user runtime, one section for each file that owns it.
 *
 *   tracer.c    the process that does all tracing; it outlives a killed staprun and cleans up
 *   event_fd.c  event descriptors between the processes of a run
 *
 *   elf/        files and images
 *     elffile.c    what an ELF file says
 *     blob.c       a built script: mapped in the loader, started
 *     blobfile.c   the file of a built script: checked, relocated
 *     vdso.c       functions of the vDSO
 *   ptrace/     a stopped process, whatever it is stopped for
 *     tracee.c     stop, look, let go
 *     remote.c     system calls made by a stopped process
 *     launch.c     from exec to the first instruction of the program
 *     maps.c       /proc/PID/maps
 *     disposition.c        how a process handles a signal
 *     trace_permission.c   why a process may not be traced, in words
 *   arch/       machine code; the only folder that knows an instruction set
 *     decode_x86_64.c, relocate_x86_64.c, stub_x86_64.c, calls_x86_64.c
 *   patch/      probe sites of a process: planned, armed, disarmed; see process.h
 *   process/    traced processes; see process.h
 *   script/     the process that runs the script's own probes; see script_channel.h
 */
#ifndef USTAP_INJECT_H
#define USTAP_INJECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/user.h>

#include "inject/arch/regs.h"
#include "base/exit_status.h"
#include "inject/user_runtime.h"
#include "wire.h"

/* ------------------------------------------------------------------- maps.c */

struct mapping {
	uint64_t start, end, offset;
	bool read, write, exec, shared;
	unsigned dev_major, dev_minor;
	uint64_t inode;
	char *path; /* "" for anonymous memory; without " (deleted)" */
	bool deleted;
};
struct maps {
	struct mapping *v;
	size_t n;
	uint64_t brk; /* end of the heap; 0: unknown */
};

/* Read the mappings of PID. False with errno set if the process has exited or access is denied. */
bool maps_read(struct maps *m, pid_t pid);
void maps_free(struct maps *m);
const struct mapping *maps_at(const struct maps *m, uint64_t addr);
const struct mapping *maps_named(const struct maps *m, const char *path); /* "[vdso]", ... */
/* Find SIZE free bytes (a multiple of the page size) within [LO, HI], as close to NEAR as possible;
 * returns their address, 0 if there is no room. Avoids addresses below 64 KiB, the guard gap of the
 * stack (1 MiB) and, if possible, the ranges into which heap and stack grow. */
uint64_t maps_gap(const struct maps *m, uint64_t lo, uint64_t hi, uint64_t near, uint64_t size);
/* Record that [START, START + SIZE) has been mapped since. */
void maps_add(struct maps *m, uint64_t start, uint64_t size);
/* Undo maps_add() of START. */
void maps_remove(struct maps *m, uint64_t start);

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
void elffile_close(struct elf_file *f);
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
bool elffile_is_pie(const struct elf_file *f);
/* Convert between file offset and virtual address by the executable PT_LOADs; false if no segment
 * contains it. */
bool elffile_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr);
bool elffile_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset);
/* At most SIZE bytes of the file's code at virtual address ADDR; returns the number available. */
size_t elffile_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes);
/* Virtual address of function NAME in .symtab or .dynsym (any version, without IFUNCs); 0 if not
 * found. */
uint64_t elffile_function(const struct elf_file *f, const char *name);
/* Bounds of the function at ADDR, from the symbols and .eh_frame_hdr's table; false if unknown. END
 * is the end by its size, NEXT the start of the next function (or the end of the code): padding is
 * between them. */
bool elffile_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end,
			 uint64_t *next);

/* ------------------------------------------------------------------ patch.c */

enum patch_way {
	PATCH_NONE,   /* not possible; see why */
	PATCH_JUMP,   /* 5-byte jump over whole instructions */
	PATCH_PADDED, /* ... and over padding after the function's end */
	PATCH_PUNNED, /* jump whose last bytes are those of the next instructions */
	PATCH_TRAP    /* breakpoint */
};
extern const char *const patch_way_names[];

enum { PATCH_BYTES = 24, STUB_BYTES = 320, PATCH_MAP = 24 };

/* All branches in a module's code, to find those into a window of another function. */
struct patch_text;
/* BYTES must stay valid. NULL if out of memory. */
struct patch_text *patch_text_new(const uint8_t *bytes, size_t size);
void patch_text_free(struct patch_text *t);

struct patch_site {
	uint64_t addr;             /* run-time address of the probed instruction */
	const uint8_t *text;       /* the original bytes from START to NEXT */
	uint64_t start, end, next; /* run-time bounds of the function, from
				    * elffile_function_at(); if unknown, START is addr and END =
				    * NEXT the end of the range that may be examined */
	uint64_t known;            /* code bytes are available up to here, if that is beyond NEXT */
	const struct patch_text *all; /* branches of the module; NULL: unknown, fewer sites can
				       * have a jump */
	uint64_t all_start;           /* run-time address of its first byte */
	uint64_t limit; /* code from here on must not change (another probe site); 0: no limit */
	bool entry; /* addr is at or directly after the function's first instruction: no red zone */
	/* Fields of ust_point about handlers: */
	uint32_t first, rfirst;
	uint16_t n, rn, hook;
	bool full;
};

/* New code of a site, and its trampoline. */
struct patch {
	enum patch_way way;
	const char *why; /* reason for PATCH_NONE */
	uint64_t addr;
	uint64_t place; /* virtual address, for the caller */
	bool gated;     /* armed only while some gate is open */
	uint8_t old_text[PATCH_BYTES], new_text[PATCH_BYTES];
	unsigned len;  /* number of code bytes that change */
	unsigned span; /* number of bytes that must not change afterwards: len, more for punned
			* jumps */
	uint64_t at;   /* address of `code' in the area's memory: point, then trampoline */
	uint64_t stub; /* run-time address of the trampoline's first instruction: at +
			* sizeof(struct ust_point) */
	uint64_t pad;  /* a jump to the trampoline at the only address that the punned jump
			* reaches; 0: none */
	uint8_t code[STUB_BYTES];
	unsigned code_len;
	/* A thread at addr + from continues at to bytes into the trampoline; no return address
	 * refers to these. The first entry is that of addr. */
	unsigned nmap;
	struct {
		uint8_t from;
		uint16_t to;
	} map[PATCH_MAP];
};

/* Plan the patch of SITE with its trampoline at AT (16-byte aligned), in an area whose table of
 * common code (see wire.h) is at TABLE. Tries a jump, then a jump over padding. False with way
 * PATCH_NONE if neither fits. */
bool patch_plan(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
/* Range of addresses for the trampoline's first byte that a punned jump can reach, in order of the
 * number of fixed bytes; false if punning is not possible. Then plan with an AT such that AT +
 * sizeof(struct ust_point) is in the range. */
bool patch_pun_range(const struct patch_site *site, uint64_t *lo, uint64_t *hi);
/* The only address that a punned jump of one byte can reach; a jump to the trampoline is put there,
 * the pad. 0: not such a site. */
uint64_t patch_pun_pad(const struct patch_site *site);
enum { PAD_BYTES = 5 };
/* PAD: 0, or a result of patch_pun_pad(). */
bool patch_plan_punned(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t pad,
		       uint64_t table);
/* Plan an int3; the trap handler enters the trampoline. Works wherever the instruction can be
 * relocated. */
bool patch_plan_trap(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
/* The number of a patch's `why', for patch_reason() of hits.h. */
unsigned patch_reason_of(const char *why);
/* Detect changes by a debugger or another run at a site: THERE are its N bytes in memory, FILE
 * those in the program's file. Returns the offset from which on they differ, beyond the change at
 * the site itself; 0 if they do not. */
unsigned patch_foreign(const uint8_t *there, const uint8_t *file, size_t n);
/* True if both patches need the same bytes. (Only one can be armed; see patch_site.limit.) */
bool patch_overlaps(const struct patch *a, const struct patch *b);
/* New address for a thread at PC within the code that P replaces; 0 if it is not, or is at its
 * first byte. */
uint64_t patch_move(const struct patch *p, uint64_t pc);
/* The reverse, for removing P: the original address for PC at the start of P's trampoline or of a
 * relocated instruction; 0: PC is elsewhere and the thread has to run on. */
uint64_t patch_move_back(const struct patch *p, uint64_t pc);

/* ----------------------------------------------------------- calls_x86_64.c */

/* True if the instruction at ADDR, a `syscall' in the function [START, END) with bytes TEXT, is
 * decoded as an instruction from the function's start on and may make one of N system calls. */
bool call_may_be(const uint8_t *text, uint64_t start, uint64_t end, uint64_t addr,
		 const unsigned *numbers, size_t n);
/* True if a `syscall' follows within 256 bytes after the instruction at TEXT. If not, the bounds of
 * functions, which take 0.1 s in a large program, are not needed. */
bool call_follows(const uint8_t *text, size_t size);

/* ------------------------------------------------------------ stub_x86_64.c */

/* Generate the head of an area of trampolines: a table of UST_COMMON_COUNT addresses, then its
 * unwind information: a header in eh_frame_hdr format with search table, and one FDE for [AREA,
 * AREA + SIZE) whose rules find the replaced return address in the table of slots. Fills DST;
 * returns its size, which is the first free offset of the area. */
enum { AREA_HEAD_MAX = 512 };
size_t area_head(uint8_t dst[AREA_HEAD_MAX], uint64_t area, uint64_t size,
		 const struct ust_layout *layout);
/* Offsets of .eh_frame_hdr and .eh_frame in the head. */
size_t area_eh_frame_hdr(void);
size_t area_eh_frame(void);

/* ---------------------------------------------------------- decode_x86_64.c */

/* Length of the instruction at TEXT, of N bytes, if it is only a landing pad for indirect branches
 * (endbr64); else 0. */
size_t landing_pad(const uint8_t *text, size_t n);

/* ----------------------------------------------------------------- tracee.c */

/* Processes that remain traced after they continue; owned by follow.c. These functions are called
 * while a process is stopped for another reason. */
struct tracee_keeper {
	/* ptrace options for PID; 0: it does not remain traced */
	long (*options)(pid_t pid);
	/* true if system calls of TID are to be reported */
	bool (*sees_calls)(pid_t tid);
	/* TID, which may remain traced, reported STATUS; or is taken over in its present stop,
	 * given as si_code. */
	void (*report)(pid_t tid, int status);
	void (*taken)(pid_t tid, int code);
	/* TID is at the entry or exit of a system call, and waits until the handlers have run. */
	void (*call)(pid_t tid);
	/* Let TID continue, still traced; false: it does not remain traced. */
	bool (*resume)(pid_t pid, pid_t tid);
};
/* Initially one that keeps no process traced. */
extern const struct tracee_keeper *tracee_keeper;

struct tracee_thread {
	pid_t tid;
	bool stopped, gone, changed; /* changed: regs must be written back */
	int signal;                  /* delivered when the thread continues */
	struct user_regs_struct regs;
};
/* A process with all its threads stopped by the tracer. */
struct tracee {
	pid_t pid;
	int mem;      /* /proc/PID/mem, read and write; -1 */
	long options; /* of PTRACE_SETOPTIONS */
	struct tracee_thread *v;
	size_t n;
	/* State of remote.c, restored before the threads continue: */
	struct tracee_thread *caller; /* makes system calls for the tracer; its regs are those
				       * before */
	uint64_t caller_mask;
	uint64_t syscall_at; /* address of a `syscall' instruction; 0: not determined yet */
	uint64_t text_at;    /* ... that was written over code; 0: none */
	uint8_t text_old[2];
	uint64_t scratch_at;
	uint8_t *scratch_old;
	size_t scratch_size;
	bool scratch_mapped;
};

/* Seize and stop all threads of PID. Returns 0 or errno (ESRCH: exited; EPERM: see
 * trace_permission_explain(); ENOEXEC: not 64-bit; ETIMEDOUT: a thread does not stop, because it
 * waits for its vfork() child). Some threads may already be traced and stopped by the caller (after
 * exec, fork). All tracing must be done by one thread, as ptrace requires. */
int tracee_stop(struct tracee *t, pid_t pid);
/* The state letter of /proc/TID/stat; 0: the thread does not exist. */
char process_state(pid_t tid);
/* Called repeatedly while tracee_stop() waits: the parent of a vfork() stops only after its child,
 * which may wait for the tracer. NULL: not used. */
extern void (*tracee_meanwhile)(void);
/* Detach from all threads, which continue untraced; pending signals are delivered. */
void tracee_release(struct tracee *t);
/* Release threads that did not stop in time, once they stop. To be called repeatedly while it
 * returns a number other than 0, the number of remaining threads. */
size_t tracee_late(void);
/* For remote.c and launch.c: wait for the next report of a running thread, as of waitpid(2). False:
 * it has exited, or did not report within SECONDS (then it is neither gone nor stopped). */
bool tracee_wait(struct tracee *t, struct tracee_thread *th, int *status, unsigned seconds);
/* Bring TH, which reported STATUS, to a stop outside of any system call, and read its registers. */
bool tracee_settle(struct tracee *t, struct tracee_thread *th, int status);
bool tracee_read(const struct tracee *t, uint64_t addr, void *to, size_t size);
bool tracee_write(const struct tracee *t, uint64_t addr, const void *from, size_t size); /* code
											  * as
											  * well */
/* Program counter and stack pointer of thread I. */
uint64_t tracee_pc(const struct tracee *t, size_t i);
uint64_t tracee_sp(const struct tracee *t, size_t i);
void tracee_set_pc(struct tracee *t, size_t i, uint64_t pc);
/* Auxiliary vector entry TYPE; 0 if absent. PID may be any thread of the process. */
uint64_t auxv_value(pid_t pid, unsigned long type);
/* Let the threads run untraced for MS milliseconds, and stop them again. Returns 0 or errno; T is
 * released then. */
int tracee_step_on(struct tracee *t, unsigned ms);

/* ----------------------------------------------------------------- remote.c */

/* Make a system call in the process: returns its result or -errno; -ESRCH if the process has
 * exited, -EACCES if seccomp could kill it for the call. No other thread runs. */
long remote_syscall(struct tracee *t, long nr, long a, long b, long c, long d, long e, long f);
/* Pass FD to the process; returns its number there (close-on-exec), or -errno. */
long remote_send_fd(struct tracee *t, int fd);
/* SIZE bytes on the process's stack (below the red zone, or newly mapped) as arguments of calls,
 * until the next call of this function or the release, which restore the contents; returns their
 * address, 0 on failure. */
uint64_t remote_scratch(struct tracee *t, size_t size);
/* Restore the thread that made calls to its state before. tracee_release() calls it. */
void remote_restore(struct tracee *t);

/* ------------------------------------------------------- trace_permission.c */

/* Report why tracing PID failed with ERR, and the remedy (other user, setuid, not dumpable, Yama
 * ptrace_scope, already traced, seccomp, kernel thread, zombie, 32-bit, a missing capability).
 * Returns false. */
bool trace_permission_explain(pid_t pid, int err);
/* Wait if another run traces PID, which it does only briefly. False: another tracer traces PID. */
bool trace_permission_wait(pid_t pid);
#define TRACER_NAME "staprun-tracer" /* name of the tracer process */
/* Value of FIELD in /proc/PID/status as a number in BASE 10 or 16; -1 if missing. */
long long proc_status(pid_t pid, const char *field, int base);
/* True if exec of PATH by PID would change privileges (setuid, setgid, file capabilities), so that
 * tracing would alter its behaviour. */
bool exec_gains_privilege(pid_t pid, const char *path);
/* True if process PID, which has just called exec while traced, lacks privileges that its program's
 * file gives. */
bool lacks_privilege(pid_t pid);
void warn_lacks_privilege(const char *program);

/* ----------------------------------------------------------------- launch.c */

/* Called with the stopped process; false aborts the launch. */
typedef bool (*launch_fn)(void *arg, struct tracee *t);
/*
 * Bring PID, seized by launch_seize(), through its exec to the first instruction of its program
 * (after the dynamic linker's work). PREPARE is called once when the new image is mapped and has
 * executed no instruction; MAPPED after each new executable mapping, before it can run. Returns 0
 * with the process stopped in T, or errno with T released: ESRCH it has exited; EAGAIN its exec
 * failed, and it continues as before; ENOEXEC the new program is not 64-bit; ECANCELED by PREPARE
 * or MAPPED; ERESTART it has called exec once more: call this again.
 */
int launch_follow(struct tracee *t, pid_t pid, launch_fn prepare, launch_fn mapped, void *arg);
/* Seize all threads of PID for launch_follow(); returns 0 or errno. The caller must then call
 * launch_poll() or launch_follow() soon and often, because signals of the process wait for that. */
int launch_seize(pid_t pid);
/* Check whether PID has stopped for its exec, without blocking: 1 yes, 0 not yet, -1 it has exited
 * or was never seized. */
int launch_poll(pid_t pid);
/* Let PID continue without following its exec. */
void launch_cancel(pid_t pid);

/* PID, which remains traced and has no launch yet, is stopped at its exec. */
void launch_here(pid_t pid);

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

/* Name of its memory in /proc/PID/maps. */
#define BLOB_NAME "ustap-script"
/* Map and check the script file PATH and run its init(). False after a message. */
bool blob_load(struct blob *b, const char *path, unsigned buffer_mb);
void blob_unload(struct blob *b);
/* Record the identity of the calling process: handlers will run in it. Call again after fork. */
void blob_here(const struct blob *b);
/* True if EVENT (UST_EVENTS: any) of a process that runs module MODULE, or of the process PID, is
 * probed. */
bool blob_wants(const struct blob *b, uint32_t event, uint32_t module, uint32_t pid);
/* Ignore all hits from now on. */
static inline void blob_disarm(const struct blob *b)
{
	__atomic_fetch_or(&b->shared->owner, UST_DISARMED, __ATOMIC_SEQ_CST);
}
static inline bool blob_is_armed(const struct blob *b)
{
	return !(__atomic_load_n(&b->shared->owner, __ATOMIC_SEQ_CST) &
		 (UST_DISARMED | UST_ORPHANED));
}
/* Register the calling thread as the tracer: when it ends, the kernel marks the script as
 * orphaned. */
bool blob_own(const struct blob *b);
/* Make the code non-executable in the calling process, after its last call; its children do not
 * inherit it. False after a message. */
bool blob_retire(const struct blob *b);
/* True if FILE is a script for the user runtime, as opposed to a kernel module. Prints nothing. */
bool blob_is(const char *path);

/* ------------------------------------------------------------------- vdso.c */

/* Offset of function NAME from the start of the vDSO; 0 if not found. */
uint64_t vdso_offset(const char *name);

/* ----------------------------------------------------------------- tracer.c */

/* The tracer: a process started before the command is forked. Commands and replies go through a
 * socket. */
struct tracer {
	pid_t pid;
	int socket;
	int event;  /* eventfd: the status has changed, or a traced process has died */
	int deaths; /* pipe of struct death */
};
bool tracer_start(struct tracer *tr, struct blob *b, const pid_t *targets, size_t ntargets);
/* Send a command. Returns 0 or errno; blocks while begin or end probes run. */
int tracer_command(const struct tracer *tr, const struct ust_cmd *cmd);
/* Report the deaths received through FD of struct tracer (death_channel.c). */
void deaths_take(int fd);
void tracer_stop(struct tracer *tr); /* ask it to end, and wait for that */

#endif
