/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Scripts for the user runtime as files: one that is made up here is mapped and started; damaged
 * ones are refused and crash nothing.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "inject/blobfile.h"
#include "staprun_check.h"

#if defined(__x86_64__)
enum { MACHINE = EM_X86_64, RELATIVE = R_X86_64_RELATIVE };
static const unsigned char return_0[] = {0x31, 0xc0, 0xc3};
#elif defined(__aarch64__)
enum { MACHINE = EM_AARCH64, RELATIVE = R_AARCH64_RELATIVE };
static const unsigned char return_0[] = {0x00, 0x00, 0x80, 0x52, 0xc0, 0x03, 0x5f, 0xd6};
#endif

/* ------------------------------------------------------------- a made-up blob */

enum { CALLS = 13, PRIVATE_SIZE = 2 * 4096, TEXT = PRIVATE_SIZE, DATA = TEXT + 4096, RING_SIZE = 4096 };

struct text { unsigned char code[64]; Elf64_Rela rela[CALLS + 2]; };
struct data { struct ust_agent agent; struct ust_ring ring; Elf64_Dyn dynamic[4]; };

struct file {
	Elf64_Ehdr eh;
	Elf64_Phdr ph[4];
	struct text text;
	struct data data;
};

#define IN_DATA(member) (DATA + offsetof(struct data, member))

static Elf64_Phdr segment(unsigned type, unsigned flags, uint64_t at, uint64_t addr, uint64_t file, uint64_t mem)
{
	return (Elf64_Phdr){.p_type = type, .p_flags = flags, .p_offset = at, .p_vaddr = addr,
			    .p_filesz = file, .p_memsz = mem, .p_align = 4096};
}

static void make_head(struct file *f)
{
	f->eh = (Elf64_Ehdr){.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB, EV_CURRENT},
			     .e_type = ET_DYN, .e_machine = MACHINE, .e_entry = IN_DATA(agent),
			     .e_phoff = offsetof(struct file, ph), .e_phentsize = sizeof *f->ph, .e_phnum = 4};
	f->ph[0] = segment(PT_LOAD, PF_R | PF_W, 0, 0, 0, PRIVATE_SIZE);
	f->ph[1] = segment(PT_LOAD, PF_R | PF_X, offsetof(struct file, text), TEXT, sizeof f->text, sizeof f->text);
	/* the ring's buffer is what follows the file's bytes */
	f->ph[2] = segment(PT_LOAD, PF_R | PF_W, offsetof(struct file, data), DATA, sizeof f->data, 4 * 4096);
	f->ph[3] = segment(PT_DYNAMIC, PF_R, offsetof(struct file, data.dynamic), IN_DATA(dynamic),
			   sizeof f->data.dynamic, sizeof f->data.dynamic);
}

static void add_relocation(struct file *f, unsigned i, uint64_t at, uint64_t to)
{
	f->text.rela[i] = (Elf64_Rela){at, ELF64_R_INFO(0, RELATIVE), (int64_t)to};
}

static void make_file(struct file *f)
{
	static const size_t calls[CALLS] = {
		IN_DATA(agent.init), IN_DATA(agent.site), IN_DATA(agent.module), IN_DATA(agent.begin),
		IN_DATA(agent.arm), IN_DATA(agent.timers), IN_DATA(agent.disarm), IN_DATA(agent.end),
		IN_DATA(agent.note), IN_DATA(agent.view), IN_DATA(agent.set), IN_DATA(agent.wants), IN_DATA(agent.event)};

	memset(f, 0, sizeof *f);
	make_head(f);
	memcpy(f->text.code, return_0, sizeof return_0);
	for (unsigned i = 0; i < CALLS; i++)
		add_relocation(f, i, calls[i], TEXT);
	add_relocation(f, CALLS, IN_DATA(agent.rings), IN_DATA(ring));
	add_relocation(f, CALLS + 1, IN_DATA(ring.buf), DATA + 2 * 4096);
	f->data.dynamic[0] = (Elf64_Dyn){DT_RELA, {TEXT + offsetof(struct text, rela)}};
	f->data.dynamic[1] = (Elf64_Dyn){DT_RELASZ, {sizeof f->text.rela}};
	f->data.dynamic[2] = (Elf64_Dyn){DT_RELAENT, {sizeof *f->text.rela}};
	f->data.agent = (struct ust_agent){.magic = UST_AGENT_MAGIC, .version = UST_WIRE_VERSION,
					   .size = sizeof f->data.agent, .nrings = 1};
	f->data.ring.size = RING_SIZE;
}

/* Its name is the same each time. */
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

static void test_load(void)
{
	static const char page[4096];
	struct file f;
	struct blob b;

	make_file(&f);
	check(blob_is(store(&f, sizeof f)), "a blob is known", "it is not");
	check(blob_load(&b, store(&f, sizeof f), 2), "a blob is loaded", "it is not");
	if (!b.agent)
		return;
	check(b.made.magic == UST_AGENT_MAGIC && b.made.rings == (uint64_t)b.base + IN_DATA(ring),
	      "its pointers are relocated", "they are not");
	check(b.made.ncpu && b.made.buffer_mb == 2 && b.data_size >= 64u << 20, "it is told what there is",
	      "it is not");
	check(b.text == b.base + TEXT && b.data == b.base + DATA && b.private_size == PRIVATE_SIZE,
	      "its segments are in their places", "they are not");
	check(((struct ust_local *)(b.base + 4096))->pid == (uint32_t)getpid() &&
	      ((struct ust_process *)b.base)->clock_gettime, "it knows its process", "it does not");
	check(!memcmp((void *)(b.data + 2 * 4096), page, sizeof page), "what is not in the file is zero",
	      "it is not");
	blob_unload(&b);
	check(!b.agent && b.memfd < 0, "it is unloaded", "it is not");
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

#define DAMAGE(name, member, value) do { \
	make_file(&f); \
	f.member = (value); \
	check(refused(&f, sizeof f), name, "it is taken"); \
} while (0)

static void test_damage(void)
{
	struct file f;

	make_file(&f);
	check(!refused(&f, sizeof f), "a whole file", "it is refused");
	check(refused(&f, sizeof f - 1 - sizeof f.data.dynamic), "a file that is cut off", "it is taken");
	DAMAGE("another machine", eh.e_machine, EM_S390);
	DAMAGE("a kernel module's type", eh.e_type, ET_REL);
	DAMAGE("an entry outside", eh.e_entry, TEXT - 8);
	DAMAGE("another format", data.agent.version, UST_WIRE_VERSION + 1);
	DAMAGE("another agent", data.agent.size, 8);
	DAMAGE("no magic", data.agent.magic, 1);
	DAMAGE("private memory in the file", ph[0].p_filesz, 16);
	DAMAGE("text that can be written to", ph[1].p_flags, PF_R | PF_W | PF_X);
	DAMAGE("overlapping segments", ph[2].p_vaddr, TEXT);
	DAMAGE("a segment of many bytes", ph[2].p_memsz, ~0ull);
	DAMAGE("a segment far away", ph[2].p_offset, ~0ull - 100);
	DAMAGE("a dynamic linker", ph[3].p_type, PT_INTERP);
	DAMAGE("a fourth segment", ph[3].p_type, PT_LOAD);
	DAMAGE("a needed library", data.dynamic[2].d_tag, DT_NEEDED);
	DAMAGE("relocations elsewhere", data.dynamic[0].d_un.d_ptr, DATA + 8 * 4096);
	DAMAGE("too many relocations", data.dynamic[1].d_un.d_val, 1ull << 40);
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
	check(!blob_is("/proc/self/exe") && !blob_is("/dev/null") && !blob_is("/") && !blob_is("/nonexistent") &&
	      !blob_is(store("\177ELF", 4)) && !blob_is(store("", 0)), "other files are no blobs", "one is");
	check(vdso_offset("__vdso_clock_gettime") || vdso_offset("__kernel_clock_gettime"),
	      "the vDSO's clock is found", "it is not");
	check(!vdso_offset("__vdso_no_such_function"), "only what is there is found in the vDSO", "more is");
}

int main(void)
{
	test_load();
	test_damage();
	test_mutations();
	test_others();
	return failed != 0;
}
