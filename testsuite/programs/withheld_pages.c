/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages that never arrive.
 *
 * withheld_pages served DIRECTORY FILE COMMAND...: COMMAND runs while DIRECTORY is a FUSE file
 * system of user 1000 that has FILE, but answers no READ; it has 20 seconds.
 *
 * withheld_pages fuse|userfaultfd|memory: mark() gets the address of a page of a file whose FUSE
 * server answers no READ, or of a page that userfaultfd is to provide and does not; or of pages
 * that have not been touched: zeros, and a file in memory.
 *
 * The server speaks the protocol of linux/fuse.h itself.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>
#include <linux/fuse.h>
#include <linux/userfaultfd.h>

enum { PAGE = 4096, FILE_NODE = 2 };

static unsigned long file_size = PAGE;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* ------------------------------------------------------------------ the server */

static void answer(int fd, const struct fuse_in_header *in, int error, const void *data,
		   size_t size)
{
	char out[sizeof(struct fuse_out_header) + 512];
	struct fuse_out_header head = {
		.len = (unsigned)(sizeof head + size), .error = error, .unique = in->unique};

	memcpy(out, &head, sizeof head);
	memcpy(out + sizeof head, data, size);
	if (write(fd, out, head.len) < 0 && errno != ENOENT)
		die("answer");
}

static struct fuse_attr attributes(unsigned long node)
{
	return (struct fuse_attr){.ino = node,
				  .size = file_size,
				  .blocks = 8,
				  .nlink = 1,
				  .blksize = PAGE,
				  .mode = node == FILE_NODE ? S_IFREG | 0755 : S_IFDIR | 0755};
}

static void serve_one(int fd, const struct fuse_in_header *in)
{
	const struct fuse_init_in *init = (const void *)(in + 1);
	struct fuse_init_out is = {.major = FUSE_KERNEL_VERSION, .max_write = PAGE};
	struct fuse_entry_out entry = {.nodeid = FILE_NODE, .entry_valid = 100, .attr_valid = 100};
	struct fuse_attr_out attr = {.attr_valid = 100};
	struct fuse_open_out opened = {.fh = 1};

	switch (in->opcode) {
	case FUSE_INIT:
		is.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor
								   : FUSE_KERNEL_MINOR_VERSION;
		answer(fd, in, 0, &is, sizeof is);
		break;
	case FUSE_LOOKUP:
		entry.attr = attributes(FILE_NODE);
		answer(fd, in, 0, &entry, sizeof entry);
		break;
	case FUSE_GETATTR:
		attr.attr = attributes(in->nodeid);
		answer(fd, in, 0, &attr, sizeof attr);
		break;
	case FUSE_OPEN:
		answer(fd, in, 0, &opened, sizeof opened);
		break;
	case FUSE_READ:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		answer(fd, in, -ENOSYS, NULL, 0);
	}
}

static void serve(int fd)
{
	static _Alignas(8) char request[1 << 20];

	for (;;) {
		ssize_t n = read(fd, request, sizeof request);

		if (n < 0 && errno != EINTR && errno != ENOENT)
			_exit(0);
		if (n > 0)
			serve_one(fd, (const void *)request);
	}
}

/* --------------------------------------------------------------------- the pages */

/* Mount a file system of user UID at DIRECTORY; its server's process. */
static pid_t start_server(const char *directory, int uid)
{
	int fd = open("/dev/fuse", O_RDWR);
	char options[128];
	pid_t server;

	if (fd < 0)
		die("/dev/fuse");
	snprintf(options, sizeof options, "fd=%d,rootmode=40000,user_id=%d,group_id=%d,allow_other",
		 fd, uid, uid);
	if (mount("withheld", directory, "fuse", 0, options))
		die("mount");
	server = fork();
	if (!server)
		serve(fd);
	close(fd);
	return server;
}

/* Requests that wait for the server fail when it has ended. */
static void stop_server(pid_t server, const char *directory)
{
	umount2(directory, MNT_DETACH);
	kill(server, SIGKILL);
	waitpid(server, NULL, 0);
}

static char *fuse_page(pid_t *server)
{
	char *page;
	int file;

	mkdir("/tmp/withheld", 0755);
	*server = start_server("/tmp/withheld", 0);
	file = open("/tmp/withheld/file", O_RDONLY);
	page = file < 0 ? MAP_FAILED : mmap(NULL, PAGE, PROT_READ, MAP_SHARED, file, 0);
	return page == MAP_FAILED ? (die("file"), NULL) : page;
}

static char *new_page(int fd)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE,
			  fd < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED, fd, 0);

	return page == MAP_FAILED ? (die("mmap"), NULL) : page;
}

static char *userfaultfd_page(void)
{
	int fd = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	char *page = new_page(-1);
	struct uffdio_api api = {.api = UFFD_API};
	struct uffdio_register area = {.range = {(unsigned long)page, PAGE},
				       .mode = UFFDIO_REGISTER_MODE_MISSING};

	if (fd < 0 || ioctl(fd, UFFDIO_API, &api) || ioctl(fd, UFFDIO_REGISTER, &area))
		die("userfaultfd");
	return page;
}

static char *memory_file(void)
{
	int fd = memfd_create("text", 0);

	if (write(fd, "text", 5) != 5 || ftruncate(fd, PAGE))
		die("memfd");
	return new_page(fd);
}

static void __attribute__((noipa)) mark(const char *page) { __asm__ volatile("" : : "r"(page)); }

static void wait_seconds(pid_t pid, int seconds)
{
	for (int i = 0; i < 10 * seconds; i++) {
		if (waitpid(pid, NULL, WNOHANG))
			return;
		usleep(100000);
	}
	puts("the command waits for the server");
}

static int run_served(char **argv)
{
	char path[512];
	struct stat st;
	pid_t server, command;

	snprintf(path, sizeof path, "%s/%s", argv[0], argv[1]);
	if (stat(path, &st))
		die(path);
	file_size = (unsigned long)st.st_size;
	server = start_server(argv[0], 1000);
	command = fork();
	if (!command) {
		execvp(argv[2], argv + 2);
		die(argv[2]);
	}
	wait_seconds(command, 20);
	stop_server(server, argv[0]);
	return 0;
}

int main(int argc, char **argv)
{
	const char *kind = argc > 1 ? argv[1] : "";
	pid_t server = 0;

	if (argc > 4 && !strcmp(kind, "served"))
		return run_served(argv + 2);
	if (!strcmp(kind, "fuse")) {
		mark(fuse_page(&server));
	} else if (!strcmp(kind, "userfaultfd")) {
		mark(userfaultfd_page());
	} else {
		mark(new_page(-1));
		mark(memory_file());
	}
	if (server)
		stop_server(server, "/tmp/withheld");
	return 0;
}
