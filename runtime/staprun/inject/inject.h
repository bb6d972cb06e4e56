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
	uint64_t brk; /* where the heap ends; 0: not known */
};

/* False (errno) if the process is gone or may not be read. */
bool maps_read(struct maps *m, pid_t pid);
void maps_free(struct maps *m);
const struct mapping *maps_at(const struct maps *m, uint64_t addr);
const struct mapping *maps_named(const struct maps *m, const char *path); /* "[vdso]", ... */
/* The start of SIZE free bytes (a multiple of the page size) wholly within [LO, HI], as near to
 * NEAR as can be; 0: there is none.  Keeps away from address 0 (below 64 KiB), from the guard gap
 * of the stack (1 MiB) and, where there is other room, from what heap and stack grow into. */
uint64_t maps_gap(const struct maps *m, uint64_t lo, uint64_t hi, uint64_t near, uint64_t size);
/* Note that [START, START + SIZE) was mapped since. */
void maps_add(struct maps *m, uint64_t start, uint64_t size);
/* Forget what maps_add() has noted at START. */
void maps_remove(struct maps *m, uint64_t start);

/* ---------------------------------------------------------------- elffile.c */

struct elf_file; /* a checked ELF file of this machine's class, copied as far as it is read */

/* NULL after errno was set (ENOEXEC: no ELF file of this machine; *WHY says more if not NULL).
 * Damaged files are refused or give less, never crash; likewise one that its owner truncates or
 * changes later. */
struct elf_file *elffile_open(const char *path, const char **why);
/* A descriptor of the regular file at PATH, which nothing is waited for; -1 (errno). */
int elffile_open_fd(const char *path);
struct elf_file *elffile_open_at(int fd, const char **why); /* takes FD */
void elffile_close(struct elf_file *f);
bool elffile_same(const struct elf_file *f, unsigned dev_major, unsigned dev_minor, uint64_t inode);
/* elfid.h; computed at each call. */
void elffile_identity(const struct elf_file *f, char *to);
void elffile_build_id(const struct elf_file *f, char *to); /* ELFID_TEXT bytes */
/* The function at ADDR, by the symbol tables, and its START; SIZE 0: unknown. NULL: not found. */
const char *elffile_symbol_at(const struct elf_file *f, uint64_t addr, uint64_t *start,
			      uint64_t *size);
uint64_t elffile_entry(const struct elf_file *f);     /* virtual address */
const char *elffile_interp(const struct elf_file *f); /* NULL: static */
bool elffile_is_pie(const struct elf_file *f);
/* File offset <-> virtual address, by executable PT_LOADs; false if none holds it. */
bool elffile_addr_of_offset(const struct elf_file *f, uint64_t offset, uint64_t *addr);
bool elffile_offset_of_addr(const struct elf_file *f, uint64_t addr, uint64_t *offset);
/* Up to SIZE bytes of the file's text at virtual address ADDR; how many there are. */
size_t elffile_text(const struct elf_file *f, uint64_t addr, const uint8_t **bytes);
/* Virtual address of function NAME in .symtab or
 * .dynsym (any version, IFUNCs left out); 0: none. */
uint64_t elffile_function(const struct elf_file *f, const char *name);
/* Bounds of the function that holds ADDR, by symbols and .eh_frame_hdr's table; false: not known.
 * END is the end by its size, NEXT the start of what follows (or the end of text): between them is
 * padding. */
bool elffile_function_at(const struct elf_file *f, uint64_t addr, uint64_t *start, uint64_t *end,
			 uint64_t *next);

/* ------------------------------------------------------------------ patch.c */

enum patch_way {
	PATCH_NONE,   /* cannot be probed here; see why */
	PATCH_JUMP,   /* 5-byte jump over whole instructions */
	PATCH_PADDED, /* ... and over padding behind the function's end */
	PATCH_PUNNED, /* jump whose last bytes are those of the next instructions */
	PATCH_TRAP    /* breakpoint */
};
extern const char *const patch_way_names[];

enum { PATCH_BYTES = 24, STUB_BYTES = 320, PATCH_MAP = 24 };

/* All branches in a module's text, so that those into a window of another function are seen. */
struct patch_text;
/* BYTES stay where they are.  NULL: no memory. */
struct patch_text *patch_text_new(const uint8_t *bytes, size_t size);
void patch_text_free(struct patch_text *t);

struct patch_site {
	uint64_t addr;             /* run-time address of the probed instruction */
	const uint8_t *text;       /* the original bytes from START to NEXT */
	uint64_t start, end, next; /* run-time bounds of the function, as of elffile_function_at();
				      where not known START is addr and END = NEXT the end of what
				      may be looked at */
	uint64_t known; /* the text's bytes are there up to here, if that is beyond NEXT */
	const struct patch_text *all; /* of the module; NULL: not known, fewer sites can have a jump
				       */
	uint64_t all_start;           /* run-time address of its first byte */
	uint64_t limit; /* text from there on is not to be changed (another probed place); 0: none
			 */
	bool entry; /* addr is at or just behind the function's first instruction: no red zone */
	/* What ust_point says of handlers: */
	uint32_t first, rfirst;
	uint16_t n, rn, hook;
	bool full;
};

/* A site's new text and its stub. */
struct patch {
	enum patch_way way;
	const char *why; /* of PATCH_NONE: in words */
	uint64_t addr;
	uint64_t place; /* virtual address, for whom it concerns */
	bool gated;     /* only there while some gate is open */
	uint8_t old_text[PATCH_BYTES], new_text[PATCH_BYTES];
	unsigned len;  /* bytes of text that change */
	unsigned span; /* bytes that must stay as they then are: len, of punned jumps more */
	uint64_t at;   /* of the area memory that `code' goes to: point, then stub */
	uint64_t stub; /* run-time address of the stub's first instruction: at + sizeof(struct
			  ust_point) */
	uint64_t pad;  /* of a jump to it, where the text's jump can go only; 0: none */
	uint8_t code[STUB_BYTES];
	unsigned code_len;
	/* Whoever stands at addr + from goes on at stub + to; nobody returns to there.  The first
	 * is that of addr. */
	unsigned nmap;
	struct {
		uint8_t from;
		uint16_t to;
	} map[PATCH_MAP];
};

/* Plan how SITE is patched with its stub at AT (16-byte aligned), in an area whose table of common
 * code (see wire.h) is at TABLE.  Tries jump, then padding.  False: way is PATCH_NONE. */
bool patch_plan(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
/* Where the stub's first byte that a punned jump can reach may be: ranges by growing number of
 * fixed bytes; false where punning cannot do it.  Then plan with AT such that AT + sizeof(struct
 * ust_point) is in it. */
bool patch_pun_range(const struct patch_site *site, uint64_t *lo, uint64_t *hi);
/* The only one where a punned jump of one byte can go; then there is a jump to the stub, the pad.
 * 0: none. */
uint64_t patch_pun_pad(const struct patch_site *site);
enum { PAD_BYTES = 5 };
/* PAD: 0 or of patch_pun_pad(). */
bool patch_plan_punned(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t pad,
		       uint64_t table);
/* int3; the stub is entered by the trap handler.
 * Works wherever the instruction can be relocated. */
bool patch_plan_trap(struct patch *p, const struct patch_site *site, uint64_t at, uint64_t table);
/* The number of a patch's `why', for patch_reason() of hits.h. */
unsigned patch_reason_of(const char *why);
/* Where a place begins is THERE, and in the file of its program FILE, both of N bytes: from which
 * byte on a debugger or another run has changed it, behind what it has changed at the place itself.
 * 0: nothing is. */
unsigned patch_foreign(const uint8_t *there, const uint8_t *file, size_t n);
/* Do both need the same bytes of text?  (Only one can be; see patch_site.limit.) */
bool patch_overlaps(const struct patch *a, const struct patch *b);
/* Where PC goes if it stands within the text that P replaces; 0: it does not (or at its first
 * byte). */
uint64_t patch_move(const struct patch *p, uint64_t pc);
/* The other way round, when P is taken out: where PC, at the beginning of P's stub or of an
 * instruction that was moved there, goes in the original text; 0: it stands elsewhere and has to
 * run on. */
uint64_t patch_move_back(const struct patch *p, uint64_t pc);

/* ----------------------------------------------------------- calls_x86_64.c */

/* Is the instruction at ADDR in the function [START, END), whose bytes are at TEXT, there in step
 * with the others, and may it, a `syscall', be one of N system calls? */
bool call_may_be(const uint8_t *text, uint64_t start, uint64_t end, uint64_t addr,
		 const unsigned *numbers, size_t n);
/* Does a `syscall' come within 256 bytes behind the instruction at TEXT?  The bounds of functions
 * of a large program, which take 0.1 s to learn, are not needed where none does. */
bool call_follows(const uint8_t *text, size_t size);

/* ------------------------------------------------------------ stub_x86_64.c */

/* An area of stubs begins with a table of UST_COMMON_COUNT addresses, then its unwind information:
 * a struct eh_frame_hdr-format header with search table, and one FDE for [AREA, AREA + SIZE) whose
 * rules find the replaced return address in the table of slots.  Fills DST; gives its bytes, the
 * first free offset of the area. */
enum { AREA_HEAD_MAX = 512 };
size_t area_head(uint8_t dst[AREA_HEAD_MAX], uint64_t area, uint64_t size,
		 const struct ust_layout *layout);
/* Offsets of .eh_frame_hdr and .eh_frame in it. */
size_t area_eh_frame_hdr(void);
size_t area_eh_frame(void);

/* ---------------------------------------------------------- decode_x86_64.c */

/* Bytes of the instruction at TEXT, N bytes, if all it does is to permit indirect branches to it;
 * else 0. */
size_t landing_pad(const uint8_t *text, size_t n);

/* ----------------------------------------------------------------- tracee.c */

/* Processes that stay traced when they go on; follow.c has them.  Its functions are called while a
 * process is stopped for something else. */
struct tracee_keeper {
	/* Options of ptrace for PID; 0: it does not stay traced. */
	long (*options)(pid_t pid);
	/* Are the system calls of TID to be seen? */
	bool (*sees_calls)(pid_t tid);
	/* TID, which may be kept, reported STATUS; or is taken from where it stands, as si_code has
	 * it. */
	void (*report)(pid_t tid, int status);
	void (*taken)(pid_t tid, int code);
	/* It is at the beginning or end of a system call, and waits for what handlers say to that.
	 */
	void (*call)(pid_t tid);
	/* Let it go on, still traced; false: it is not kept. */
	bool (*resume)(pid_t pid, pid_t tid);
};
/* At first one that keeps no process. */
extern const struct tracee_keeper *tracee_keeper;

struct tracee_thread {
	pid_t tid;
	bool stopped, gone, changed; /* changed: regs are to be written back */
	int signal;                  /* to be sent to it again when it goes on */
	struct user_regs_struct regs;
};
/* A process whose threads are all stopped by us. */
struct tracee {
	pid_t pid;
	int mem;      /* /proc/PID/mem, read and write; -1 */
	long options; /* of PTRACE_SETOPTIONS */
	struct tracee_thread *v;
	size_t n;
	/* Of remote.c, put back before the threads go on: */
	struct tracee_thread *caller; /* makes system calls for us; its regs are those it had before
				       */
	uint64_t caller_mask;
	uint64_t syscall_at; /* address of a `syscall' instruction, 0: not looked for yet */
	uint64_t text_at;    /* ... that was written over its text; 0 */
	uint8_t text_old[2];
	uint64_t scratch_at;
	uint8_t *scratch_old;
	size_t scratch_size;
	bool scratch_mapped;
};

/* Seize and stop all threads of PID.  0 or errno (ESRCH: gone; EPERM: see
 * trace_permission_explain(); ENOEXEC: not 64-bit; ETIMEDOUT: a thread does not stop, since it
 * waits for the child of its vfork()).  May be called for a process of which some threads are
 * already traced and stopped by us (after exec, fork).  All tracing is the work of one thread, as
 * the kernel has it. */
int tracee_stop(struct tracee *t, pid_t pid);
/* The state letter of /proc/TID/stat; 0: the thread does not exist. */
char process_state(pid_t tid);
/* Called now and then while tracee_stop() waits: the parent of a vfork() stops only after its
 * child, which may wait for us.  NULL: nothing to do. */
extern void (*tracee_meanwhile)(void);
/* Let all threads go on, untraced; pending signals are delivered. */
void tracee_release(struct tracee *t);
/* Threads that could not be let go as they did not stop are, once they do: to be called now and
 * then while it returns a number other than 0, that of those left. */
size_t tracee_late(void);
/* For remote.c and launch.c: wait for the next report of a thread
 * that was let run, as of waitpid(2). False: it is gone, or
 * nothing came for SECONDS (then it is neither gone nor stopped). */
bool tracee_wait(struct tracee *t, struct tracee_thread *th, int *status, unsigned seconds);
/* Bring TH, which reported STATUS, to a stop at which
 * no call is under way, and read its registers. */
bool tracee_settle(struct tracee *t, struct tracee_thread *th, int status);
bool tracee_read(const struct tracee *t, uint64_t addr, void *to, size_t size);
bool tracee_write(const struct tracee *t, uint64_t addr, const void *from, size_t size); /* text too
											  */
/* For each thread: its program counter and stack pointer. */
uint64_t tracee_pc(const struct tracee *t, size_t i);
uint64_t tracee_sp(const struct tracee *t, size_t i);
void tracee_set_pc(struct tracee *t, size_t i, uint64_t pc);
/* Auxiliary vector entry, 0 if absent.  PID may be any thread of the process. */
uint64_t auxv_value(pid_t pid, unsigned long type);
/* Let the threads run for a moment, untraced, and
 * stop them again.  0 or errno; then T is released. */
int tracee_step_on(struct tracee *t, unsigned ms);

/* ----------------------------------------------------------------- remote.c */

/* A system call made by the process: its result, or -errno; -ESRCH if it is gone, -EACCES if
 * seccomp might kill it for that.  No other thread runs. */
long remote_syscall(struct tracee *t, long nr, long a, long b, long c, long d, long e, long f);
/* Give FD to the process: its number there (close-on-exec), or -errno. */
long remote_send_fd(struct tracee *t, int fd);
/* SIZE bytes on the process's stack (below the red zone, or newly mapped) that calls may use until
 * the next call of this or release, when the old bytes come back; 0: there are none. */
uint64_t remote_scratch(struct tracee *t, size_t size);
/* The thread that made calls goes back to where it was stopped.  tracee_release() does it. */
void remote_restore(struct tracee *t);

/* ------------------------------------------------------- trace_permission.c */

/* After tracing PID failed with ERR: say why and what helps (another user's, setuid, not dumpable,
 * Yama ptrace_scope, traced by another, seccomp, kernel thread, zombie, 32-bit, a missing
 * capability).  Returns false. */
bool trace_permission_explain(pid_t pid, int err);
/* Another run traces a process for a moment only:
 * wait for that.  False: somebody else traces PID. */
bool trace_permission_wait(pid_t pid);
#define TRACER_NAME "staprun-tracer" /* of the process that traces */
/* Value of FIELD in /proc/PID/status as a number, BASE 10 or 16; -1 if there is none. */
long long proc_status(pid_t pid, const char *field, int base);
/* Would exec of PATH as seen by PID change privileges (setuid, setgid, file capabilities), so that
 * tracing it would change what it does? */
bool exec_gains_privilege(pid_t pid, const char *path);
/* Does process PID, which has just exec'ed while it was traced, run without privileges
 * that its program gives? */
bool lacks_privilege(pid_t pid);
void warn_lacks_privilege(const char *program);

/* ----------------------------------------------------------------- launch.c */

/* Called with the stopped process; false ends it all. */
typedef bool (*launch_fn)(void *arg, struct tracee *t);
/*
 * Bring PID, of launch_seize(), through its exec to the first instruction of its program (behind
 * the dynamic linker's work).  PREPARE is called once when the new image is there and no
 * instruction of it has run; MAPPED each time it has mapped something executable, before that can
 * run.  Returns 0 with the process stopped in T, or errno, with T released: ESRCH it has ended;
 * EAGAIN its exec failed, and it goes on as it was; ENOEXEC the new program is not a 64-bit one;
 * ECANCELED by PREPARE or MAPPED; ERESTART it has exec'ed once more: call this again.
 */
int launch_follow(struct tracee *t, pid_t pid, launch_fn prepare, launch_fn mapped, void *arg);
/* Seize all threads of PID so that launch_follow() can be called: 0 or errno.  From now on call
 * launch_poll() or launch_follow() soon and often, since signals wait for that. */
int launch_seize(pid_t pid);
/* Has PID stopped for its exec?  Does not block: 1 yes, 0 not yet, -1 it is gone, or was never
 * seized. */
int launch_poll(pid_t pid);
/* Let it go on as it is. */
void launch_cancel(pid_t pid);

/* PID, which stays traced and is not known here, stands at its exec. */
void launch_here(pid_t pid);

/* ------------------------------------------------------------------- blob.c */

struct blob {
	struct ust_agent agent;         /* copies: traced processes cannot write to them */
	struct ust_layout made;         /* ... as init() has made it */
	struct ust_event_probe *probes; /* ... those of events */
	uint32_t nprobes;
	struct ust_shared *shared;          /* in this process; the address is the same in all */
	uint64_t base;                      /* private memory */
	uint64_t private_size;              /* with the page that is wiped, its last */
	uint64_t text, text_size;           /* file offset 0 of `code' */
	uint64_t constants, constants_size; /* behind it in that file */
	uint64_t data, data_size; /* file offset 0 of the memfd; with the heap that is used */
	int code, memfd;
	char name[NAME_SIZE]; /* of the script, for messages */
};

/* Of its memory, in maps of processes. */
#define BLOB_NAME "ustap-script"
/* Map and check the blob FILE and run its init().  False after a message. */
bool blob_load(struct blob *b, const char *path, unsigned buffer_mb);
void blob_unload(struct blob *b);
/* Fill in what says which process this is: handlers will run in the calling one (after fork, call
 * it again). */
void blob_here(const struct blob *b);
/* Is EVENT (UST_EVENTS: any) of a process that runs
 * module MODULE, or of the process PID, probed? */
bool blob_wants(const struct blob *b, uint32_t event, uint32_t module, uint32_t pid);
/* No hit counts from now on. */
static inline void blob_disarm(const struct blob *b)
{
	__atomic_fetch_or(&b->shared->owner, UST_DISARMED, __ATOMIC_SEQ_CST);
}
static inline bool blob_is_armed(const struct blob *b)
{
	return !(__atomic_load_n(&b->shared->owner, __ATOMIC_SEQ_CST) &
		 (UST_DISARMED | UST_ORPHANED));
}
/* The calling thread is the tracer: when it ends, the kernel marks the script as orphaned. */
bool blob_own(const struct blob *b);
/* The calling process has called it for the last time: from now on it cannot execute it, and its
 * children do not inherit it.  False after a message. */
bool blob_retire(const struct blob *b);
/* Is FILE a blob of ours, as opposed to a kernel module?  Does not print. */
bool blob_is(const char *path);

/* ------------------------------------------------------------------- vdso.c */

/* How far behind the beginning of the vDSO its function NAME is; 0: there is none. */
uint64_t vdso_offset(const char *name);

/* ----------------------------------------------------------------- tracer.c */

/* The tracing process: started before the command
 * is forked.  Orders and answers go over a socket. */
struct tracer {
	pid_t pid;
	int socket;
	int event;  /* eventfd: the status changed, or a traced process has died */
	int deaths; /* pipe of struct death */
};
bool tracer_start(struct tracer *tr, struct blob *b, const pid_t *targets, size_t ntargets);
/* 0 or errno; blocks while begin or end probes run. */
int tracer_command(const struct tracer *tr, const struct ust_cmd *cmd);
/* Tell the deaths that FD of struct tracer has (death_channel.c). */
void deaths_take(int fd);
void tracer_stop(struct tracer *tr); /* ask it to end, wait for that */

#endif
