/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The module file: read into memory once, then checked, renamed and loaded from there, so that it
 * cannot change in between.
 *
 * The file is not trusted: each offset and size is checked against its length before use. Only the
 * parts that staprun uses are checked; the kernel checks the rest.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "module/kernel_module.h"
#include "wire.h"

#include <stdbool.h>
#include <stdint.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#if __SIZEOF_POINTER__ == 8
typedef Elf64_Ehdr Ehdr;
typedef Elf64_Shdr Shdr;
#define NATIVE_CLASS ELFCLASS64
#else
typedef Elf32_Ehdr Ehdr;
typedef Elf32_Shdr Shdr;
#define NATIVE_CLASS ELFCLASS32
#endif

#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
#define NATIVE_DATA ELFDATA2LSB
#else
#define NATIVE_DATA ELFDATA2MSB
#endif

enum { MAX_IMAGE = 256 << 20, NUMBER_DIGITS = 7 };

/* Appended by the kernel's scripts/sign-file. */
static const char signature[] = "~Module signature appended~\n";

/* ------------------------------------------------------------------ reading */

static bool read_all(struct image *im, int fd, const char *path)
{
	struct stat st;
	size_t n = 0;

	if (fstat(fd, &st))
		return fail("%s: %s", path, strerror(errno));
	if (!S_ISREG(st.st_mode))
		return fail("%s: not a regular file", path);
	if (st.st_size <= 0 || st.st_size > MAX_IMAGE)
		return fail("%s: not a kernel module (%lld bytes)", path, (long long)st.st_size);
	im->size = (size_t)st.st_size;
	im->data = xrealloc(NULL, im->size);
	while (n < im->size) {
		ssize_t got = read(fd, im->data + n, im->size - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return fail("%s: %s", path,
				    got ? strerror(errno) : "the file was truncated");
		n += (size_t)got;
	}
	return true;
}

/* True if root owns the directory or file and no other user can write to it. */
static bool only_roots(int fd, mode_t type)
{
	struct stat st;

	return !fstat(fd, &st) && (st.st_mode & S_IFMT) == type && st.st_uid == 0 &&
	       !(st.st_mode & (S_IWGRP | S_IWOTH));
}

/* Descend into NAME, closing DIR; -1 if a user other than root can write to it. */
static int enter(int dir, const char *name)
{
	int fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

	if (dir >= 0)
		close(dir);
	if (fd >= 0 && !only_roots(fd, S_IFDIR)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* The directory of the modules that group stapusr may load. /lib may be a link to /usr/lib, so the
 * check starts after it. */
static int trusted_directory(const char *release)
{
	int fd = open("/lib/modules", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd >= 0 && !only_roots(fd, S_IFDIR)) {
		close(fd);
		return -1;
	}
	return enter(enter(fd, release), "ustap");
}

int module_file_open_approved(const char *name)
{
	struct utsname u;
	int dir, fd, err;

	if (uname(&u))
		return -1;
	dir = trusted_directory(u.release);
	fd = dir < 0 ? -1 : openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	err = dir < 0 ? EPERM : errno;
	if (dir >= 0)
		close(dir);
	if (fd >= 0 && !only_roots(fd, S_IFREG)) {
		close(fd);
		fd = -1;
		err = EPERM;
	}
	errno = err;
	return fd;
}

/* Only the last component of PATH counts. */
static int open_trusted(const char *path, bool quiet)
{
	const char *slash = strrchr(path, '/');
	int fd = module_file_open_approved(slash ? slash + 1 : path);
	struct utsname u;

	if (fd < 0 && !quiet && !uname(&u)) {
		say("members of group stapusr may load only modules in /lib/modules/%s/ustap",
		    u.release);
		hint("as root: install -D -m 644 %s /lib/modules/%s/ustap/", path, u.release);
		hint("or, to load any module, join group stapdev, or use sudo");
	}
	return fd;
}

static int open_as_caller(const char *path)
{
	int fd, err;

	privilege_suspend();
	fd = open_script_file(path);
	err = errno;
	privilege_resume();
	if (fd < 0) {
		say("%s: %s", path, strerror(err));
		if (err == ENOENT)
			hint("build it with: ustap -p4 SCRIPT");
	}
	return fd;
}

static bool has_signature(const struct image *im)
{
	return im->size >= sizeof signature - 1 &&
	       !memcmp(im->data + im->size - (sizeof signature - 1), signature,
		       sizeof signature - 1);
}

/* The kernel will verify the signature. */
static bool signed_for_kernel(const struct image *im, const char *path)
{
	if (has_signature(im) && signatures_enforced())
		return true;
	say("%s: members of group stapsys may load modules that root approved, and signed ones "
	    "where the kernel demands signatures",
	    path);
	return hint(has_signature(im) ? "as root: boot with module.sig_enforce=1"
				      : "sign it: see ustap(1), --sign-module");
}

bool module_file_read(struct image *im, const char *path, enum role role)
{
	bool limited = role == ROLE_USR || role == ROLE_SYS, ok;
	int fd = limited ? open_trusted(path, role == ROLE_SYS) : -1;

	memset(im, 0, sizeof *im);
	im->approved = fd >= 0;
	if (fd < 0 && role != ROLE_USR)
		fd = open_as_caller(path);
	if (fd < 0)
		return false;
	ok = read_all(im, fd, path);
	close(fd);
	return ok && (role != ROLE_SYS || im->approved || signed_for_kernel(im, path));
}

/* ----------------------------------------------------------------- checking */

struct span {
	size_t at, size;
};

static bool inside(const struct image *im, uint64_t at, uint64_t size)
{
	return at <= im->size && size <= im->size - at;
}

static bool elf_header(const struct image *im, Ehdr *eh)
{
	if (im->size < sizeof *eh)
		return false;
	memcpy(eh, im->data, sizeof *eh);
	return !memcmp(eh->e_ident, ELFMAG, SELFMAG) && eh->e_ident[EI_CLASS] == NATIVE_CLASS &&
	       eh->e_ident[EI_DATA] == NATIVE_DATA && eh->e_type == ET_REL;
}

static bool section_header(const struct image *im, const Ehdr *eh, unsigned i, Shdr *sh)
{
	if (i >= eh->e_shnum || eh->e_shentsize != sizeof *sh ||
	    !inside(im, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof *sh))
		return false;
	memcpy(sh, im->data + eh->e_shoff + i * sizeof *sh, sizeof *sh);
	return sh->sh_type == SHT_NOBITS || inside(im, sh->sh_offset, sh->sh_size);
}

/* True if section SH has this NAME in the string table NAMES. */
static bool section_named(const struct image *im, const Shdr *names, const Shdr *sh,
			  const char *name)
{
	size_t n = strlen(name) + 1;

	return sh->sh_name < names->sh_size && n <= names->sh_size - sh->sh_name &&
	       !memcmp(im->data + names->sh_offset + sh->sh_name, name, n);
}

/* False if the section is missing or the tables that lead to it are damaged. */
static bool find_section(const struct image *im, const char *name, struct span *out)
{
	Shdr names, sh;
	Ehdr eh;

	if (!elf_header(im, &eh) || !section_header(im, &eh, eh.e_shstrndx, &names) ||
	    names.sh_type != SHT_STRTAB)
		return false;
	for (unsigned i = 0; i < eh.e_shnum; i++) {
		if (!section_header(im, &eh, i, &sh))
			return false;
		if (sh.sh_type == SHT_NOBITS || !section_named(im, &names, &sh, name))
			continue;
		*out = (struct span){sh.sh_offset, sh.sh_size};
		return true;
	}
	return false;
}

/* The value of KEY in .modinfo, a sequence of NUL-terminated strings "key=value"; NULL if
 * missing. */
static const char *modinfo(const struct image *im, struct span info, const char *key)
{
	const char *p = (const char *)im->data + info.at, *end = p + info.size;
	size_t n = strlen(key);

	if (!info.size || end[-1])
		return NULL; /* the last string is not terminated: damaged */
	for (; p < end; p += strlen(p) + 1)
		if (!strncmp(p, key, n) && p[n] == '=')
			return p + n + 1;
	return NULL;
}

static bool name_valid(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");

	return n > 0 && n < NAME_SIZE && !name[n];
}

/* The kernel takes the name from struct module, whose layout differs between kernels: search for
 * the name from .modinfo, which must occur exactly once. */
static bool find_name(struct image *im, struct span info, struct span mod)
{
	const char *name = modinfo(im, info, "name");
	size_t n = name ? strlen(name) + 1 : 0;
	unsigned char *first, *rest;

	if (!name || !name_valid(name))
		return false;
	first = memmem(im->data + mod.at, mod.size, name, n);
	if (!first)
		return false;
	rest = first + n;
	if (memmem(rest, mod.at + mod.size - (size_t)(rest - im->data), name, n))
		return false;
	memcpy(im->name, name, n);
	im->name_at[0] = (size_t)((const unsigned char *)name - im->data);
	im->name_at[1] = (size_t)(first - im->data);
	return true;
}

static bool refuse(const char *path, const char *why)
{
	say("%s: %s", path, why);
	return hint("staprun loads only modules that ustap built; see: ustap -p4 SCRIPT");
}

static bool version_fits(const char *path, const char *version)
{
	char *end;
	long v;

	if (!version)
		return refuse(path, "this kernel module was not built by ustap");
	v = strtol(version, &end, 10);
	if (end == version || *end)
		return refuse(path, "damaged module: its format version is not a number");
	if (v == UST_WIRE_VERSION)
		return true;
	say("%s: built for wire format %ld, but this staprun reads format %d", path, v,
	    UST_WIRE_VERSION);
	return hint("use the staprun of the ustap that built it, or rebuild it");
}

bool module_file_check(struct image *im, const char *path)
{
	struct span info, mod;
	const char *vermagic;
	Ehdr eh;

	if (!elf_header(im, &eh))
		return refuse(path, "not a kernel module for this machine");
	if (!find_section(im, ".modinfo", &info))
		return refuse(path, "not a kernel module, or a damaged one: no .modinfo section");
	if (!version_fits(path, modinfo(im, info, UST_MODINFO_KEY)))
		return false;
	if (!find_section(im, ".gnu.linkonce.this_module", &mod) || !find_name(im, info, mod))
		return refuse(path, "damaged module: its name was not found");
	vermagic = modinfo(im, info, "vermagic");
	im->vermagic = vermagic ? vermagic : "";
	im->is_signed = has_signature(im);
	return true;
}

/* ----------------------------------------------------------------- renaming */

bool module_file_has_number(const struct image *im)
{
	size_t n = strlen(im->name);

	return n > NUMBER_DIGITS && !strncmp(im->name, UST_NAME_PREFIX, strlen(UST_NAME_PREFIX)) &&
	       im->name[n - NUMBER_DIGITS - 1] == '_' &&
	       strspn(im->name + n - NUMBER_DIGITS, "0123456789") == NUMBER_DIGITS;
}

void module_file_set_number(struct image *im, unsigned number)
{
	char digits[16];
	size_t at;

	if (im->is_signed || !module_file_has_number(im))
		return;
	snprintf(digits, sizeof digits, "%07u", number % 10000000);
	at = strlen(im->name) - NUMBER_DIGITS;
	memcpy(im->name + at, digits, NUMBER_DIGITS);
	for (int i = 0; i < 2; i++)
		memcpy(im->data + im->name_at[i] + at, digits, NUMBER_DIGITS);
}
