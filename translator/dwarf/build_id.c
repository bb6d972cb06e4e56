/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Identity of the files that the translator opens: elfid.h reads them through their descriptors. */
#include <sys/stat.h>
#include <unistd.h>

#include "dwarf.h"
#include "elfid.h"
#include "base/trust.h"

static int read_fd(void *arg, void *to, __u32 n, __u64 at)
{
	return pread(*(int *)arg, to, n, (off_t)at) == (ssize_t)n;
}

/* FILL's text of the file FD, in the arena. */
static const char *text_of(int fd, void (*fill)(const struct elfid_file *, char *))
{
	unsigned char buffer[ELFID_BUFFER];
	char text[ELFID_TEXT];
	struct stat st;

	if (fstat(fd, &st))
		return "";
	fill(&(struct elfid_file){(__u64)st.st_size, read_fd, &fd, buffer}, text);
	return xstrdup(text);
}

const char *fd_build_id(int fd) { return text_of(fd, elfid_build_id); }

const char *module_identity(struct module *m)
{
	if (!m->identity)
		m->identity = text_of(m->fd, elfid_text);
	return m->identity;
}

const char *file_build_id(const char *path)
{
	int fd = open_regular(path);
	const char *id = fd < 0 ? "" : fd_build_id(fd);

	if (fd >= 0)
		close(fd);
	return *id ? id : NULL;
}
