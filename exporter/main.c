/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * ustap-export: the process of staprun that serves metrics, writes them to a file, or posts OTLP.
 * It has no privileges, and no descriptors but the sockets to staprun, whose end it follows.
 */
#include "export.h"
#include "base/message.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PAGE_LIMIT = 64 << 20 };

void tell(enum ust_export kind, const char *fmt, ...)
{
	char text[UST_EXPORT_MAX] = {(char)kind};
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text + 1, sizeof text - 1, fmt, ap);
	va_end(ap);
	/* staprun that does not read must not block the server */
	if (send(UST_EXPORT_SOCKET, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
		return;
}

/* The contents of FD, which is closed; NULL: it cannot be read. */
static char *read_page(int fd, size_t *size)
{
	struct stat st;
	char *page = NULL;
	size_t n = 0;

	if (!fstat(fd, &st) && st.st_size >= 0 && st.st_size < PAGE_LIMIT) {
		page = xrealloc(NULL, (size_t)st.st_size + 1);
		for (ssize_t got = 1; got > 0 && n < (size_t)st.st_size; n += (size_t)got) {
			got = pread(fd, page + n, (size_t)st.st_size - n, (off_t)n);
			if (got < 0)
				break;
		}
	}
	close(fd);
	*size = n;
	return page;
}

/* A packet, without waiting: its kind, 0: none, -1: the socket is closed. FD: the descriptor in it,
 * -1: none. */
static int receive(int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	char kind = 0;
	struct iovec v = {&kind, 1};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t n = recvmsg(UST_EXPORT_SOCKET, &m, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = n > 0 ? CMSG_FIRSTHDR(&m) : NULL;

	*fd = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof *fd);
	return n > 0 ? kind : n < 0 ? 0 : -1;
}

bool receive_page(char **page, size_t *size)
{
	int kind, fd;

	*page = NULL;
	while ((kind = receive(&fd)) > 0) {
		if (kind != UST_EXPORT_PAGE || fd < 0)
			continue;
		free(*page);
		*page = read_page(fd, size);
	}
	return kind == 0;
}

int main(int argc, char **argv)
{
	const struct rlimit none = {0, 0}, few = {64, 64};

	if (argc != 3) {
		fputs("ustap-export: staprun starts this program\n", stderr);
		return EXIT_FAILURE;
	}
	setrlimit(RLIMIT_CORE, &none);
	setrlimit(RLIMIT_NOFILE, &few);
	if (!strcmp(argv[1], "otlp"))
		return post_frames(argv[2]);
	return strcmp(argv[1], "file") ? serve_pages(argv[2]) : write_pages(argv[2]);
}
