/* SPDX-License-Identifier: GPL-2.0-or-later */
/* User runtime: what a built script and the loader share. */
#ifndef USTAP_WIRE_AGENT_H
#define USTAP_WIRE_AGENT_H

#include <linux/types.h>

#include "wire.h"

struct ust_process;

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
	__u32 pid, tid; /* as the process sees them */
	__u64 unique;   /* as in struct ust_local */
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
	__u32 gate;       /* number of its gate from 1 on; 0: none */
	__u32 length;     /* UST_SITE_INFO_WATCH: bytes */
};
/* Same layout as struct ust_gate of ustap_rt.h. */
struct ust_gate_state {
	__u32 on, closed;
};
enum ust_site_info_flags {
	UST_SITE_INFO_RETURN = 1,
	UST_SITE_INFO_ALL_REGS = 2, /* handler reads more than the caller-saved registers */
	UST_SITE_INFO_WATCH = 4,    /* data at `addr': UST_SITE_WATCH, _WATCH_READS, _ABSOLUTE */
	UST_SITE_INFO_WATCH_READS = 8,
	UST_SITE_INFO_ABSOLUTE = 16,
	UST_SITE_INFO_CALLS = 32,  /* UST_SITE_CALLS */
	UST_SITE_INFO_NO_ROOM = 64 /* UST_SITE_NO_ROOM */
};

/* Code that trampolines call; UST_COMMON_FULL is added if all registers are needed. CALL_RETURN and
 * CALL_AFTER are called instead of RETURN and AFTER where entry and return are only recorded.
 * ENTRY_SWITCHED is called instead of ENTRY where the stack may be nearly full; it saves all
 * registers. */
enum ust_common {
	UST_COMMON_ENTRY,
	UST_COMMON_RETURN,
	UST_COMMON_AFTER,
	UST_COMMON_FULL,
	UST_COMMON_CALL_RETURN = 6,
	UST_COMMON_CALL_AFTER,
	UST_COMMON_ENTRY_SWITCHED,
	UST_COMMON_COUNT
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
#define UST_NO_MODULE        (~0u)
#define UST_NOT_IN_NAMESPACE (~0u)

/* The subject of an event. Handlers of events run in the script process, while the thread is
 * stopped. */
struct ust_subject {
	__u32 pid, tid;           /* in the process's own pid namespace */
	__u32 host_pid, host_tid; /* ... and in the loader's */
	__u32 module; /* number of the script's module that it runs; UST_NO_MODULE: another
		       * program */
	__u32 has_regs;
	__u32 ns_level; /* index of its ids in the target namespace among the numbers of a line
			 * NSpid; UST_NOT_IN_NAMESPACE */
	__s32 attach_syscall; /* first event of an attached thread: the system call that it was in;
			       * otherwise -1 */
	__u64 regs[21];       /* struct ust_regs */
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

/* Pages of code whose origin a process remembers. */
#define UST_CALLERS 1024u

/* Different periods of the timer.profile probes of a script. */
#define UST_PROFILES 16u

/* Sizes and addresses. The loader has its own copy, made before any process is traced. */
struct ust_layout {
	/* set by the loader before init() */
	__u64 heap_end; /* init() lowers it to the end of the used part */
	__u32 ncpu, buffer_mb;
	__u32 hwcap2;       /* AT_HWCAP2 of the auxiliary vector */
	__u32 tracer;       /* its process id; set before any process is traced */
	__u64 name_key;     /* see UST_NAME_MARK */
	__u64 steady_ticks; /* 1: the kernel's clocks are the cycle counter of the processor, scaled
			     */

	/* set by init() */
	__u32 uses; /* enum ust_uses */
	__u32 nsites, nmodules, nprobes;
	__u32 walks;  /* the script unwinds stacks, or probes returns: see struct ust_mapped */
	__u32 events; /* 1 << enum ust_event: probed events */
	__u32 nrings, ngates;
	__u64 order_ms; /* processor time that the script process may take for a command; 0: no
			 * limit */
	__u64 rings;    /* address of nrings struct ust_ring */
	__u64 order;    /* address of nsites __u32: sites by address, filled by the loader */
	__u64 gates;    /* address of ngates struct ust_gate_state */

	/* for trampolines and unwind information */
	__u64 common[UST_COMMON_COUNT]; /* addresses; [UST_COMMON_x + UST_COMMON_FULL] */
	__u64 fault_handlers;           /* UST_FAULTS entry points for SIGSEGV and SIGBUS, of
					   UST_FAULT_BYTES each */
	__u64 fault_restorer;           /* restorer if the program has no handler */
	__u64 callers; /* table of UST_CALLERS __u64, private: callers that were looked up */
	__u64 slots, slots_mask;           /* struct ust_slot table; number of entries - 1 */
	__u64 trap_handler, trap_restorer; /* for SIGTRAP, if breakpoints are used */
	__u64 traps, traps_mask; /* struct ust_trap table, private; number of entries - 1 */
	__u64 trap_threads;      /* UST_TRAP_THREADS struct ust_trap_thread, private */
	__u64 divert_entry;      /* for struct ust_diversion; 0: the script has no such probes */
	__u64 clock_return;      /* the only return address of its calls of code outside of it */
	__u64 watches;           /* 1: it watches data */
	__u64 nprofiles, profile_ns[UST_PROFILES]; /* CPU time between two samples */
};

/* Requests of event handlers to the tracer for memory of their subject, or for its files in /proc,
 * which that may hide from others (hidepid), and the replies. */
enum ust_memory_kind {
	UST_MEMORY_READ,
	UST_MEMORY_WRITE,
	UST_MEMORY_STRINGS, /* returns four addresses, see struct ust_process */
	UST_MEMORY_FILE     /* returns the start of the file /proc/PID/task/TID/NAME; ADDR is a
			     * number of ust_subject_files */
};
static const char ust_subject_files[][12] = {"/comm", "/status", "/stat", "/statm", "/schedstat"};
enum { UST_SUBJECT_FILES = sizeof ust_subject_files / sizeof *ust_subject_files };
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
	__u32 steps;              /* counts what that process does, as it waits for each stop */
	__u32 served;             /* counts the requests that it has answered */
	__u32 late_modules;       /* counts changes of the modules that it does not know of:
				     processes did not wait for it */
	struct ust_status status; /* lost_records and lost_bytes are in the rings */
	struct ust_request requests[UST_REQUESTS];
};

enum ust_merge_op {
	UST_MERGE_SEND = 1, /* can the script write records of its globals (UST_STOP_SEND)? */
	UST_MERGE_OPEN,  /* further lines are of another run; no probes but end probes will run */
	UST_MERGE_CHECK, /* check LINE */
	UST_MERGE_TAKE,  /* check LINE and merge it */
	UST_MERGE_RELOAD /* check LINE, which is of the script that this one replaces, and take it
			  * if a global has the same declaration; all probes will run */
};
enum ust_merge_result {
	UST_MERGE_BAD = 1,  /* the line is not a record of this script */
	UST_MERGE_FULL,     /* its value does not fit */
	UST_MERGE_REPLACED, /* it has replaced a different value, for the first time of a global */
	UST_MERGE_ABSENT    /* of UST_MERGE_RELOAD: no global has this declaration; further lines
			     * about it are ignored */
};

/* Constant, in sealed memory, at the start of the constants. The loader calls init(), site(),
 * module(), probe() and set() before any process is traced; the script process calls the rest. All
 * members from init on are functions. */
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
	/* Prepare to write or to merge records of globals: enum ust_merge_op. LINE, a string
	 * without its newline, is changed. Returns 0 or a positive enum ust_merge_result, with the
	 * global or the reason in *WHY; -EOPNOTSUPP: the script was built without --merge. */
	int (*merge)(__u32 op, char *line, const char **why);
	void (*note)(__u32 i, __u32 flags); /* set flags of site i: enum ust_count_flags */
	int (*begin)(void);                 /* run begin probes; blocks while buffers are full */
	void (*arm)(void);                  /* accept hits from now on; start timers */
	__u64 (*timers)(__u64 now);         /* run timers that are due at NOW (CLOCK_MONOTONIC ns);
					     * returns the time of the next call, ~0: none */
	void (*end)(__u32 flags);           /* UST_CMD_STOP: run end or error probes */
	void (*view)(__u32 flags, __s64 target); /* UST_CMD_VIEW */
	void (*input)(__u32 character);          /* UST_CMD_INPUT: run the input probes */
	void (*event)(__u32 event, const struct ust_subject *subject); /* run the handlers */
};

#endif
