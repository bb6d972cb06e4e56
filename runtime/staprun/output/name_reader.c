/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Symbol reader process: reads symbol tables of programs whose frames appear in stacks.
 *
 * These files are untrusted, and the C++ library demangles their names. So this process has no
 * privileges, no files except those that it receives, few system calls (confine_reader()), and
 * limits of time and memory. staprun masks control characters in its answers.
 */
#include <stddef.h>
#include <stdbool.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include "elfid.h"
#include "inject/elf/elf.h"
#include "inject/patch/patched_file.h"
#include "inject/script/script_channel.h"
#include "base/message.h"
#include "output/output.h"

enum { MAX_CPU_SECONDS = 20, MAX_SYMBOL = 4096 };
static const rlim_t MAX_MEMORY = 2ull << 30;

typedef char *demangler(const char *, char *, size_t *, int *);

struct name_reader {
	struct elf_file *files[NAME_FILES];
	demangler *demangle;
};

/* -------------------------------------------------------------------- names */

/* Cut the suffix "::h0123456789abcdef" of Rust symbols. */
static void cut_hash(char *name)
{
	enum { DIGITS = 16 };
	size_t n = strlen(name);

	if (n > DIGITS + 3 && !strncmp(name + n - DIGITS - 3, "::h", 3) &&
	    strspn(name + n - DIGITS, "0123456789abcdef") == DIGITS)
		name[n - DIGITS - 3] = 0;
}

static void put_name(const struct name_reader *r, const char *symbol, bool raw, char *to)
{
	size_t n = strnlen(symbol, MAX_SYMBOL);
	bool mangled = !raw && r->demangle && n < MAX_SYMBOL && !strncmp(symbol, "_Z", 2);
	char *name = mangled ? r->demangle(symbol, NULL, NULL, NULL) : NULL;

	if (name)
		cut_hash(name);
	symbol = name ? name : symbol;
	n = strnlen(symbol, NAME_MAX - 1);
	memcpy(to, symbol, n);
	to[n] = 0;
	free(name);
}

/* ----------------------------------------------------------------- requests */

static bool add_file(struct name_reader *r, const struct name_request *q, int fd)
{
	struct elf_file *f = elffile_open_at(fd, NULL);
	char build_id[ELFID_TEXT];

	if (!f)
		return false;
	elffile_build_id(f, build_id);
	if (!*build_id || strncmp(build_id, q->build_id, sizeof q->build_id)) {
		elffile_close(f);
		return false;
	}
	elffile_close(r->files[q->file]);
	r->files[q->file] = f;
	return true;
}

static bool look_up(const struct name_reader *r, const struct name_request *q,
		    struct name_answer *a)
{
	const struct elf_file *f = r->files[q->file];
	const char *symbol = f ? elffile_symbol_at(f, q->addr, &a->start, &a->size) : NULL;

	if (symbol)
		put_name(r, symbol, q->raw, a->name);
	return symbol;
}

/* Returns false when staprun has ended. */
static bool receive(int socket, struct name_request *q, int *fd)
{
	union {
		struct cmsghdr head;
		char room[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec v = {q, sizeof *q};
	struct msghdr m = {.msg_iov = &v,
			   .msg_iovlen = 1,
			   .msg_control = &control,
			   .msg_controllen = sizeof control};
	ssize_t n = recvmsg(socket, &m, MSG_CMSG_CLOEXEC);
	struct cmsghdr *c = CMSG_FIRSTHDR(&m);

	*fd = -1;
	if (c && c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_RIGHTS)
		memcpy(fd, CMSG_DATA(c), sizeof *fd);
	return n == sizeof *q && q->file < NAME_FILES;
}

static void answer(struct name_reader *r, int socket, const struct name_request *q, int fd)
{
	struct name_answer a = {0};

	a.found = fd >= 0 ? add_file(r, q, fd) : look_up(r, q, &a);
	if (send(socket, &a, sizeof a, MSG_NOSIGNAL) != sizeof a)
		_exit(0);
}

static void limit(void)
{
	setrlimit(RLIMIT_CPU, &(struct rlimit){MAX_CPU_SECONDS, MAX_CPU_SECONDS});
	setrlimit(RLIMIT_AS, &(struct rlimit){MAX_MEMORY, MAX_MEMORY});
}

/*
 * Load the C++ library at the first request: most scripts send none. Afterwards no file can be
 * opened.
 */
static bool prepare(struct name_reader *r, int socket, int file)
{
	void *lib = dlopen("libstdc++.so.6", RTLD_NOW | RTLD_LOCAL);

	r->demangle = lib ? (demangler *)dlsym(lib, "__cxa_demangle") : NULL;
	limit();
	return confine_reader(socket, file);
}

void name_reader_main(int socket)
{
	struct name_reader *r = xrealloc(NULL, sizeof *r);
	struct name_request q;
	bool ready = false;
	int fd;

	memset(r, 0, sizeof *r);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* a copy would keep staprun's files and its module in use after it closed them */
	if (!close_others(&socket, 1))
		_exit(1);
	while (receive(socket, &q, &fd)) {
		if (!ready && !prepare(r, socket, fd))
			break;
		ready = true;
		answer(r, socket, &q, fd);
	}
	_exit(0);
}
