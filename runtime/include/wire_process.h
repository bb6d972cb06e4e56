/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * User runtime: memory of a traced process that the loader reads or writes: areas of trampolines,
 * replaced return addresses, breakpoints, hooks.
 */
#ifndef USTAP_WIRE_PROCESS_H
#define USTAP_WIRE_PROCESS_H

#include <linux/types.h>

#include "wire_agent.h"

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
	__u64 addr, stub, pad; /* of struct patch: the code that changed, and the
				* target of its jump; 0: unchanged. PAD of an early jump: its
				* target in the trampoline */
	__u64 semaphore;       /* run-time address of the probe's semaphore; 0: none */
	__u16 turns;           /* number in ust_process.semaphores, 0: incremented with
				* all others of its file */
	__u8 trap, len, nmap, shared, prefix, lead; /* a breakpoint; bytes that changed; entries
						     * of map; within the jump of the record
						     * before, or UST_JOINED: a jump of its own at
						     * the end of the record before; prefixes of
						     * the jump */
	__u8 old_text[24];
	struct {
		__u16 from, to;
	} map[8]; /* addr + from was relocated to offset `to' of the trampoline */
};
enum { UST_JOINED = 2 };
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
	__s64 clock_ahead;   /* ns by which its CLOCK_MONOTONIC is ahead of the loader's, in another
			      * time namespace */
	__u32 flags;         /* enum ust_process_flags */
	__u32 pid_space;     /* below 512: 0 if the loader is in the same pid namespace, else a
			      * number of the namespace */
	__u32 outside; /* the target namespace is not the one of the ids that the process sees;
			* only ust_local.ns_pid is known */
	__u32 nareas;  /* entries of `areas' that have been used */
	__u64 phdrs, nphdrs;                /* program headers of the program in memory (AT_PHDR) */
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
	UST_PROCESS_CHAIN_FAULTS = 4, /* also when the program sets handlers: all calls of
				       * rt_sigaction() are hooked */
	UST_PROCESS_NO_TICKS = 8,     /* reading the cycle counter is fatal: strict seccomp, and
				       * PR_TSC_SIGSEGV of prctl(2) */
	UST_PROCESS_LOOKS_UP = 16     /* the program's handlers of faults look their address up
				       * in its code, and do not continue there: Go,
				       * Ada */
};

/* The page that is zero in a forked child. */
struct ust_local {
	__u32 state;      /* enum ust_local_state */
	__u32 vforks;     /* calls of vfork() and similar functions in progress: pid may be the
			   * parent's. Hits compare these two with one instruction */
	__u32 pid;        /* 0: a forked child that has not determined it yet */
	__u32 tid_offset; /* offset of the thread id from the thread pointer; 0: unknown, ~0: not
			   * found */
	__u32 host_pid;
	__u32 vforks_lost; /* a thread that called vfork() is not among these: */
	__u32 watched;     /* the loader stops it regularly by itself: no request is needed */
	__u32 untraced;    /* it has posted UST_REQ_UNTRACED for itself */
	__u32 ns_pid;      /* its id in the target namespace; 0: none, or a forked child */
	__u32 unused;
	__u64 unique;   /* differs between processes that have the same id in two pid namespaces */
	__u64 vfork[8]; /* thread pointers of callers of vfork() and similar functions; + 1:
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

/* A call of the agent between two instructions of the program, for probes without a site in its
 * code: the tracer puts this on the thread's stack, UST_DIVERT_RED_ZONE bytes below the stack
 * pointer, and has the thread continue at ust_layout.divert_entry. */
#define UST_DIVERT_RED_ZONE 128
struct ust_diversion {
	__u64 ret;      /* where the thread continues afterwards */
	__u64 base;     /* load address of the program */
	__u32 sites[4]; /* first site of each debug register that has fired, plus 1; 0: none */
	__u64 profiles; /* 1 << I: the thread has used ust_layout.profile_ns[I] of CPU time */
};

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
	UST_HOOK_PRCTL,       /* prctl(option, ...) at entry */
	UST_HOOK_SYSCALL,     /* syscall(number, ...) at entry */
	UST_HOOK_SIGNALS,     /* a `syscall' that may be rt_sigaction() or rt_sigprocmask() */
	UST_HOOK_MASK,        /* at entry of a function that waits with the signal mask in its
			       * first argument ... */
	UST_HOOK_MASK_LAST = UST_HOOK_MASK + 5 /* ... to its sixth */
};

enum ust_point_flags {
	UST_POINT_FULL = 1,     /* all registers are needed */
	UST_POINT_RED_ZONE = 2, /* the trampoline stepped over the red zone, 128 bytes below the
				 * stack pointer */
	UST_POINT_TRAP = 4,     /* reached by int3 */
	UST_POINT_SINGLE = 8    /* one site, of an entry, and no hook: its number is in `site' */
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
	__u32 site; /* UST_POINT_SINGLE: index in ust_program.sites */
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
#define UST_STUB_MAX     320 /* bytes of a trampoline, at most */
#define UST_STUB_CALL    6   /* bytes of CALL */
#define UST_STUB_INSTEAD 10
#define UST_STUB_BODY    (UST_STUB_CALL + 5)             /* offset of the end of `call body' */
#define UST_STUB_AFTER   (UST_STUB_BODY + UST_STUB_CALL) /* ... of CALL(AFTER) */
/* Address of the point, by the return address of CALL(ENTRY) or CALL(RETURN), and of
 * CALL(AFTER). */
#define UST_POINT_OF(ret)       (((ret) - sizeof(struct ust_point)) & ~15ull)
#define UST_POINT_OF_AFTER(ret) ((ret)-UST_STUB_AFTER - sizeof(struct ust_point))

#endif
