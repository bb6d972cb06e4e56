/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Symbol addresses for kernel probes. In many kernels a lookup by name searches all symbols, so the
 * module of a script with many of them receives all symbols at once. The module looks up the
 * remaining ones in the kernel, one by one. */
#include "base/message.h"
#include "session/session_ops.h"
#include "wire.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Send the whole lines of the text after the command; returns the length of the remainder, which is
 * moved to the start. */
static size_t give_lines(const struct session *s, char *order, size_t len)
{
	char *text = order + sizeof(struct ust_cmd), *end = len ? memrchr(text, '\n', len) : NULL;
	size_t whole = end ? end + 1 - text : 0;

	if (!whole || pwrite(s->ctl, order, sizeof(struct ust_cmd) + whole, 0) < 0)
		return UST_SET_MAX;
	memmove(text, text + whole, len - whole);
	return len - whole;
}

void kallsyms_send(const struct session *s)
{
	struct ust_status st;
	char *order;
	size_t len = 0;
	ssize_t n;
	int fd;

	if (s->kind != &session_kernel || !session_status(s, &st) || !st.symbols)
		return;
	order = xrealloc(NULL, sizeof(struct ust_cmd) + UST_SET_MAX);
	fd = open("/proc/kallsyms", O_RDONLY | O_CLOEXEC);
	*(struct ust_cmd *)order = (struct ust_cmd){.op = UST_CMD_SYMBOLS};
	while (fd >= 0 && len < UST_SET_MAX &&
	       (n = read(fd, order + sizeof(struct ust_cmd) + len, UST_SET_MAX - len)) > 0)
		len = give_lines(s, order, len + n);
	if (fd >= 0)
		close(fd);
	free(order);
}
