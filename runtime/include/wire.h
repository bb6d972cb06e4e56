/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Wire format: commands, status and records between a runtime and the loader. The loader includes
 * this header and nothing else of the runtime. All numbers are in host byte order. Commands, status
 * and records are the same for both runtimes.
 *
 * Kernel runtime: a loaded script is /proc/ustap/NAME/ with
 *   ctl    write: struct ust_cmd; read: struct ust_status; poll: readable
 *          when the status changed since this file's last read
 *   cpuN   read: the records of CPU N, whole and in order (relay)
 */
#ifndef USTAP_WIRE_H
#define USTAP_WIRE_H

#include <linux/types.h>

#define UST_WIRE_VERSION 6
#define UST_PROC_DIR     "ustap"
/* Every module built by ustap has this key in .modinfo, with the wire version as value. */
#define UST_MODINFO_KEY "ustap"
/* Module names: prefix, 10 hex digits of the script, then 7 digits that staprun replaces by its
 * process id so that one script can run twice. */
#define UST_NAME_PREFIX "ustap_"
#define UST_NAME_FMT    UST_NAME_PREFIX "%.10s_0000000"
/* Module parameter: buffer size per CPU in MB (staprun -s); the module has a default. */
#define UST_PARAM_BUFFER "buffer_mb"
/* Maximum length of one record's text; a stream with a longer one is damaged. */
#define UST_REC_MAX (1u << 20)

enum ust_rec_type {
	UST_REC_OUT = 1,       /* text for standard output */
	UST_REC_WARN = 2,      /* text for standard error, prefixed with "WARNING: " */
	UST_REC_ERROR = 3,     /* text for standard error, prefixed with "ERROR: " */
	UST_REC_COUNT = 4,     /* struct ust_count and texts */
	UST_REC_VIEW = 5,      /* text about the script's globals; without text: the requested view
				* is complete */
	UST_REC_PARTS = 6,     /* struct ust_parts: output of one hit, in parts */
	UST_REC_SYSTEM = 7,    /* a shell command */
	UST_REC_SWITCH = 8,    /* further output goes to another file */
	UST_REC_DEATH = 9,     /* struct ust_death; from the kernel only */
	UST_REC_UNTRACED = 10, /* struct ust_untraced and a path; from the kernel only */
	UST_REC_LAST = UST_REC_UNTRACED
};

struct ust_rec {
	__u32 len;  /* bytes of text after this head; the next record follows, 8-byte aligned */
	__u16 type; /* enum ust_rec_type */
	__u16 cpu;
	__u64 seq;  /* per CPU, from 0, without gaps unless records were dropped */
	__u64 time; /* ns, CLOCK_MONOTONIC; never decreases on one CPU */
};

/* Output of a hit, or a part of it: followed by TEXT bytes, then TEXTS bytes of two strings with
 * their NULs, the probe point and the function, then, 8-byte aligned, the marks, the last one
 * first. Hits with long text have several such records, all from one context. */
struct ust_parts {
	__u32 text, texts, marks;
	__u32 flags; /* enum ust_parts_flags */
	__u32 context;
	__u32 pid, tid, pad;
	char comm[16];
};
enum ust_parts_flags {
	UST_PARTS_FIRST = 1, /* the first record of its hit */
	UST_PARTS_LAST = 2,
	UST_PARTS_RETURN = 4, /* a function returns */
	UST_PARTS_PAIRED = 8, /* both entry and return of the function print output */
	UST_PARTS_TIMER = 16,
	UST_PARTS_VIEW = 32 /* about a global, for UST_CMD_VIEW */
};
/* Applies to the text from byte AT on, until the next mark. */
struct ust_mark {
	__u32 at, kind;
	__s64 value;
};
enum ust_mark_kind {
	UST_MARK_BEGIN, /* a print statement, at time VALUE; the bytes are lines: its location in
			 * the script, its kind (enum ust_print_kind and more), then the script's
			 * text of each argument */
	UST_MARK_LONG,  /* an argument */
	UST_MARK_STRING,
	UST_MARK_TEXT,   /* printed text */
	UST_MARK_END,    /* of the statement: the following text belongs to no statement */
	UST_MARK_INDENT, /* the next statement is indented by VALUE more */
	UST_MARK_WARN,   /* at time VALUE */
	UST_MARK_ERROR
};
enum ust_print_kind {
	UST_PRINT_ARGS = 'p',
	UST_PRINT_GLOBAL = 'g', /* printed at the end: number of keys, and name; then arguments
				 * as the lines say */
	UST_PRINT_HIST = 'h',   /* its histogram: "log", or "linear" low step buckets; arguments
				 * are pairs: bucket, count */
	UST_PRINT_STACK = 's'
};
/* Precedes a stack of names, from the outermost frame inwards. */
#define UST_STACK_MARK '\x1c'

/*
 * Output of print_ubacktrace() and similar functions for a frame of a file that the translator did
 * not read:
 *
 *     MARK KEY " " PID " " ADDRESS " " IN_FILE " " FLAGS " " BUILD_ID " " PATH TEXT text MARK
 *
 * KEY is ust_status.name_key, which a script cannot know, so that its text is never taken for
 * a mark. Numbers are hexadecimal. IN_FILE is the address in the file's own numbering. staprun
 * prints a line with the function's name in place of the text, or the text if it finds no
 * name.
 */
#define UST_NAME_MARK "\x1d"
#define UST_NAME_TEXT "\x1e"
enum ust_name_flags {
	UST_NAME_BEHIND_CALL = 1, /* a return address: the function is that of the byte before */
	UST_NAME_BRIEF = 2,       /* for print_ubacktrace_brief() */
	UST_NAME_RAW = 4          /* the symbol, not demangled */
};

/* A traced process was killed by a signal; STATUS as of wait(2). */
struct ust_death {
	__u32 pid, status;
	char comm[16];
};

/* An untraced descendant of the target runs a probed program, whose path follows, without a NUL. */
struct ust_untraced {
	__u32 pid;
};

/* Hits of a handler, reported after the end probes by programs that count. Followed by the probe
 * point and its location in the script, each with its NUL. */
struct ust_count {
	__u32 index; /* index among the sites of the program and, after these, its probes without
		      * sites */
	__u32 flags; /* enum ust_count_flags */
	__u64 hits;
	__u64 sum, min, max; /* cycles that the hits took */
	__u64 refused;       /* number of times that its condition was false */
};
/* Flags from UST_COUNT_NO_FILE on are the state of a site, hit or not. */
enum ust_count_flags {
	UST_COUNT_SITE = 1,
	UST_COUNT_TIMES = 2,   /* sum, min and max were measured */
	UST_COUNT_NO_FILE = 4, /* its file was missing, or differs from the one compiled for */
	UST_COUNT_FAILED = 8,  /* it could not be armed in some process */
	UST_COUNT_PLACED = 16,
	UST_COUNT_MAPPED = 32,    /* a traced process has mapped its file */
	UST_COUNT_OTHER = 64,     /* one has mapped a different file of that path */
	UST_COUNT_ENTERED = 128,  /* for a return probe: the function was entered */
	UST_COUNT_UNWANTED = 256, /* it was reached by untraced processes */
	UST_COUNT_CLOSED = 512,   /* its condition is false: it is disarmed */
	UST_COUNT_VIEW = 1024,    /* interim count, for UST_CMD_VIEW */
	UST_COUNT_TRAP = 2048     /* armed by a breakpoint; the bits from UST_COUNT_WHY on are the
				   * reason, see patch_reason() */
};
#define UST_COUNT_WHY 12

enum ust_cmd_op {
	UST_CMD_START = 1,  /* register probes, run begin probes, then arm; returns when done */
	UST_CMD_STOP = 2,   /* disarm, run end (or error) probes; returns when done */
	UST_CMD_DETACH = 3, /* the reader leaves on purpose: keep running */
	UST_CMD_SET = 4,    /* before START: set a global; struct ust_cmd is followed by its name
			     * and the value, each with its NUL; `target' is the value as an
			     * integer, if flags contain UST_SET_NUMBER. ENOENT: not found, EISDIR:
			     * not a scalar, EDOM: it is an integer, ENAMETOOLONG */
	UST_CMD_VIEW = 5,   /* while it runs: records of globals and hit counts */
	UST_CMD_ATTACH = 7, /* a reader has attached: resume, if the script was paused */
	UST_CMD_SYMBOLS = 6 /* before START, if ust_status.symbols is not 0: struct ust_cmd is
			     * followed by some lines of /proc/kallsyms */
};
#define UST_SET_NUMBER 1u
/* Maximum number of bytes after struct ust_cmd. */
#define UST_SET_MAX (64u << 10)

enum ust_cmd_flags {
	UST_START_FILTER = 1 /* only hits of `target` */,
	UST_START_CHILDREN = 2 /* and its descendants */,
	UST_START_COMMAND = 4 /* which has not called exec yet */,
	UST_START_OWN = 8 /* with UST_START_FILTER: only while it has the ids of the caller, and
			   * no capabilities; else EACCES */
};

struct ust_cmd {
	__u32 op;
	__u32 flags;
	__s64 target; /* value of target(); process id or 0 */
};

enum ust_state { UST_LOADED, UST_STARTING, UST_RUNNING, UST_STOPPING, UST_STOPPED };

struct ust_status {
	__u32 version;         /* UST_WIRE_VERSION */
	__u32 state;           /* enum ust_state */
	__u32 exit_requested;  /* exit() was called, or too many errors occurred: send STOP */
	__u32 failed;          /* a run-time error ended the script: exit status 1 */
	__u64 errors;          /* run-time errors in handlers */
	__u64 skipped_context; /* handlers not run: no free context */
	__u64 skipped_stack;   /* ... : too little kernel stack left */
	__u64 skipped_nested;  /* ... : hit inside a handler */
	__u64 lost_records;    /* dropped because buffers were full */
	__u64 lost_bytes;
	__u64 missed_returns; /* return probes that the kernel could not arm (depth limit) */
	__u32 ncpu;           /* files cpu0..cpu(ncpu-1); those of absent CPUs are missing */
	__u32 sites;          /* armed probe sites */
	__s64 target;         /* as given with START */
	__u64 unplaced;       /* sites that could not be armed in at least one process */
	__u64 symbols;     /* before START: number of kernel symbols requested; 0: the module looks
			    * them up itself */
	__u64 cut_strings; /* strings longer than string_max, which were cut */
	__u64 name_key;    /* key of marks around names; 0: the script writes none */
	__u32 string_max;  /* length of the longest string: MAXSTRINGLEN - 1 */
	__u32 unfollowed;  /* exec calls in traced processes that could not be reported to the
			    * loader */
	__u32 paused;      /* its loader was killed: no handler runs until UST_CMD_ATTACH */
	__u32 pauses;      /* number of pauses */
	__u32 slow_reads;  /* processes whose memory is read through system calls, because they
			    * have changed their fault handlers; user runtime */
	__u32 pad;
};

/* ------------------------------------------------------------ user runtime */

/*
 * A script built for the user runtime (a blob) is an ELF file of type ET_DYN without
 * dependencies, linked at 0, with relative relocations only.  Its e_entry is the address of its
 * struct ust_agent.  The loader maps it at the same address, the base, in itself and in every
 * process, so that its pointers hold everywhere.  Its four loadable segments are, in order:
 *
 *   private    anonymous memory of each process, copied by fork; it begins with a struct
 *              ust_process; its last page holds a struct ust_local and is zero again in a
 *              forked child (MADV_WIPEONFORK)
 *   code       read and execute, the start of a file (memfd) that is sealed against writes
 *   constants  read only, the rest of that file: struct ust_agent, tables of the script with
 *              addresses of code.  Both are mapped privately: a process that makes its mapping
 *              writable changes its own copy
 *   data       read and write, a second file that all processes share; the heap follows it,
 *              up to heap_end
 */
#define UST_AGENT_MAGIC 0x746e656761747375ull /* "ustagent" */
#define UST_PAGE        4096u

/* One script in several processes. Handlers write to rings while the loader reads them. */

enum ust_ring_limits { UST_RINGS_SPARE = 2, UST_RINGS_MAX = 4096 };

/* A ring of records for writers that take its lock; head and tail count bytes from the start, the
 * position in buf is that modulo size; records are 8-byte aligned and wrap around. */
struct ust_ring {
	__u32 lock; /* its owner, or 0: thread id, from bit 22 on ust_process.pid_space */
	__u32 size; /* of buf, a power of 2 */
	__u64 buf;  /* address */
	__u64 head, seq, last_time, lost_records, lost_bytes; /* written under the lock */
	__u64 pad0;
	__u64 tail;   /* written by the reader only, repeatedly: other processes may overwrite it */
	__u32 closed; /* the same: the ring holds invalid records, and is not read any more */
	__u32 pad1;
	__u64 pad2[6];
};

enum ust_request_type {
	UST_REQ_MODULES = 1, /* the process has mapped or unmapped modules */
	UST_REQ_EXEC = 2,    /* it is about to call exec; arg[0] is the address of the path, or 0 */
	UST_REQ_GATES = 3,   /* a closed gate's condition is true: it waits for the sites behind
			      * the gate */
	UST_REQ_CHILD = 4,   /* a forked child has reached its first probe */
	UST_REQ_UNTRACED = 5 /* an untraced child has reached a probe or, with arg[0] as of EXEC,
			      * is about to call exec */
};
enum ust_request_state {
	UST_REQ_FREE,
	UST_REQ_CLAIMED,
	UST_REQ_POSTED,
	UST_REQ_TAKEN,
	UST_REQ_DONE
};

/* A request of a process to the loader; the process waits on the futex `state' until it is DONE (or
 * the loader has ended, or is too slow). */
struct ust_request {
	__u32 state, type;
	__u32 pid, tid;
	__u64 arg[2];
};
#define UST_REQUESTS 64

struct ust_site_info {
	__u64 offset; /* file offset of the instruction */
	__u64 addr;   /* its virtual address in the file */
	__u32 module;
	__u32 flags; /* enum ust_site_info_flags */
	const char *pp;
	__u64 semaphore;  /* virtual address and file offset of its 16-bit SDT semaphore; */
	__u64 sem_offset; /* 0: none */
	__u32 gate, pad;  /* number of its gate from 1 on; 0: none */
};
/* Same layout as struct ust_gate of ustap_rt.h. */
struct ust_gate_state {
	__u32 on, closed;
};
enum ust_site_info_flags {
	UST_SITE_INFO_RETURN = 1,
	UST_SITE_INFO_ALL_REGS = 2 /* handler reads more than the caller-saved registers */
};

/* Code that trampolines call; UST_COMMON_FULL is added if all registers are needed. */
enum ust_common {
	UST_COMMON_ENTRY,
	UST_COMMON_RETURN,
	UST_COMMON_AFTER,
	UST_COMMON_FULL,
	UST_COMMON_COUNT = 6
};

/* Process events of followed processes; in the order of ust_rt.h, where they are probes. */
enum ust_event {
	UST_EVENT_BEGIN,
	UST_EVENT_END,
	UST_EVENT_THREAD_BEGIN,
	UST_EVENT_THREAD_END,
	UST_EVENT_SYSCALL,
	UST_EVENT_SYSCALL_RETURN,
	UST_EVENTS
};
#define UST_NO_MODULE (~0u)

/* The subject of an event. Handlers of events run in the script process, while the thread is
 * stopped. */
struct ust_subject {
	__u32 pid, tid;           /* in the process's own pid namespace */
	__u32 host_pid, host_tid; /* ... and in the loader's */
	__u32 module; /* number of the script's module that it runs; UST_NO_MODULE: another
		       * program */
	__u32 has_regs;
	__u64 regs[21]; /* struct ust_regs */
};

/* A probe on process events. EVENT is UST_EVENTS for all other probes. */
struct ust_event_probe {
	__u32 event;
	__u32 module; /* only processes that run it; UST_NO_MODULE: see pid */
	__s64 pid;    /* only this process; 0: all */
};

/* Services of staprun that the script uses: records of other types are forged. */
enum ust_uses {
	UST_USES_SYSTEM = 1,
	UST_USES_SWITCH = 2,
	UST_USES_WRITE = 4 /* writes memory of processes */
};

/* Sizes and addresses. The loader has its own copy, made before any process is traced. */
struct ust_layout {
	/* set by the loader before init() */
	__u64 heap_end; /* init() lowers it to the end of the used part */
	__u32 ncpu, buffer_mb;
	__u32 hwcap2;   /* AT_HWCAP2 of the auxiliary vector */
	__u64 name_key; /* see UST_NAME_MARK */

	/* set by init() */
	__u32 uses; /* enum ust_uses */
	__u32 nsites, nmodules, nprobes;
	__u32 walks;  /* the script unwinds stacks: see struct ust_mapped */
	__u32 events; /* 1 << enum ust_event: probed events */
	__u32 nrings, ngates;
	__u64 order_ms; /* processor time that the script process may take for a command; 0: no
			 * limit */
	__u64 rings;    /* address of nrings struct ust_ring */
	__u64 order;    /* address of nsites __u32: sites by address, filled by the loader */
	__u64 gates;    /* address of ngates struct ust_gate_state */

	/* for trampolines and unwind information */
	__u64 common[UST_COMMON_COUNT];    /* addresses; [UST_COMMON_x + UST_COMMON_FULL] */
	__u64 fault_handlers;              /* UST_FAULTS entry points for SIGSEGV and SIGBUS, of
					      UST_FAULT_BYTES each */
	__u64 fault_restorer;              /* restorer if the program has no handler */
	__u64 slots, slots_mask;           /* struct ust_slot table; number of entries - 1 */
	__u64 trap_handler, trap_restorer; /* for SIGTRAP, if breakpoints are used */
	__u64 traps, traps_mask; /* struct ust_trap table, private; number of entries - 1 */
	__u64 trap_threads;      /* UST_TRAP_THREADS struct ust_trap_thread, private */
};

/* Requests of event handlers to the tracer for memory of their subject, and the replies. */
enum ust_memory_kind {
	UST_MEMORY_READ,
	UST_MEMORY_WRITE,
	UST_MEMORY_STRINGS /* returns four addresses, see struct ust_process */
};
struct ust_memory_request {
	__u32 kind, size; /* SIZE of bytes[]; 0 in a reply without bytes */
	__u64 addr;
	__s32 result; /* 0 or -errno */
	__u32 pad;
	__u8 bytes[UST_PAGE];
};

/*
 * ust_shared.owner is an entry of the tracer's robust list
 * (Documentation/locking/robust-futexes.rst): when the tracer ends, for any reason, the kernel
 * replaces its thread id by UST_ORPHANED. A traced process that writes to it only stops its own
 * handlers, or keeps them running unread: the list is in the tracer's memory.
 */
enum ust_owner_flags {
	UST_DISARMED = 0x80000000u, /* FUTEX_WAITERS, which the kernel does not change */
	UST_ORPHANED = 0x40000000u  /* FUTEX_OWNER_DIED */
};

/* State that traced processes and the loader both write. The loader takes only numbers from it,
 * each read once. */
struct ust_shared {
	__u32 owner;              /* thread id of the tracer and enum ust_owner_flags;
				     handlers run while these are 0 */
	__u32 doorbell;           /* futex: counts requests and changes of the status */
	__u32 children;           /* forked children are traced, too */
	__u32 reader;             /* a process reads the rings */
	__u32 gates_moved;        /* the loader has to check the gates */
	__u32 loader;             /* process id of the process that serves requests */
	struct ust_status status; /* lost_records and lost_bytes are in the rings */
	struct ust_request requests[UST_REQUESTS];
};

/* Constant, in sealed memory, at the start of the constants. The loader calls init(), site(),
 * module(), probe() and set() before any process is traced; the script process calls the rest. */
struct ust_agent {
	__u64 magic;
	__u32 version, size; /* UST_WIRE_VERSION, sizeof(struct ust_agent) */
	struct ust_shared *shared;
	struct ust_process *process;            /* the start of private memory */
	int (*init)(struct ust_layout *layout); /* allocate all memory; returns 0 or -errno */
	void (*site)(__u32 i, struct ust_site_info *to);
	const char *(*module)(__u32 i, const char **identity);
	void (*probe)(__u32 i, struct ust_event_probe *to);
	/* Set a global like UST_CMD_SET: returns 0 or -errno. */
	int (*set)(const char *name, const char *value, __s64 number, int is_number);
	void (*note)(__u32 i, __u32 flags); /* set flags of site i: enum ust_count_flags */
	int (*begin)(void);                 /* run begin probes; blocks while buffers are full */
	void (*arm)(void);                  /* accept hits from now on; start timers */
	__u64 (*timers)(__u64 now);         /* run timers that are due at NOW (CLOCK_MONOTONIC ns);
					     * returns the time of the next call, ~0: none */
	void (*end)(void);                  /* run end or error probes */
	void (*view)(void);                 /* UST_CMD_VIEW */
	void (*event)(__u32 event, const struct ust_subject *subject); /* run the handlers */
};

/* An area of trampolines, for unwinders; eh_frame_hdr is an offset in it. START is written last. */
struct ust_area {
	__u64 start, size, eh_frame_hdr;
};
#define UST_AREAS 256

/* A mapping of a module of the script or, if it is code, of another file (UST_NO_MODULE): bytes
 * from OFFSET on of the file, whose first byte is mapped at FILE (0: not mapped); its path is at
 * PATH of the paths. */
struct ust_mapped {
	__u64 start, end, offset, file;
	__u32 module, path;
};
#define UST_MAPPED 1024
#define UST_PATHS  16384

/* The kernel's struct sigaction. */
struct ust_disposition {
	__u64 handler, flags, restorer, mask;
};

/*
 * SIGSEGV and SIGBUS. Loads of handlers may fault, so the kernel is given entry points of the
 * runtime as handlers, with the program's own mask and flags: number N stands for the disposition
 * ust_process.faults[N].
 */
#define UST_FAULTS      32u
#define UST_FAULT_BYTES 16
/* sa_flags that differ: SA_SIGINFO, SA_RESETHAND; for the default action also SA_ONSTACK and
 * SA_RESTORER. */
#define UST_FAULT_FLAGS         0x80000004ull
#define UST_FAULT_FLAGS_DEFAULT (UST_FAULT_FLAGS | 0x0c000000ull)

/* OURS: disposition to install for THEIRS, which is the default or a function with a restorer. */
static inline void ust_fault_ours(struct ust_disposition *ours,
				  const struct ust_disposition *theirs, __u64 handler,
				  __u64 restorer)
{
	*ours = *theirs;
	ours->handler = handler;
	ours->flags = (ours->flags & ~0x80000000ull) | 4;
	if (!theirs->handler) {
		ours->flags |= 0x0c000000ull;
		ours->restorer = restorer;
	}
}

/* The reverse: convert D, as the kernel has it, to the program's own disposition. */
static inline void ust_fault_own(struct ust_disposition *d, const struct ust_disposition *theirs)
{
	const __u64 ours = theirs->handler ? UST_FAULT_FLAGS : UST_FAULT_FLAGS_DEFAULT;

	d->handler = theirs->handler;
	d->flags = (d->flags & ~ours) | (theirs->flags & ours);
	d->restorer = theirs->restorer;
}

/*
 * Records from which a later loader removes a script whose tracer was killed. An entry is written
 * before the memory is mapped, and records before code changes, so that all changes in the process
 * are on record at any moment.
 */
struct ust_record {
	__u64 addr, stub, pad;           /* of struct patch: the code that changed, and the
					  * target of its jump; 0: unchanged */
	__u64 semaphore;                 /* run-time address of the probe's semaphore; 0: none */
	__u16 turns;                     /* number in ust_process.semaphores, 0: incremented with
					  * all others of its file */
	__u8 trap, len, nmap, unused[3]; /* a breakpoint; bytes that
					    changed; entries of map */
	__u8 old_text[24];
	struct {
		__u16 from, to;
	} map[8]; /* addr + from was relocated to offset `to' of the trampoline */
};
/* An area of trampolines, and the records of one file, if they are in it. */
struct ust_extent {
	__u64 start, size;      /* size 0: unused */
	__u64 records;          /* address */
	__u32 nrecords, raised; /* semaphores are incremented */
};
#define UST_EXTENTS 32768u

/* Start of a process's private memory. */
struct ust_process {
	__u64 clock_gettime; /* address of the vDSO's function, 0: none */
	__u32 flags;         /* enum ust_process_flags */
	__u32 pid_space;     /* below 512: 0 if the loader is in the same pid namespace, else a
			      * number of the namespace */
	__u64 args, args_end, env, env_end; /* address ranges of the command line and the
					     * environment */
	struct ust_area areas[UST_AREAS];   /* start 0: unused */
	struct ust_disposition trap; /* if breakpoints are used: the program's own disposition of
				      * SIGTRAP */
	__u64 trap_masks; /* ... and signals, bit SIGNAL - 1, whose handlers block it in the
			   * program's view */
	__u32 trapping;   /* breakpoints are used */
	__u32 broker; /* in the script process: a socket for struct ust_memory_request; 0: none */
	__u8 semaphores[512]; /* one bit for each semaphore that is incremented only while a gate
			       * is open, see semaphore.c of the loader */
	struct ust_disposition faults[UST_FAULTS]; /* dispositions of the entry points for
						    * faults; the masks are in the kernel */
	__u32 fault_states[UST_FAULTS];            /* 0: free; 1: being written; 2: constant */
	__u64 private_size, data_size;             /* sizes of these segments, data with the heap */
	struct ust_layout made;                    /* as init() has created it, for a later
						    * loader */
	__u32 nmapped, nextents;                   /* initially everything from here on is zero;
						    * extents in use */
	struct ust_mapped mapped[UST_MAPPED];      /* for unwinding; sorted by address */
	char paths[UST_PATHS]; /* of other files, each ended by a NUL; "" at 0 */
	struct ust_extent extents[UST_EXTENTS];
};
enum ust_process_flags {
	UST_PROCESS_NO_SYSCALLS = 1,  /* a seccomp filter may kill the process for a system call */
	UST_PROCESS_CATCH_FAULTS = 2, /* the runtime handles SIGSEGV and SIGBUS: direct reads may
				       * fault */
	UST_PROCESS_CHAIN_FAULTS = 4  /* also when the program sets handlers: all calls of
				       * rt_sigaction() are hooked */
};

/* The page that is zero in a forked child. */
struct ust_local {
	__u32 pid;        /* 0: a forked child that has not determined it yet */
	__u32 state;      /* enum ust_local_state */
	__u32 vforks;     /* calls of vfork() and similar functions in progress: pid may be the
			   * parent's */
	__u32 tid_offset; /* offset of the thread id from the thread pointer; 0: unknown, ~0: not
			   * found */
	__u32 host_pid;
	__u32 vforks_lost; /* a thread that called vfork() is not among these: */
	__u32 watched;     /* the loader stops it regularly by itself: no request is needed */
	__u32 untraced;    /* it has posted UST_REQ_UNTRACED for itself */
	__u64 vfork[8];    /* thread pointers of callers of vfork() and similar functions; + 1:
			    * posix_spawn() */
};
enum ust_local_state { UST_LOCAL_NEW, UST_LOCAL_WANTED, UST_LOCAL_UNWANTED };

/* A replaced return address. Functions connected by tail calls share a stack slot: each replaces
 * the address that the one before has put there. They form a chain, numbered from 0. The entry of
 * key K is the first from index (K >> UST_SLOT_SHIFT) & mask on (wrapping around) that holds K; a
 * free one, or UST_SLOT_PROBES others, end the search. Keys with a state flag are not valid. */
struct ust_slot {
	__u64 key;   /* address of the stack slot << 6 | number in its chain, or 0: free */
	__u64 ret;   /* the original return address; for number 0: the caller's */
	__u64 count; /* in number 0 of a chain: number of its members */
	__u64 now;   /* in number 0: the value in the stack slot instead, after a `call body' */
};
#define UST_SLOT_PROBES     128
#define UST_SLOT_CHAIN_BITS 6
#define UST_SLOT_SHIFT      (UST_SLOT_CHAIN_BITS + 4)
/* Stack slots are multiples of 8, so these bits are never part of a key: */
#define UST_SLOT_DEAD   0x40u  /* was used and may be reused */
#define UST_SLOT_MARKED 0x80u  /* a thread checks if it is stale */
#define UST_SLOT_BUSY   0x100u /* being written */
#define UST_SLOT_STATES 0x1c0u

/*
 * Breakpoints, where no jump fits. The handler of SIGTRAP looks the trampoline up by the address of
 * the int3, and continues the thread there. A blocked or ignored SIGTRAP would be fatal: so the
 * kernel is never asked to block it, the program's view is kept here, and all calls that change it
 * are hooked (UST_HOOK_SIGNALS, _MASK). Entries are looked up like those of struct ust_slot, from
 * hash (address * UST_TRAP_HASH, upper half) & mask on.
 */
struct ust_trap {
	__u64 addr, stub;
}; /* addr 0: free; 1: was used */
#define UST_TRAPS       (1u << 14)
#define UST_TRAP_HASH   0x9e3779b97f4a7c15ull
#define UST_TRAP_PROBES 256

/* SIGTRAP state of a thread, by its thread pointer (1: not set up). */
struct ust_trap_thread {
	__u64 thread;        /* 0: free */
	__u64 mask;          /* for a system call: the requested mask, without SIGTRAP */
	__u32 handling, pad; /* it runs its handler of SIGTRAP, which its mask would show */
	__u32 blocked, held; /* blocked in the program's view; one is pending: */
	__u64 info[6];       /* the start of its siginfo_t */
};
/* The entry of a thread is one of UST_TRAP_NEAR, from the hash of the thread pointer on. */
#define UST_TRAP_THREADS 1024u
#define UST_TRAP_NEAR    32u

/* Sites that the runtime itself watches. */
enum ust_hook {
	UST_HOOK_NONE,
	UST_HOOK_MODULES,     /* the dynamic linker's _dl_debug_state() */
	UST_HOOK_EXEC,        /* execve(path, ...) */
	UST_HOOK_FEXEC,       /* fexecve(), execveat() */
	UST_HOOK_VFORK,       /* vfork() at entry */
	UST_HOOK_UNMAP,       /* munmap(), mremap(), mprotect(), ... at entry */
	UST_HOOK_SIGACTION,   /* sigaction(signal, ...) at entry */
	UST_HOOK_PHDR,        /* dl_iterate_phdr(callback, data) at entry and return */
	UST_HOOK_FIND_OBJECT, /* _dl_find_object(pc, result) at entry and return */
	UST_HOOK_SPAWN,       /* posix_spawn() and similar, at entry and return */
	UST_HOOK_CLONE,       /* clone(function, stack, flags, ...) at entry */
	UST_HOOK_JUMP,        /* longjmp(env, ...) and similar, at entry */
	UST_HOOK_SIGNALS,     /* a `syscall' that may be rt_sigaction() or rt_sigprocmask() */
	UST_HOOK_MASK,        /* at entry of a function that waits with the signal mask in its
			       * first argument ... */
	UST_HOOK_MASK_LAST = UST_HOOK_MASK + 5 /* ... to its sixth */
};

enum ust_point_flags {
	UST_POINT_FULL = 1,     /* all registers are needed */
	UST_POINT_RED_ZONE = 2, /* the trampoline stepped over the red zone, 128 bytes below the
				 * stack pointer */
	UST_POINT_TRAP = 4      /* reached by int3 */
};

/* A probe site in one process. It directly precedes its trampoline, 16-byte aligned; the return
 * address that a call in the trampoline pushes leads back to it. */
struct ust_point {
	__u64 addr;          /* of the probed instruction */
	__u32 first, rfirst; /* in ust_layout.order: sites at entry, sites at return */
	__u16 n, rn;         /* number of them */
	__u16 hook, flags;
	__u32 body; /* return probes: relocated instructions, offset in bytes from the
		     * trampoline's start */
	__u32 pad;
};

/*
 * Trampolines. CALL(x) is `call *table[x](%rip)', 6 bytes on x86-64; the table is at the start of
 * the area that contains the trampoline.
 *
 *   without returns:  CALL(ENTRY); relocated instructions; jmp back
 *   with returns:     CALL(RETURN); call body; CALL(AFTER); ret; body: relocated ...; jmp back
 *
 * With UST_POINT_RED_ZONE the first CALL(ENTRY) is between `lea -128(%rsp), %rsp' (5 bytes) and
 * `lea 128(%rsp), %rsp'; there are no returns then. UST_HOOK_SIGNALS: execution continues
 * UST_STUB_INSTEAD bytes after the CALL to skip the system call.
 *
 * CALL(RETURN) returns with the return address removed from the stack, or, if it could not be
 * recorded, continues at body with the stack unchanged. CALL(AFTER) returns with the recorded
 * return address on the stack.
 */
#define UST_STUB_CALL    6 /* bytes of CALL */
#define UST_STUB_INSTEAD 10
#define UST_STUB_BODY    (UST_STUB_CALL + 5)             /* offset of the end of `call body' */
#define UST_STUB_AFTER   (UST_STUB_BODY + UST_STUB_CALL) /* ... of CALL(AFTER) */
/* Address of the point, by the return address of CALL(ENTRY) or CALL(RETURN), and of
 * CALL(AFTER). */
#define UST_POINT_OF(ret)       (((ret) - sizeof(struct ust_point)) & ~15ull)
#define UST_POINT_OF_AFTER(ret) ((ret)-UST_STUB_AFTER - sizeof(struct ust_point))

#endif
