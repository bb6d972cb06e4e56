/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Replacement of open(2) in this program, also for calls by libdw and libelf.
 *
 * libdw opens files that a traced program names: .gnu_debuglink, .gnu_debugaltlink, DW_AT_dwo_name.
 * The author of that program can put a FIFO or a device there, and open(2) of a FIFO waits for a
 * writer. This definition takes precedence over that of the C library, so that such a file is
 * refused whichever library opens it, as is an ELF file that is larger than it looks
 * (elf_limits.c): libdw would inflate it before it could be checked.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "dwarf.h"

/* open(2) of the whole program, also as open64(): files whose open could wait or that cannot be
 * what elfutils looks for are refused with EINVAL, as debug information names any path. Creating
 * files is passed on. */
int open(const char *path, int flags, ...);
int open64(const char *path, int flags, ...);

static int refusing;

/* libdw looks for the shared file again where libdwfl has not found it, and takes any, whatever its
 * build-id is. */
Dwarf *dwarf_shared_part(Dwarf *dw)
{
	Dwarf *alt;

	refusing = 1;
	alt = dwarf_getalt(dw);
	refusing = 0;
	return alt;
}

/* Is it open(2) of a file's contents, so that it can wait? */
static int can_wait(int flags)
{
	return !(flags & (O_CREAT | O_PATH | O_DIRECTORY | O_NONBLOCK | O_TMPFILE)) &&
	       (flags & O_ACCMODE) == O_RDONLY;
}

/* Files that a traced program may name are regular; the devices are those that libraries read. */
static int may_open(const char *path)
{
	static const char *const devices[] = {"/dev/null", "/dev/zero", "/dev/urandom",
					      "/dev/random", "/dev/tty"};
	struct stat st;

	if (stat(path, &st) || S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 1;
	for (size_t i = 0; i < sizeof devices / sizeof *devices; i++)
		if (!strcmp(path, devices[i]))
			return 1;
	return 0;
}

/* The FIFO may come after may_open(), so the file is opened without waiting as well. */
static int open_checked(const char *path, int flags)
{
	int fd;

	if (refusing || !may_open(path)) {
		errno = EINVAL;
		return -1;
	}
	fd = (int)syscall(SYS_openat, AT_FDCWD, path, flags | O_NONBLOCK | O_NOCTTY, 0);
	if (fd >= 0 && elf_implausible(fd)) {
		close(fd);
		errno = EINVAL;
		return -1;
	}
	if (fd >= 0)
		fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
	return fd;
}

int open(const char *path, int flags, ...)
{
	mode_t mode = 0;
	va_list ap;

	if (can_wait(flags))
		return open_checked(path, flags);
	va_start(ap, flags);
	if (flags & (O_CREAT | __O_TMPFILE))
		mode = va_arg(ap, mode_t);
	va_end(ap);
	return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int open64(const char *path, int flags, ...) __attribute__((alias("open")));
