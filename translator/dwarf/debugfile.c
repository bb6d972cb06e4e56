/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Diagnostics on separate files of debug information. libdwfl finds these files (build-id
 * directories, .gnu_debuglink, .debug, debuginfod); the messages here are about files that do not
 * match, are missing or cannot be read. The file that dwz shares between others is also found here.
 */
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dwarf.h"
#include "base/trust.h"

/* ----------------------------------------------------------- files that do not fit */

/* Say that PATH, which is there, was not taken for the program PROG with the build-id ID; false if
 * it is not there. */
static bool say_mismatch(const char *prog, const char *id, const char *path)
{
	const char *other = access(path, R_OK) ? NULL : file_build_id(path);

	if (access(path, R_OK))
		return false;
	if (other && !strcmp(other, id))
		return false; /* that is what was found, or it cannot be read for another reason */
	diag_warn(W_DEBUG_FILE, (struct loc){0},
		  "%s is not the debug information of %s and is ignored", path, prog);
	if (!*id)
		diag_hint("its checksum differs from the one in %s", prog);
	else
		diag_hint("its build-id is %s, that of the program is %s",
			  other ? other : "missing", id);
	return true;
}

void warn_unfit_debugfile(const struct module *m, const char *link)
{
	const char *slash = strrchr(m->path, '/'), *id = m->build_id;
	int dir = slash ? (int)(slash - m->path) : 0;

	if (strlen(id) > 2 &&
	    say_mismatch(m->path, id,
			 xprintf("/usr/lib/debug/.build-id/%.2s/%s.debug", id, id + 2)))
		return;
	if (!link)
		return;
	if (!say_mismatch(m->path, id, xprintf("%.*s/%s", dir, m->path, link)) &&
	    !say_mismatch(m->path, id, xprintf("%.*s/.debug/%s", dir, m->path, link)))
		say_mismatch(m->path, id, xprintf("/usr/lib/debug%.*s/%s", dir, m->path, link));
}

/* -------------------------------------------------------------- what is missing */

static bool has_build_id(Dwarf *dw, const void *id, ssize_t size)
{
	const void *own;

	return dwelf_elf_gnu_build_id(dwarf_getelf(dw), &own) == size &&
	       !memcmp(own, id, (size_t)size);
}

/* Take the file NAME for what dwz shares, if its build-id is ID.  libdwfl does not look for
 * absolute names, as Debian's packages have them. */
static bool take_shared(struct module *m, const char *name, const void *id, ssize_t size)
{
	int fd = *name == '/' ? open(name, O_RDONLY | O_CLOEXEC) : -1;
	Dwarf *shared = fd < 0 ? NULL : dwarf_begin(fd, DWARF_C_READ);

	if (shared && has_build_id(shared, id, size)) {
		dwarf_setalt(m->dw, shared);
		m->shared = shared;
		m->shared_fd = fd;
		return true;
	}
	dwarf_end(shared);
	if (fd >= 0)
		close(fd);
	return false;
}

void find_shared_part(struct module *m)
{
	const char *name;
	const void *id;
	ssize_t size = dwelf_dwarf_gnu_debugaltlink(m->dw, &name, &id);

	if (dwarf_shared_part(m->dw) || size <= 0 || take_shared(m, name, id, size))
		return;
	diag_warn(W_DEBUG_FILE, (struct loc){0}, "part of the debug information of %s is missing",
		  m->path);
	diag_hint("dwz moved it to %s, which is missing, damaged or of another build", name);
}

void warn_split_missing(struct module *m, const char *name, const char *package)
{
	if (m->split_missing)
		return;
	m->split_missing = true;
	diag_warn(W_DEBUG_FILE, (struct loc){0}, "debug information of %s is missing", m->path);
	diag_hint("-gsplit-dwarf moved it to %s, which is missing or of another build%s", name,
		  package ? xprintf("; %s does not have it either", package) : "");
}

const char *unreadable_dwarf(const struct module *m)
{
	size_t strings;

	if (elf_getshdrstrndx(m->elf, &strings) != 0)
		return NULL;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(m->elf, scn));) {
		GElf_Shdr sh;
		GElf_Chdr ch;
		const char *name = gelf_getshdr(scn, &sh) ? elf_strptr(m->elf, strings, sh.sh_name)
							  : NULL;

		if (!name || strcmp(name, ".debug_info") || !(sh.sh_flags & SHF_COMPRESSED) ||
		    !gelf_getchdr(scn, &ch))
			continue;
		return xprintf("its debug information is compressed with %s, which this elfutils "
			       "cannot read: "
			       "`objcopy --decompress-debug-sections %s`",
			       ch.ch_type == ELFCOMPRESS_ZLIB ? "zlib but damaged"
			       : ch.ch_type == 2              ? "zstd"
							      : "an unknown method",
			       m->path);
	}
	return NULL;
}
