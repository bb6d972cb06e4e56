/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of scripts for the user runtime: a made-up one is mapped and started; damaged ones are
 * rejected without a crash.
 */
#include <stddef.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "inject/elf/blobfile.h"
#include "staprun_check.h"
#include "base/message.h"
#include "inject/user_runtime.h"
#include "wire.h"
#include "wire_agent.h"
#include "wire_process.h"
#include "inject/arch/regs.h"
#include "inject/elf/elf.h"

/* The injector decodes x86-64 only. */
enum { MACHINE = ELF_MACHINE };

/* ------------------------------------------------------------- a made-up blob */

enum {
	/* all members of struct ust_agent from init on are functions */
	FIRST_CALL = offsetof(struct ust_agent, init),
	CALLS = (sizeof(struct ust_agent) - FIRST_CALL) / sizeof(uint64_t),
	PRIVATE_SIZE = 2 * 4096,
	TEXT = PRIVATE_SIZE,
	CONSTANTS = TEXT + 4096,
	DATA = CONSTANTS + 4096,
	RING_SIZE = 4096
};
enum { PH_PRIVATE, PH_TEXT, PH_CONSTANTS, PH_DATA, PH_DYNAMIC, PHDRS };

struct text {
	unsigned char code[64];
	Elf64_Rela rela[CALLS + 2];
};
struct constants {
	struct ust_agent agent;
	Elf64_Dyn dynamic[4];
};
struct data {
	struct ust_shared shared;
	struct ust_ring ring;
};

struct file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[PHDRS];
	struct text text;
	struct constants constants;
	struct data data;
};

#define IN_CONSTANTS(member) (CONSTANTS + offsetof(struct constants, member))
#define IN_DATA(member)      (DATA + offsetof(struct data, member))

static Elf64_Phdr segment(unsigned type, unsigned flags, uint64_t at, uint64_t addr, uint64_t file,
			  uint64_t mem)
{
	return (Elf64_Phdr){.p_type = type,
			    .p_flags = flags,
			    .p_offset = at,
			    .p_vaddr = addr,
			    .p_filesz = file,
			    .p_memsz = mem,
			    .p_align = 4096};
}

static void make_head(struct file *f)
{
	f->eh = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64,
					 ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN,
			     .e_machine = MACHINE,
			     .e_entry = IN_CONSTANTS(agent),
			     .e_phoff = offsetof(struct file, ph),
			     .e_phentsize = sizeof *f->ph,
			     .e_phnum = PHDRS};
	f->ph[PH_PRIVATE] = segment(PT_LOAD, PF_R | PF_W, 0, 0, 0, PRIVATE_SIZE);
	f->ph[PH_TEXT] = segment(PT_LOAD, PF_R | PF_X, offsetof(struct file, text), TEXT,
				 sizeof f->text, sizeof f->text);
	f->ph[PH_CONSTANTS] = segment(PT_LOAD, PF_R, offsetof(struct file, constants), CONSTANTS,
				      sizeof f->constants, sizeof f->constants);
	/* the ring and its buffer are in the part without file contents */
	f->ph[PH_DATA] = segment(PT_LOAD, PF_R | PF_W, offsetof(struct file, data), DATA,
				 sizeof f->data, 4 * 4096);
	f->ph[PH_DYNAMIC] = segment(PT_DYNAMIC, PF_R, offsetof(struct file, constants.dynamic),
				    IN_CONSTANTS(dynamic), sizeof f->constants.dynamic,
				    sizeof f->constants.dynamic);
}

static void add_relocation(struct file *f, unsigned i, uint64_t at, uint64_t to)
{
	f->text.rela[i] = (Elf64_Rela){at, ELF64_R_INFO(0, RELATIVE), (int64_t)to};
}

static unsigned char *put(unsigned char *to, const char *bytes, size_t n, size_t value)
{
	int32_t v = (int32_t)value;

	memcpy(to, bytes, n);
	memcpy(to + n, &v, sizeof v);
	return to + n + sizeof v;
}

/* init(): there is one ring. */
static void make_init(unsigned char *code)
{
	enum { LEA = 3 + 4 };
	/* lea ring(%rip), %rax */
	unsigned char *p = put(code, "\x48\x8d\x05", 3, IN_DATA(ring) - (TEXT + LEA));

	/* mov %rax, rings(%rdi) */
	p = put(p, "\x48\x89\x87", 3, offsetof(struct ust_layout, rings));
	/* mov $1, %eax */
	p = put(p, "\xb8", 1, 1);
	/* mov %eax, nrings(%rdi) */
	p = put(p, "\x89\x87", 2, offsetof(struct ust_layout, nrings));
	memcpy(p, "\x31\xc0\xc3", 3); /* xor %eax, %eax; ret */
}

static void make_file(struct file *f)
{
	memset(f, 0, sizeof *f);
	make_head(f);
	make_init(f->text.code);
	for (unsigned i = 0; i < CALLS; i++)
		add_relocation(f, i, IN_CONSTANTS(agent) + FIRST_CALL + i * sizeof(uint64_t), TEXT);
	add_relocation(f, CALLS, IN_CONSTANTS(agent.shared), IN_DATA(shared));
	add_relocation(f, CALLS + 1, IN_DATA(ring.buf), DATA + 2 * 4096);
	f->constants.dynamic[0] = (Elf64_Dyn){DT_RELA, {TEXT + offsetof(struct text, rela)}};
	f->constants.dynamic[1] = (Elf64_Dyn){DT_RELASZ, {sizeof f->text.rela}};
	f->constants.dynamic[2] = (Elf64_Dyn){DT_RELAENT, {sizeof *f->text.rela}};
	f->constants.agent = (struct ust_agent){.magic = UST_AGENT_MAGIC,
						.version = UST_WIRE_VERSION,
						.size = sizeof f->constants.agent};
	f->data.ring.size = RING_SIZE;
}

/* The file has the same name each time. */
static const char *store(const void *bytes, size_t size)
{
	static char path[] = "/tmp/ustap-blob-XXXXXX";
	static int fd = -1;

	if (fd < 0) {
		fd = mkstemp(path);
		unlink(path);
		snprintf(path, sizeof path, "/dev/fd/%d", fd);
	}
	if (ftruncate(fd, 0) || pwrite(fd, bytes, size, 0) != (ssize_t)size)
		abort();
	return path;
}

/* --------------------------------------------------------------------- checks */

static void *map_shared(int fd)
{
	return mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
}

static void test_seals(const struct blob *b)
{
	char name[40];
	int again;

	snprintf(name, sizeof name, "/proc/self/fd/%d", b->code);
	again = open(name, O_RDWR | O_CLOEXEC);
	check(pwrite(b->code, "", 1, 0) < 0 && map_shared(b->code) == MAP_FAILED &&
		      ftruncate(b->code, 1) < 0 &&
		      (again < 0 ||
		       (pwrite(again, "", 1, 0) < 0 && map_shared(again) == MAP_FAILED)),
	      "code is sealed", "it is not");
	check(ftruncate(b->memfd, 1) < 0 && ftruncate(b->memfd, 1ll << 40) < 0 &&
		      fcntl(b->memfd, F_ADD_SEALS, F_SEAL_WRITE) < 0,
	      "data keeps its size", "it does not");
	if (again >= 0)
		close(again);
	check(blob_retire(b) && mprotect((void *)b->text, b->text_size, PROT_READ) == 0,
	      "its code can be given up", "it cannot");
}

static void test_load(void)
{
	static const char page[4096];
	struct stat st;
	struct file f;
	struct blob b;

	make_file(&f);
	check(blob_is(store(&f, sizeof f)), "a blob is known", "it is not");
	check(blob_load(&b, store(&f, sizeof f), 2), "a blob is loaded", "it is not");
	if (!b.shared)
		return;
	check(b.agent.magic == UST_AGENT_MAGIC && (uint64_t)b.shared == b.base + IN_DATA(shared) &&
		      b.made.rings == b.base + IN_DATA(ring) &&
		      (uint64_t)b.agent.init == b.base + TEXT,
	      "its pointers are relocated", "they are not");
	check(b.made.ncpu && b.made.buffer_mb == 2 && b.data_size >= 64u << 20,
	      "it gets the limits of the machine", "it does not");
	check(!fstat(b.memfd, &st) && st.st_blocks >= (64 << 20) / 512,
	      "its shared memory is allocated", "it is not");
	check(b.text == b.base + TEXT && b.constants == b.base + CONSTANTS &&
		      b.data == b.base + DATA && b.private_size == PRIVATE_SIZE,
	      "its segments are at their addresses", "they are not");
	check(((struct ust_local *)(b.base + 4096))->pid == (uint32_t)getpid() &&
		      ((struct ust_process *)b.base)->clock_gettime,
	      "it knows its process", "it does not");
	check(!memcmp((void *)(b.data + 2 * 4096), page, sizeof page),
	      "what is not in the file is zero", "it is not");
	test_seals(&b);
	blob_unload(&b);
	check(!b.shared && b.memfd < 0 && b.code < 0, "it is unloaded", "it is not");
}

static bool refused(const struct file *f, size_t size)
{
	struct blob_file bf;
	bool ok;

	drop_messages();
	ok = blob_file_open(&bf, store(f, size));
	if (ok) {
		ok = blob_file_relocate(&bf, 1ull << 40);
		blob_file_close(&bf);
	}
	restore_messages();
	return !ok;
}

#define DAMAGE(name, member, value)                                \
	do {                                                       \
		make_file(&f);                                     \
		f.member = (value);                                \
		check(refused(&f, sizeof f), name, "it is taken"); \
	} while (0)

static void test_damage(void)
{
	struct file f;

	make_file(&f);
	check(!refused(&f, sizeof f), "a whole file", "it is refused");
	check(refused(&f, sizeof f - 1 - sizeof f.constants.dynamic), "a file that is cut off",
	      "it is taken");
	DAMAGE("another machine", eh.e_machine, EM_S390);
	DAMAGE("a kernel module's type", eh.e_type, ET_REL);
	DAMAGE("an entry outside", eh.e_entry, TEXT - 8);
	DAMAGE("another format", constants.agent.version, UST_WIRE_VERSION + 1);
	DAMAGE("another agent", constants.agent.size, 8);
	DAMAGE("no magic", constants.agent.magic, 1);
	DAMAGE("private memory in the file", ph[PH_PRIVATE].p_filesz, 16);
	DAMAGE("text that can be written to", ph[PH_TEXT].p_flags, PF_R | PF_W | PF_X);
	DAMAGE("constants that can be written to", ph[PH_CONSTANTS].p_flags, PF_R | PF_W);
	DAMAGE("overlapping segments", ph[PH_DATA].p_vaddr, TEXT);
	DAMAGE("a segment of many bytes", ph[PH_DATA].p_memsz, ~0ull);
	DAMAGE("a segment far away", ph[PH_DATA].p_offset, ~0ull - 100);
	DAMAGE("a dynamic linker", ph[PH_DYNAMIC].p_type, PT_INTERP);
	DAMAGE("a fifth segment", ph[PH_DYNAMIC].p_type, PT_LOAD);
	DAMAGE("a needed library", constants.dynamic[2].d_tag, DT_NEEDED);
	DAMAGE("relocations elsewhere", constants.dynamic[0].d_un.d_ptr, DATA + 8 * 4096);
	DAMAGE("too many relocations", constants.dynamic[1].d_un.d_val, 1ull << 40);
	DAMAGE("a relocation of text", text.rela[0].r_offset, TEXT);
	DAMAGE("a relocation outside", text.rela[0].r_offset, ~0ull - 4);
	DAMAGE("a relocation of another kind", text.rela[0].r_info, 1);
	DAMAGE("a relocation to elsewhere", text.rela[0].r_addend, -8);
}

static void test_mutations(void)
{
	unsigned taken = 0;
	struct file f;

	for (int round = 0; round < 5000; round++) {
		unsigned char *p = (unsigned char *)&f;

		make_file(&f);
		for (uint64_t n = 1 + random64() % 4; n; n--)
			p[random64() % sizeof f] = (unsigned char)random64();
		taken += !refused(&f, random64() % 4 ? sizeof f : random64() % sizeof f);
	}
	check(taken > 100 && taken < 5000, "5000 files with damage", "all or none are taken");
}

static void test_others(void)
{
	check(!blob_is("/proc/self/exe") && !blob_is("/dev/null") && !blob_is("/") &&
		      !blob_is("/nonexistent") && !blob_is(store("\177ELF", 4)) &&
		      !blob_is(store("", 0)),
	      "other files are rejected", "one is");
	check(vdso_offset("__vdso_clock_gettime") || vdso_offset("__kernel_clock_gettime"),
	      "the vDSO's clock is found", "it is not");
	check(!vdso_offset("__vdso_no_such_function"), "only what is there is found in the vDSO",
	      "more is");
}

int main(void)
{
	test_load();
	test_damage();
	test_mutations();
	test_others();
	return failed != 0;
}
