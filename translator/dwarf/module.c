/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Modules: ELF files that are opened once, with their debug information. module_close.c closes them
 * together. Module addresses are the file's own virtual addresses (the bias of the Dwfl module is
 * zero), for ET_EXEC and ET_DYN alike.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf.h"
#include "inflate.h"
#include "base/proc_root.h"
#include "base/trust.h"
#include "arch/arch.h"
#include "base/crash_guard.h"
#include "base/subprocess.h"
#include "address_maps.h"

/* FD, a file of debug information of M, or -1; -1 after a warning if it is damaged. */
static int plausible(const struct module *m, int fd)
{
	const char *why = fd < 0 ? NULL : elf_implausible(fd);

	if (!why)
		return fd;
	diag_warn(W_DEBUG_FILE, (struct loc){0}, "the debug information of %s is damaged: %s",
		  m->path, why);
	close(fd);
	return -1;
}

/* As libdwfl finds it.  It keeps what it has opened on the way, so it is asked through a module of
 * its own, and may still be given another file: the same one inflated. */
static int standard_debuginfo(const struct module *m, const char *name, Dwarf_Addr base,
			      const char *file, const char *link, GElf_Word crc, char **debug_file)
{
	static const Dwfl_Callbacks plain = {.find_elf = dwfl_build_id_find_elf,
					     .find_debuginfo = dwfl_standard_find_debuginfo,
					     .section_address = dwfl_offline_section_address};
	Dwfl *dwfl = dwfl_begin(&plain);
	int own = fcntl(m->fd, F_DUPFD_CLOEXEC, 0), fd = -1;
	Dwfl_Module *mod = dwfl ? dwfl_report_elf(dwfl, name, m->path, own, 0, true) : NULL;
	GElf_Addr bias;
	void *user = NULL;

	if (mod && dwfl_module_getelf(mod, &bias))
		fd = dwfl_standard_find_debuginfo(mod, &user, name, base, file, link, crc,
						  debug_file);
	dwfl_end(dwfl);
	if (!mod)
		close(own);
	return plausible(m, fd);
}

static int find_debuginfo(Dwfl_Module *mod, void **user, const char *name, Dwarf_Addr base,
			  const char *file, const char *link, GElf_Word crc, char **debug_file)
{
	const struct module *m = *user;
	int fd, inflated;

	/* a name without checksum is that of what dwz shares between files, which is opened on the
	 * way */
	if (!m || (link && !crc))
		return dwfl_standard_find_debuginfo(mod, user, name, base, file, link, crc,
						    debug_file);
	fd = standard_debuginfo(m, name, base, file, link, crc, debug_file);
	if (fd < 0 && is_zstd_file(m->fd)) /* libdw sees no debug information in it */
		fd = fcntl(m->fd, F_DUPFD_CLOEXEC, 0);
	if (fd < 0)
		warn_unfit_debugfile(m, link);
	inflated = fd < 0 ? -1 : inflate_file(fd, m->build_id);
	if (inflated < 0)
		return fd;
	close(fd);
	return inflated;
}

static const Dwfl_Callbacks callbacks = {
	.find_elf = dwfl_build_id_find_elf,
	.find_debuginfo = find_debuginfo,
	.section_address = dwfl_offline_section_address,
};

/* ------------------------------------------------------------------ opening */

/* The program that runs the script PATH whose first line is LINE ("#!..."):
 * its interpreter, or what `env` would run.  NULL if the line names none. */
static const char *interpreter(const char *line)
{
	const char *p = line + 2;
	p += strspn(p, " \t");
	size_t n = strcspn(p, " \t\r\n");
	if (!n || *p != '/')
		return NULL;
	const char *prog = xstrndup(p, n);
	const char *base = strrchr(prog, '/') + 1;
	if (strcmp(base, "env") != 0)
		return prog;
	for (p += n;; p += n) { /* past options and VAR=value of env */
		p += strspn(p, " \t");
		n = strcspn(p, " \t\r\n");
		if (!n)
			return prog;
		if (*p != '-' && !memchr(p, '=', n))
			break;
	}
	const char *name = xstrndup(p, n);
	return *name == '/' ? name : find_in_path(name);
}

/* Open PATH for reading; -1 after an error. */
static int open_program(const char *path, struct loc loc)
{
	int fd = open_regular(path), err = errno;
	if (fd >= 0)
		return fd;
	if (err == EINVAL || err == EISDIR) {
		diag_error(E_NO_FILE, loc, "%s is not a regular file", path);
		return -1;
	}
	diag_error(E_NO_FILE, loc, "cannot open %s: %s", path, strerror(err));
	if (err == EACCES)
		diag_hint("run ustap as root, or as a user who may read the file");
	return -1;
}

static bool check_header(const char *path, Elf *elf, struct loc loc)
{
	GElf_Ehdr eh;
	if (elf_kind(elf) != ELF_K_ELF || !gelf_getehdr(elf, &eh)) {
		diag_error(E_BAD_ELF, loc, "%s is not an ELF file", path);
		return false;
	}
	if (eh.e_type != ET_EXEC && eh.e_type != ET_DYN) {
		diag_error(E_BAD_ELF, loc, "%s is not a program or shared library%s", path,
			   eh.e_type == ET_REL    ? " but a relocatable object"
			   : eh.e_type == ET_CORE ? " but a core dump"
						  : "");
		return false;
	}
	const struct arch *arch = arch_of_machine(eh.e_machine);
	bool wide = eh.e_ident[EI_CLASS] == ELFCLASS64;
	if (arch == arch_target() && wide)
		return true;
	diag_error(E_BAD_ELF, loc, "%s is for %s%s, this ustap traces %s programs only", path,
		   arch_machine_name(eh.e_machine), wide ? "" : " (32-bit)",
		   arch_target()->elf_machine);
	if (arch && wide)
		diag_hint("-a %s lists its probe points and compiles scripts for it to C",
			  arch->name);
	return false;
}

const char *module_other_machine(const char *path)
{
	int fd = open_regular(path);
	Elf64_Ehdr eh; /* its beginning is that of Elf32_Ehdr */
	const char *name = NULL;

	if (fd >= 0 && pread(fd, &eh, sizeof eh, 0) == sizeof eh &&
	    !memcmp(eh.e_ident, ELFMAG, SELFMAG) &&
	    (eh.e_ident[EI_CLASS] != ELFCLASS64 || eh.e_machine != arch_target()->machine))
		name = xprintf("%s%s", arch_machine_name(eh.e_machine),
			       eh.e_ident[EI_CLASS] == ELFCLASS64 ? "" : " (32-bit)");
	if (fd >= 0)
		close(fd);
	return name;
}

bool module_is_possible(const char *path)
{
	int fd = open_regular(path);
	Elf64_Ehdr eh;
	bool ok = fd >= 0 && pread(fd, &eh, sizeof eh, 0) == sizeof eh &&
		  !memcmp(eh.e_ident, ELFMAG, SELFMAG) && eh.e_ident[EI_CLASS] == ELFCLASS64 &&
		  (eh.e_type == ET_EXEC || eh.e_type == ET_DYN) &&
		  eh.e_machine == arch_target()->machine && !elf_implausible(fd);

	if (fd >= 0)
		close(fd);
	return ok;
}

/* Hand FD, an ELF file, to a new Dwfl; NULL after an error. */
static struct module *module_new(const char *path, int fd, struct loc loc)
{
	struct module *m = xalloc(sizeof *m);
	GElf_Addr bias;
	m->path = xstrdup(path);
	m->fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
	m->dwfl = dwfl_begin(&callbacks);
	if (m->dwfl) {
		dwfl_report_begin(m->dwfl);
		m->mod = dwfl_report_elf(m->dwfl, path, path, fd, 0, true);
		dwfl_report_end(m->dwfl, NULL, NULL);
	}
	if (m->mod)
		m->elf = dwfl_module_getelf(m->mod, &bias);
	if (!m->elf) {
		diag_error(E_BAD_ELF, loc, "cannot read %s: %s", path, dwfl_errmsg(-1));
		if (!m->mod)
			close(fd);
		close(m->fd);
		dwfl_end(m->dwfl);
		return NULL;
	}
	void **user;
	dwfl_module_info(m->mod, &user, NULL, NULL, NULL, NULL, NULL, NULL);
	*user = m;
	m->build_id = fd_build_id(m->fd);
	return m;
}

/* Open PATH; *NEXT is the interpreter to open instead if it is a script. */
static struct module *module_open(const char *path, struct loc loc, const char **next)
{
	char head[256] = "";
	int fd = open_program(path, loc);
	if (fd < 0)
		return NULL;
	guard_reading(xstrdup(path));
	ssize_t n = pread(fd, head, sizeof head - 1, 0);
	if (n > 2 && head[0] == '#' && head[1] == '!') {
		*next = interpreter(head);
		if (!*next)
			diag_error(E_BAD_ELF, loc,
				   "%s is a script whose interpreter cannot be found", path);
		close(fd);
		return NULL;
	}
	elf_version(EV_CURRENT);
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	bool ok = elf && check_header(path, elf, loc);
	if (!elf)
		diag_error(E_BAD_ELF, loc, "cannot read %s: %s", path, elf_errmsg(-1));
	elf_end(elf);
	const char *why = ok ? elf_implausible(fd) : NULL;
	if (why)
		diag_error(E_BAD_ELF, loc, "%s is damaged: %s", path, why);
	if (ok && !why)
		return module_new(path, fd, loc);
	close(fd);
	return NULL;
}

struct module *module_get(const char *path, struct loc loc)
{
	const char *asked = path;

	for (int depth = 0; depth < 5; depth++) { /* the kernel's own limit for #! */
		const char *next = NULL;
		struct module *m = module_lookup(path);
		if (!m) {
			m = module_open(path, loc, &next);
			if (m)
				module_enter(m);
		}
		if (m)
			m->script = path == asked ? NULL : xstrdup(asked);
		if (m || !next)
			return m;
		vlog(1, "%s is a script; using its interpreter %s", path, next);
		path = next;
	}
	diag_error(E_BAD_ELF, loc, "too many nested interpreters, last %s", path);
	return NULL;
}

/* ------------------------------------------------------------------- asking */

const char *module_path(const struct module *m) { return m->path; }
const char *module_script(const struct module *m) { return m->script; }

const char *module_target_path(const struct module *m) { return path_in_sysroot(m->path); }

const char *module_name(struct module *m)
{
	if (!m->name)
		m->name = path_when_opened(module_target_path(m));
	return m->name;
}

const char *module_build_id(const struct module *m) { return m->build_id; }

const char *module_debug_file(const struct module *m)
{
	const char *file = NULL;
	dwfl_module_info(m->mod, NULL, NULL, NULL, NULL, NULL, NULL, &file);
	return file ? file : m->path;
}

Dwarf *module_dwarf(struct module *m)
{
	Dwarf_Addr bias;
	if (m->dw_tried)
		return m->dw;
	m->dw_tried = true;
	m->dw = dwfl_module_getdwarf(m->mod, &bias);
	if (m->dw && bias != 0) { /* prelinked after its debug file was split off */
		vlog(1, "%s: the addresses in its debug information do not match the file; ignored",
		     m->path);
		m->dw = NULL;
	}
	if (m->dw)
		find_shared_part(m);
	const char *why = m->dw ? dwarf_implausible(m->dw) : NULL;
	if (why) {
		diag_warn(W_DEBUG_FILE, (struct loc){0},
			  "the debug information of %s is damaged: %s", m->path, why);
		m->dw = NULL;
	}
	const char *file = NULL;
	dwfl_module_info(m->mod, NULL, NULL, NULL, NULL, NULL, NULL, &file);
	if (m->dw && file && strcmp(file, m->path) != 0)
		vlog(1, "%s: debug information from %s", m->path, file);
	return m->dw;
}

bool module_is_fixed(const struct module *m)
{
	GElf_Ehdr eh;
	return gelf_getehdr(m->elf, &eh) && eh.e_type == ET_EXEC;
}

/* A position-independent program says that it is one. */
bool module_is_program(const struct module *m)
{
	GElf_Phdr ph;
	GElf_Dyn dyn;
	Elf_Data *data = NULL;
	size_t n;
	if (module_is_fixed(m))
		return true;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n && !data; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_DYNAMIC)
			data = elf_getdata_rawchunk(m->elf, (int64_t)ph.p_offset, ph.p_filesz,
						    ELF_T_DYN);
	for (int i = 0; data && gelf_getdyn(data, i, &dyn) && dyn.d_tag != DT_NULL; i++)
		if (dyn.d_tag == DT_FLAGS_1)
			return dyn.d_un.d_val & DF_1_PIE;
	return false;
}

bool module_tls(const struct module *m, GElf_Phdr *tls)
{
	size_t n;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, tls) && tls->p_type == PT_TLS)
			return true;
	return false;
}

bool module_code(struct module *m, uint64_t *addr, uint64_t *off)
{
	GElf_Phdr ph;
	size_t n;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X)) {
			*addr = ph.p_vaddr;
			*off = ph.p_offset;
			return true;
		}
	return false;
}

bool module_has_dwarf(const struct module *m) { return module_dwarf((struct module *)m) != NULL; }

static bool segment_of(const struct module *m, uint64_t addr, GElf_Phdr *ph)
{
	size_t n;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, i, ph) && ph->p_type == PT_LOAD && addr >= ph->p_vaddr &&
		    addr - ph->p_vaddr < ph->p_filesz)
			return true;
	return false;
}

bool module_file_offset(struct module *m, uint64_t addr, uint64_t *off)
{
	GElf_Phdr ph;
	if (!segment_of(m, addr, &ph))
		return false;
	*off = addr - ph.p_vaddr + ph.p_offset;
	return true;
}

bool module_offset_address(struct module *m, uint64_t off, uint64_t *addr)
{
	GElf_Phdr ph;
	size_t n;
	if (elf_getphdrnum(m->elf, &n) != 0)
		return false;
	for (size_t i = 0; i < n; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_LOAD &&
		    (ph.p_flags & PF_X) && off >= ph.p_offset && off - ph.p_offset < ph.p_filesz) {
			*addr = off - ph.p_offset + ph.p_vaddr;
			return true;
		}
	return false;
}

size_t module_segments(struct module *m, struct module_segment *v, size_t max)
{
	size_t phdrs, n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(m->elf, &phdrs))
		return 0;
	for (size_t i = 0; i < phdrs && n < max; i++)
		if (gelf_getphdr(m->elf, (int)i, &ph) && ph.p_type == PT_LOAD && ph.p_filesz)
			v[n++] = (struct module_segment){ph.p_offset, ph.p_filesz, ph.p_vaddr};
	return n;
}

bool module_is_code(const struct module *m, uint64_t addr)
{
	GElf_Phdr ph;
	return segment_of(m, addr, &ph) && (ph.p_flags & PF_X);
}

bool module_is_text(struct module *m, uint64_t addr) { return module_is_code(m, addr); }

const unsigned char *module_bytes(struct module *m, uint64_t addr, size_t *len)
{
	GElf_Phdr ph;
	size_t size;
	const unsigned char *raw = (const unsigned char *)elf_rawfile(m->elf, &size);
	if (!raw || !segment_of(m, addr, &ph))
		return NULL;
	uint64_t off = addr - ph.p_vaddr + ph.p_offset;
	if (off >= size)
		return NULL;
	uint64_t left = ph.p_filesz - (addr - ph.p_vaddr);
	*len = left < size - off ? left : size - off;
	return raw + off;
}

bool module_has_section(struct module *m, const char *name)
{
	size_t strings;
	if (elf_getshdrstrndx(m->elf, &strings) != 0)
		return false;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		const char *n = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
						       : NULL;
		if (n && strcmp(n, name) == 0)
			return true;
	}
	return false;
}

/* ----------------------------------------------------- where debuginfo comes from */

/* Does the dpkg file list FILE name PATH? */
static bool list_has(const char *file, const char *path)
{
	FILE *f = fopen_regular(file);
	char *line = NULL;
	size_t cap = 0;
	ssize_t n;
	bool found = false;
	if (!f)
		return false;
	while (!found && (n = getline(&line, &cap, f)) > 0) {
		line[n - (line[n - 1] == '\n')] = '\0';
		/* /lib and /usr/lib are one directory, whichever dpkg has on record */
		const char *l = strncmp(line, "/usr/", 5) == 0 ? line + 4 : line;
		const char *p = strncmp(path, "/usr/", 5) == 0 ? path + 4 : path;
		found = strcmp(l, p) == 0;
	}
	free(line);
	fclose(f);
	return found;
}

/* The Debian package that owns PATH; NULL if none or this is not Debian. */
static const char *owner_package(const char *path)
{
	static const char dir[] = "/var/lib/dpkg/info";
	char *real = realpath(path, NULL);
	const char *pkg = NULL;
	DIR *d = opendir(dir);
	for (struct dirent *e; d && !pkg && (e = readdir(d));) {
		const char *dot = strrchr(e->d_name, '.');
		if (!dot || strcmp(dot, ".list") != 0)
			continue;
		size_t n = strcspn(e->d_name, ":"), stem = (size_t)(dot - e->d_name);
		if (list_has(xprintf("%s/%s", dir, e->d_name), real ? real : path))
			pkg = xstrndup(e->d_name, n < stem ? n : stem);
	}
	if (d)
		closedir(d);
	free(real);
	return pkg;
}

/* owner_package(), which reads many files, once for each path: each function of a wildcard asks. */
static const char *known_owner(const char *path)
{
	static ARENA_STATE struct smap owners;
	const char **owner = smap_get(&owners, path);

	if (!owner) {
		owner = xalloc(sizeof *owner);
		*owner = owner_package(path);
		smap_put(&owners, path, owner);
	}
	return *owner;
}

const char *module_debuginfo_hint(const struct module *m)
{
	if (m->is_kernel)
		return "its file has no BTF, so only the names of its functions are known; read "
		       "arguments by number with int_arg(N) and similar functions";
	const char *bad = unreadable_dwarf(m);
	if (bad)
		return bad;
	const char *pkg = known_owner(m->path);
	const char *servers = getenv("DEBUGINFOD_URLS");
	bool asked = servers && *servers;
	const char *suffix = pkg && strcmp(pkg, "libc6") == 0 ? "-dbg" : "-dbgsym";
	if (!pkg)
		return asked ? "compile the program with -g; the servers in DEBUGINFOD_URLS do not "
			       "have it either"
			     : "compile the program with -g, or export DEBUGINFOD_URLS with the "
			       "server of your distribution";
	return xprintf("`apt install %s%s` where the debian-debug archive is enabled%s", pkg,
		       suffix,
		       asked ? "; the servers in DEBUGINFOD_URLS do not have it"
			     : ", or `export DEBUGINFOD_URLS=https://debuginfod.debian.net`");
}

const char *elfutils_version(void) { return dwfl_version(NULL); }
