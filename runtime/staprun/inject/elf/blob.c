/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A loaded script of the user runtime, in the memory of the loader: private memory and two unnamed
 * files (memfd), at addresses that are likely free in all processes. One file holds code and
 * constants; it is sealed against writes before any process maps it. The other one holds data and
 * the heap, which all traced processes may write to.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "inject/elf/blobfile.h"
#include "base/clock_source.h"
#include "base/message.h"
#include "base/page.h"
#include "base/target_namespaces.h"
#include "wire_agent.h"
#include "wire_process.h"
#include "inject/elf/elf.h"
#include "inject/patch/patched_file.h"

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif
#ifndef MFD_NOEXEC_SEAL
#define MFD_NOEXEC_SEAL 8u
#endif
#ifndef MFD_EXEC
#define MFD_EXEC 0x10u
#endif

/*
 * The memory is below the lowest address of a position-independent program (ELF_ET_DYN_BASE of the
 * kernel, 0x555555554000), and far from other programs (low), libraries and stacks (high). Memory
 * in the middle of the address space belongs to the sanitizers: a program with ThreadSanitizer ends
 * if it finds a mapping outside of some ranges, of which this is one.
 */
static const uint64_t base_low = 0x550000000000, base_high = 0x555500000000;

enum { BASE_TRIES = 64, DEFAULT_BUFFER_MB = 1 };

/* Address space for the heap, besides buffers: the first size to try, and the smallest useful
 * one. */
static const uint64_t heap_most = 8ull << 30, heap_least = 64ull << 20;

/* Segment sizes in memory, and the size of the heap. */
struct plan {
	const struct blob_file *file;
	uint64_t size[SEGMENTS]; /* whole pages, without the heap */
	uint64_t heap_size;
};

/* ------------------------------------------------------------------ address */

static uint64_t random_base(uint64_t size)
{
	uint64_t room = base_high - base_low, r;

	if (getrandom(&r, sizeof r, 0) != sizeof r)
		r = clock_ns() * 0x9e3779b97f4a7c15ull;
	/* more than a third of a terabyte of buffers may also be at the addresses of programs */
	return base_low + r % ((size < room ? room - size : room) / UST_PAGE) * UST_PAGE;
}

/* Reserve SIZE bytes of address space; older kernels take the address as a hint. */
static bool reserve(uint64_t base, uint64_t size)
{
	void *p = mmap((void *)base, size, PROT_NONE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);

	if (p == MAP_FAILED)
		return false;
	if ((uint64_t)p == base)
		return true;
	munmap(p, size);
	errno = EEXIST;
	return false;
}

static bool choose_base(struct blob *b, uint64_t size)
{
	for (int i = 0; i < BASE_TRIES; i++) {
		b->base = random_base(size);
		if (reserve(b->base, size))
			return true;
		if (errno != EEXIST)
			break;
	}
	b->base = 0;
	return false;
}

/* ------------------------------------------------------------------- memory */

enum {
	CODE_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL,
	/* a traced process must not be able to shorten it while the loader reads it */
	DATA_SEALS = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_SEAL
};

/* Kernels from 6.3 on require a flag that says if the pages will be executed, and can be configured
 * to refuse that; a file that cannot be executed by name can still be mapped. */
static int make_memfd(bool code)
{
	static const unsigned with_code[] = {MFD_EXEC, 0, MFD_NOEXEC_SEAL},
			      without[] = {MFD_NOEXEC_SEAL, 0};
	const unsigned *flags = code ? with_code : without;
	int fd = -1;

	for (size_t i = 0; fd < 0 && i < (code ? 3 : 2); i++)
		fd = (int)syscall(SYS_memfd_create, BLOB_NAME,
				  MFD_CLOEXEC | MFD_ALLOW_SEALING | flags[i]);
	return fd;
}

static bool write_at(int fd, uint64_t at, const unsigned char *p, uint64_t size)
{
	while (size) {
		ssize_t n = pwrite(fd, p, size, (off_t)at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		at += (uint64_t)n;
		size -= (uint64_t)n;
	}
	return true;
}

static bool map(uint64_t at, uint64_t size, int prot, int flags, int fd, uint64_t offset)
{
	return mmap((void *)at, size, prot, flags | MAP_FIXED | MAP_NORESERVE, fd, (off_t)offset) !=
	       MAP_FAILED;
}

static bool map_all(const struct blob *b)
{
	return map(b->base, b->private_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		   -1, 0) &&
	       map(b->text, b->text_size, PROT_READ | PROT_EXEC, MAP_PRIVATE, b->code, 0) &&
	       map(b->constants, b->constants_size, PROT_READ, MAP_PRIVATE, b->code,
		   b->text_size) &&
	       map(b->data, b->data_size, PROT_READ | PROT_WRITE, MAP_SHARED, b->memfd, 0);
}

static bool explain_memory(const struct blob *b, const char *what)
{
	int err = errno;

	say("%s: %s: %s", b->name, what, strerror(err));
	if (err == EACCES || err == EPERM)
		return hint("a security policy forbids executable memory; see: sysctl "
			    "vm.memfd_noexec, ausearch -m avc");
	if (err == EFBIG)
		return hint("the file size limit is too low; see: ulimit -f");
	if (err == ENOMEM)
		return hint(
			"not enough memory; see: ulimit -v, or set a smaller buffer size with -s");
	return false;
}

/* Set the addresses of the segments; the rest of the reserved range remains inaccessible. */
static void place(struct blob *b, const struct plan *plan)
{
	const Elf64_Phdr *seg = plan->file->seg;

	b->private_size = plan->size[SEG_PRIVATE];
	b->text = b->base + seg[SEG_TEXT].p_vaddr;
	b->text_size = plan->size[SEG_TEXT];
	b->constants = b->base + seg[SEG_CONST].p_vaddr;
	b->constants_size = plan->size[SEG_CONST];
	b->data = b->base + seg[SEG_DATA].p_vaddr;
	b->data_size = plan->size[SEG_DATA] + plan->heap_size;
}

static bool write_segment(int fd, uint64_t at, const struct blob_file *f, unsigned i)
{
	return write_at(fd, at, f->bytes[i], f->seg[i].p_filesz);
}

static bool fill(const struct blob *b, const struct blob_file *f)
{
	return !ftruncate(b->code, (off_t)(b->text_size + b->constants_size)) &&
	       write_segment(b->code, 0, f, SEG_TEXT) &&
	       write_segment(b->code, b->text_size, f, SEG_CONST) &&
	       !fcntl(b->code, F_ADD_SEALS, CODE_SEALS) &&
	       !ftruncate(b->memfd, (off_t)b->data_size) && write_segment(b->memfd, 0, f, SEG_DATA);
}

/* Reserve as much heap as possible. */
static bool find_room(struct blob *b, struct plan *plan, uint64_t buffers)
{
	uint64_t before = plan->file->seg[SEG_DATA].p_vaddr + plan->size[SEG_DATA];

	for (uint64_t heap = heap_most; heap >= heap_least; heap /= 2) {
		plan->heap_size = heap + buffers;
		if (choose_base(b, before + plan->heap_size))
			return true;
	}
	return explain_memory(b, "cannot reserve address space");
}

static bool map_file(struct blob *b, struct blob_file *f, uint64_t buffers)
{
	struct plan plan = {.file = f};

	for (unsigned i = 0; i < SEGMENTS; i++)
		plan.size[i] = page_up(f->seg[i].p_memsz);
	if (!find_room(b, &plan, buffers))
		return false;
	place(b, &plan);
	if (!blob_file_relocate(f, b->base))
		return false;
	b->code = make_memfd(true);
	b->memfd = make_memfd(false);
	if (b->code < 0 || b->memfd < 0 || !fill(b, f))
		return explain_memory(b, "cannot create the script's shared memory");
	return map_all(b) || explain_memory(b, "cannot map the script's memory");
}

/* -------------------------------------------------------------------- start */

/* One more than the highest possible CPU number. */
static unsigned processors(void)
{
	FILE *f = fopen("/sys/devices/system/cpu/possible", "re");
	long n = sysconf(_SC_NPROCESSORS_CONF);
	unsigned last;
	char line[256], *p;

	if (f && fgets(line, sizeof line, f)) {
		p = line + strlen(line);
		while (p > line && !(p[-1] >= '0' && p[-1] <= '9'))
			p--;
		while (p > line && p[-1] >= '0' && p[-1] <= '9')
			p--;
		if (sscanf(p, "%u", &last) == 1)
			n = (long)last + 1;
	}
	if (f)
		fclose(f);
	if (n > UST_RINGS_MAX - UST_RINGS_SPARE)
		n = UST_RINGS_MAX - UST_RINGS_SPARE;
	return n < 1 ? 1 : (unsigned)n;
}

void blob_record_identity(const struct blob *b)
{
	struct ust_process *process = (struct ust_process *)b->base;
	struct ust_local *local = (struct ust_local *)(b->base + b->private_size - UST_PAGE);
	uint64_t offset = vdso_offset("__vdso_clock_gettime");

	if (!offset)
		offset = vdso_offset("__kernel_clock_gettime");
	process->clock_gettime = offset ? getauxval(AT_SYSINFO_EHDR) + offset : 0;
	memset(local, 0, sizeof *local);
	local->pid = (uint32_t)getpid();
	local->host_pid = local->pid;
	local->unique = local->pid;
	local->ns_pid = (uint32_t)target_namespaces_id(getpid());
	process->outside = !target_namespaces_own(getpid());
	local->state = UST_LOCAL_WANTED;
}

static bool in_data(const struct blob *b, uint64_t at, uint64_t size)
{
	return at % 8 == 0 && at >= b->data && at - b->data <= b->data_size &&
	       size <= b->data_size - (at - b->data);
}

static bool in_text(const struct blob *b, uint64_t at)
{
	return at >= b->text && at - b->text < b->text_size;
}

/* Check the addresses of the agent's functions, before any is called: all members from init on. */
static bool calls_valid(const struct blob *b)
{
	uint64_t calls[(sizeof b->agent - offsetof(struct ust_agent, init)) / sizeof(uint64_t)];
	bool valid = in_data(b, (uint64_t)b->agent.shared, sizeof *b->agent.shared);

	memcpy(calls, (const char *)&b->agent + offsetof(struct ust_agent, init), sizeof calls);
	for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
		valid &= in_text(b, calls[i]);
	return valid || fail("%s: damaged script for the user runtime", b->name);
}

/* Check the memory that the loader will read and write. */
static bool memory_valid(const struct blob *b)
{
	const struct ust_layout *l = &b->made;
	const struct ust_ring *ring = (const struct ust_ring *)l->rings;

	if (!l->nrings || l->nrings > UST_RINGS_MAX ||
	    !in_data(b, l->rings, l->nrings * sizeof *ring) ||
	    (l->nsites && !in_data(b, l->order, l->nsites * sizeof(uint32_t))) ||
	    (l->ngates && !in_data(b, l->gates, l->ngates * sizeof(struct ust_gate_state))))
		return false;
	if (l->walks && (l->callers < b->base || l->callers - b->base > b->private_size ||
			 b->private_size - (l->callers - b->base) < UST_CALLERS * sizeof(uint64_t)))
		return false;
	for (uint64_t i = 0; i < l->nprofiles; i++)
		if (i == UST_PROFILES || !l->profile_ns[i])
			return false;
	for (uint32_t i = 0; i < l->nrings; i++)
		if (!ring[i].size || (ring[i].size & (ring[i].size - 1)) ||
		    ring[i].size < UST_PAGE || !in_data(b, ring[i].buf, ring[i].size))
			return false;
	return true;
}

/* Release the part of the heap that is not needed. */
static bool shrink(struct blob *b)
{
	uint64_t end = page_up(b->made.heap_end), all = b->data + b->data_size;

	if (end < b->data || end > all)
		return fail("%s: the script's heap ends outside its memory", b->name);
	if (end < all)
		munmap((void *)end, all - end);
	b->data_size = end - b->data;
	return (!ftruncate(b->memfd, (off_t)b->data_size) &&
		!fcntl(b->memfd, F_ADD_SEALS, DATA_SEALS)) ||
	       explain_memory(b, "cannot shrink the script's shared memory");
}

/*
 * Allocate the shared memory here. The kernel charges a page to the control group of the process
 * that uses it first, and a traced program's group may be full: the program would be killed for the
 * script's buffers. Memory above the limit, of large buffers or arrays, is allocated when used.
 */
static void allocate(const struct blob *b)
{
	static const uint64_t limit = 256 << 20;
	int err = fallocate(b->memfd, 0, 0, (off_t)(b->data_size < limit ? b->data_size : limit));

	if (err)
		note("%s: the script's memory is allocated when used: %s", b->name,
		     strerror(errno));
}

static bool explain_init(const struct blob *b, int err)
{
	say("%s: cannot initialise the script's memory: %s", b->name, strerror(err));
	if (err == ENOMEM)
		return hint("set a smaller buffer size with -s, or smaller arrays with ustap -D "
			    "MAXMAPENTRIES=N");
	return hint("rebuild it with: ustap --runtime=user -p4 SCRIPT");
}

/* Read its probes of process events, so that the tracer need not call the agent for them. */
static void read_probes(struct blob *b)
{
	b->probes = xrealloc(NULL, (b->made.nprobes + 1) * sizeof *b->probes);
	for (uint32_t i = 0; i < b->made.nprobes; i++) {
		b->agent.probe(i, &b->probes[b->nprobes]);
		b->nprobes += b->probes[b->nprobes].event < UST_EVENTS;
	}
}

bool blob_wants(const struct blob *b, uint32_t event, uint32_t module, uint32_t pid)
{
	for (uint32_t i = 0; i < b->nprobes; i++) {
		const struct ust_event_probe *p = &b->probes[i];

		if ((event == UST_EVENTS || p->event == event) &&
		    (p->module != UST_NO_MODULE ? p->module == module
						: !p->pid || p->pid == (int64_t)pid))
			return true;
	}
	return false;
}

/* A random number other than 0; 0, which disables marks, if the kernel returns no random bytes. */
static uint64_t name_key(void)
{
	uint64_t key;

	return getrandom(&key, sizeof key, 0) == sizeof key ? key | 1ull << 63 : 0;
}

static bool start(struct blob *b, const struct blob_file *f, unsigned buffer_mb)
{
	int err;

	b->agent = *(const struct ust_agent *)(b->base + f->entry);
	b->shared = b->agent.shared;
	if (!calls_valid(b))
		return false;
	b->made = (struct ust_layout){.heap_end = b->data + b->data_size,
				      .ncpu = processors(),
				      .buffer_mb = buffer_mb,
				      .hwcap2 = (uint32_t)getauxval(AT_HWCAP2),
				      .name_key = name_key(),
				      .steady_ticks = clock_source_is_ticks()};
	blob_record_identity(b);
	err = b->agent.init(&b->made);
	if (err)
		return explain_init(b, -err);
	if (!shrink(b))
		return false;
	allocate(b);
	if (!memory_valid(b))
		return fail("%s: the script's buffers or tables lie outside its memory", b->name);
	read_probes(b);
	return true;
}

void blob_keep_from_children(const struct blob *b)
{
	madvise((void *)b->base, b->data + b->data_size - b->base, MADV_DONTFORK);
}

bool blob_retire(const struct blob *b)
{
	blob_keep_from_children(b);
	return !mprotect((void *)b->text, b->text_size, PROT_READ) ||
	       fail("%s: cannot make the script's code non-executable: %s", b->name,
		    strerror(errno));
}

/* dir/NAME.xyz -> NAME */
static void take_name(struct blob *b, const char *path)
{
	const char *slash = strrchr(path, '/');
	char *dot;

	snprintf(b->name, sizeof b->name, "%s", slash ? slash + 1 : path);
	dot = strrchr(b->name, '.');
	if (dot && dot > b->name)
		*dot = 0;
}

bool blob_load(struct blob *b, const char *path, unsigned buffer_mb)
{
	uint64_t buffer = (uint64_t)(buffer_mb ? buffer_mb : DEFAULT_BUFFER_MB) << 20;
	struct blob_file f;
	bool ok;

	*b = (struct blob){.memfd = -1, .code = -1};
	take_name(b, path);
	if (!blob_file_open(&f, path))
		return false;
	/* buffer sizes are rounded up to powers of 2 */
	ok = map_file(b, &f, 2 * buffer * (processors() + UST_RINGS_SPARE)) &&
	     start(b, &f, buffer_mb);
	blob_file_close(&f);
	if (!ok)
		blob_unload(b);
	return ok;
}

/* Replaces the C library's robust list of this thread: the tracer has no robust mutexes. */
bool blob_own(const struct blob *b)
{
	static struct robust_list entry;
	static struct robust_list_head head;
	uint32_t *owner = &b->shared->owner;

	head.list.next = &entry;
	entry.next = &head.list;
	head.futex_offset = (long)((uintptr_t)owner - (uintptr_t)&entry);
	__atomic_store_n(owner, UST_DISARMED | (uint32_t)syscall(SYS_gettid), __ATOMIC_SEQ_CST);
	return !syscall(SYS_set_robust_list, &head, sizeof head);
}

void blob_unload(struct blob *b)
{
	if (b->base)
		munmap((void *)b->base, b->data + b->data_size - b->base);
	if (b->memfd >= 0)
		close(b->memfd);
	if (b->code >= 0)
		close(b->code);
	free(b->probes);
	*b = (struct blob){.memfd = -1, .code = -1};
}
