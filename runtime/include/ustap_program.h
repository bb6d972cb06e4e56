/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: probes, sites and the program. */
#ifndef USTAP_USTAP_PROGRAM_H
#define USTAP_USTAP_PROGRAM_H

#include "ustap_stackmap.h"
#include "ustap_types.h"

struct ust_stackmap;

/* ------------------------------------------------------- probes and sites */

struct ust_site;

/* One hit, created by the runtime on its stack. */
struct ust_hit {
	struct ust_regs *regs;         /* user registers; 0 if not available (begin) */
	const struct ust_site *site;   /* 0 for probes without sites */
	ust_u64 addr;                  /* run-time address of the probed instruction; for a
					* return probe, of the function's entry site; of a
					* UST_SITE_WATCH: site->addr plus the load address */
	const struct ust_probe *probe; /* 0 for probes with sites */
	int mode;                      /* private to the runtime */
	const void *subject;           /* private to the runtime: the subject of the hit, in some
					* modes of probes without sites */
	ust_long *saved;               /* entry values of a return probe that has some: at most
					* program.saved_words */
	_Bool off;                     /* set by a handler whose condition is false: not a hit */
	ust_u32 weight;                /* number of hits that it stands for; set and used only in
					* programs with max_overhead */
};

typedef void (*ust_handler)(struct ust_hit *hit);

enum ust_probe_kind {
	UST_PROBE_BEGIN,
	UST_PROBE_END,
	UST_PROBE_ERROR,
	UST_PROBE_TIMER_NS,
	UST_PROBE_TIMER_JIFFIES,
	UST_PROBE_PROFILE,
	UST_PROBE_MONITOR, /* prints a global, on request */
	UST_PROBE_RESET,   /* sets globals to their initial values, on request */
	UST_PROBE_SEND,    /* writes records of a global, on request */
	/* process events; system calls have registers */
	UST_PROBE_PROCESS_BEGIN,
	UST_PROBE_PROCESS_END,
	UST_PROBE_THREAD_BEGIN,
	UST_PROBE_THREAD_END,
	UST_PROBE_SYSCALL,
	UST_PROBE_SYSCALL_RETURN,
	UST_PROBE_PROCFS_READ,
	UST_PROBE_PROCFS_WRITE, /* a file is read, written */
	UST_PROBE_PERF,
	UST_PROBE_DATA,
	UST_PROBE_NETFILTER,
	UST_PROBE_INPUT, /* of a character, which is ust_hit.addr */
	UST_PROBE_KINDS
};

/* The condition of probes. While it is false their sites are disarmed and their timers stopped. */
struct ust_gate {
	ust_u32 on;     /* the condition is true */
	ust_u32 closed; /* it was false when the runtime last checked: the sites are disarmed */
};

/* A probe without sites. Its other members depend on its probe type. */
struct ust_probe {
	unsigned kind; /* enum ust_probe_kind */
	ust_handler handler;
	const char *pp;
	/* program of the process: 1 + index in ust_program.modules; 0: any */
	ust_u32 program;
	struct ust_gate *gate; /* or 0 */
	union {
		/* begin, end, error: run by priority; after_error: an end probe that also runs
		 * after an error of the runtime */
		struct {
			ust_long priority;
			_Bool after_error;
		} life;
		/* timers: in ns or jiffies; each turn is randomised by at most `spread'. A profile
		 * with period 0 fires at each tick. */
		struct {
			ust_long period, spread;
		} timer;
		/* processes, threads and their system calls; 0: any */
		struct {
			ust_long pid;
		} process;
		/* procfs files, below that of the script; size 0: maxstringlen */
		struct {
			const char *path;
			ust_long size;
			ust_u32 mode;
		} file;
		/* events as in perf_event_open(2): one hit per number of events or, by rate, hits
		 * per second; or a counter of this name, which is read */
		struct {
			ust_u32 type;
			ust_u64 config;
			ust_long count;
			_Bool by_rate;
			const char *counter;
		} perf;
		/* kernel memory that is written, or accessed: address of a symbol or, without one,
		 * this address */
		struct {
			const char *symbol;
			ust_u64 addr, length;
			_Bool is_read;
		} data;
		/* packets of a protocol family */
		struct {
			ust_u32 family, hook;
			ust_long priority;
		} packet;
	};
};

enum ust_site_flags {
	UST_SITE_RETURN = 1,
	UST_SITE_ALL_REGS = 2, /* the handler reads more than the caller-saved registers */
	UST_SITE_PAIRED = 4,   /* the function prints output at both entry and return */
	UST_SITE_KERNEL = 8,   /* in the kernel, at `symbol' */
	UST_SITE_TRACE = 16,   /* the kernel tracepoint `symbol', with its arguments in the
				* registers of a function's arguments */
	UST_SITE_ANY = 32,     /* matched by a wildcard, so that it may not be probeable */
	UST_SITE_DEEP = 256,   /* the handler may need more stack than every thread has left */
	UST_SITE_WALKS = 512,  /* ... to unwind code for which there is no stack map */
	UST_SITE_CLONE = 128,  /* a clone of the function is sufficient, which the compiler made
				* for some of its parameters */
	UST_SITE_WATCH = 1024, /* `length' bytes of data, watched by a debug register of the
				* processor: written or, with UST_SITE_WATCH_READS, also read */
	UST_SITE_WATCH_READS = 2048,
	UST_SITE_ABSOLUTE = 4096, /* `addr' is an address of the process, not of the module */
	UST_SITE_CALLS = 8192,    /* the handler is a call of ust_call_event() */
	UST_SITE_NO_ROOM = 16384, /* the stack may be nearly full, as its functions move to a larger
				   * one only where they need it; it has no red zone */
	UST_SITE_SYSCALL = 64     /* a system call of any process: `offset' and `addr' are one more
				   * than its numbers, for 64-bit and 32-bit programs, 0: none; both
				   * 0: any */
};

struct ust_site {
	ust_u64 offset; /* file offset of the instruction; in the kernel the offset from the
			 * symbol, or the number of a tracepoint's arguments */
	ust_u64 addr;   /* its address in the module (ELF virtual address) */
	ust_u32 module; /* index in ust_program.modules */
	ust_u32 flags;
	ust_handler handler;
	const char *func;   /* ppfunc(), probefunc() */
	const char *pp;     /* pp() */
	ust_handler entry;  /* of a return probe: called at the function's entry to set hit->saved;
			       or 0 */
	ust_u32 saved;      /* index of its first word among those saved for the call */
	ust_u64 semaphore;  /* virtual address and file offset of a 16-bit counter that is
			     * incremented */
	ust_u64 sem_offset; /* while the site is armed; 0: none. UST_SITE_WATCH: the same of some
			     * code, from which the load address of the module follows */
	struct ust_gate *gate; /* or 0 */
	const char *symbol;    /* of the kernel; 0 in programs */
	ust_u32 maxactive;     /* maximum number of pending returns; 0: the default */
	ust_u32 length;        /* UST_SITE_WATCH: 1, 2, 4 or 8 */
};

/* ------------------------------------------------------------------ program */

struct ust_module {
	const char *path, *name;        /* by which it is opened; in output */
	const char *identity;           /* elfid.h */
	const struct ust_stackmap *map; /* or 0 */
	/* offsets of code in the file that a compiler at run time has made, such as V8's; 0: none
	 */
	ust_u64 made, made_end;
};

/* Location of an error, for its message: "near identifier 'x' at FILE:LINE:COL". wheres[0] has no
 * token and means no location: error() reports none. */
struct ust_where {
	const char *token;
	const char *kind;
	const char *pos;
	const char *caller; /* of a call of a script function: the function that calls, or "probe"
			     */
};

/* Script functions that may be nested, whatever MAXNESTING allows. */
#define UST_MAX_DEPTH 255

enum ust_program_flags {
	UST_PROG_IRQ = 1,       /* some probe runs in interrupt context: locks disable interrupts */
	UST_PROG_MAPPED = 4,    /* it uses addresses of modules: ust_base() */
	UST_PROG_TOKENS = 8,    /* it uses tokenize() */
	UST_PROG_QUIET = 2,     /* uncaught errors are counted and not reported; they do not end the
				   script */
	UST_PROG_COUNTS = 16,   /* its handlers are run by ust_counted() */
	UST_PROG_TIMES = 32,    /* which also measures them */
	UST_PROG_SYSTEM = 2048, /* it calls ust_system() */
	UST_PROG_SWITCH = 4096, /* it calls ust_switch_file() */
	UST_PROG_NAMES = 16384, /* it prints stacks */
	UST_PROG_RAW_NAMES = 32768, /* ... by the symbol's raw name */
	UST_PROG_GURU = 8192,       /* it was built with -g */
	UST_PROG_RECORDS = 1024,    /* its output is written in parts: ust_print_begin() */
	UST_PROG_LOSSLESS = 65536,  /* handlers wait for space in the buffers: --lossless */
	UST_PROG_CALLS = 131072,    /* it calls ust_calls_begin() */
	UST_PROG_WINDOW = 262144,   /* it calls ust_calls_window() */
	UST_PROG_TELL_ALL = 64      /* at the end sites without hits are reported, too */
};

/* No limit, if overload_threshold is 0 as well. */
#define UST_NO_MAXACTION 0x7fffffffu

/* Kernel runtime: the functions of the probe types that not every module is linked with: those of
 * the kernel, of system calls, of counters and of packets. */
struct ust_kernel_probes;
extern const struct ust_kernel_probes ust_kernel_probes;
/* The same of process events and of procfs files. */
struct ust_process_events;
extern const struct ust_process_events ust_process_events;
struct ust_procfs;
extern const struct ust_procfs ust_procfs;
#if defined(UST_KERNEL) || defined(__KERNEL__) /* without and with the kernel's headers */
#define UST_IF_KERNEL(e) (e)
#else
#define UST_IF_KERNEL(e) 0
#endif

/* --max-overhead: the functions that measure sites and limit what they cost. Other programs are not
 * linked with them. */
struct ust_overhead;
extern const struct ust_overhead ust_overhead;

/* --merge, --reload: the functions that write the globals as records and merge such records. Other
 * programs are not linked with them. */
struct ust_merge;
extern const struct ust_merge ust_merge;

/* A function of an unwinder of exceptions, for the kernel runtime: where it begins to read a stack,
 * or, if INSTALLS, has read it. */
struct ust_unwinder {
	ust_u64 offset; /* in the file */
	ust_u32 module;
	ust_u32 installs;
};

struct ust_program {
	ust_u32 abi, flags;
	const struct ust_module *modules;
	ust_u32 nmodules;
	const struct ust_site *sites;
	ust_u32 nsites;
	const struct ust_probe *probes;
	ust_u32 nprobes;
	struct ust_gvar *const *gvars;
	ust_u32 ngvars;
	const struct ust_where *wheres;
	ust_u32 nwheres;
	ust_u32 maxaction;
	ust_u32 maxaction_interruptible; /* of handlers for which no thread waits: begin, end,
					  * timers that may sleep; at most half of UINT32_MAX, so
					  * that the counter cannot wrap */
	ust_u32 maxnesting, maxstringlen, maxerrors, maxskipped;
	ust_u32 saved_words;  /* maximum number of words that any site saves from entry to return */
	ust_u32 frame_size;   /* bytes of frames that one context needs at most */
	ust_u32 match_spans;  /* spans that ust_regex_match() stores at most; 0: not called */
	const char *script;   /* name of the script, for messages */
	ust_u32 maxbacktrace; /* frames of a backtrace; set if any are used */
	struct ust_gate *gates;
	ust_u32 ngates;
	ust_u64 overload_threshold, overload_interval; /* cycles per interval on a CPU that
							* handlers may take; 0: no limit */
	ust_handler gates_evaluate;                    /* evaluates all of them */
	const char *const *names;   /* for each site, then for each probe: pn(), 0: same as pp();
				     * or 0 */
	const char *const *origins; /* for each site, then for each probe: its location in the
				     * script; or 0 */
	/* 0 if it has no such probes */
	const struct ust_kernel_probes *kernel_probes;
	const struct ust_process_events *process_events;
	const struct ust_procfs *procfs;
	/* --max-overhead: per cent of a CPU, 0: no limit; for each site its group * 2, +1 if its
	 * probe cannot be sampled; for each gate of a condition, if it is switched off. The gates
	 * of sites follow those of conditions. */
	ust_u32 max_overhead, nconditions;
	const ust_u32 *groups;
	unsigned char *gates_off;
	const struct ust_overhead *overhead; /* 0 without a limit or a site */
	const struct ust_merge *merge;       /* 0 without --merge and --reload */
	const struct ust_unwinder *unwinders;
	ust_u32 nunwinders; /* 0 without return probes on programs */
};

/* Defined by emitted code. */
extern const struct ust_program ust_program;

/* Programs with saved_words also declare this. The user runtime keeps them in private memory, which
 * fork copies, parallel to its UST_SLOTS return addresses. */
#define UST_SLOTS (1u << 18)
#if defined(UST_KERNEL) || defined(__KERNEL__) /* without and with the kernel's headers */
#define UST_SAVED_WORDS(n) extern const struct ust_program ust_program
#else
#define UST_SAVED_WORDS(n)                          \
	ust_u64 ust_saved[(ust_u64)UST_SLOTS * (n)] \
		__attribute__((section(".bss.private"), aligned(64)))
#endif

#endif
