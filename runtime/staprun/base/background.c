/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * system() of scripts: commands that staprun does not wait for, with the privileges of its caller.
 * If a traced process may have written the command and staprun runs as root, the command runs as
 * the owner of the traced processes or as user "nobody".
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "base/signal.h"

#include <stdbool.h>
#include <sys/types.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* Leave the terminal, so that the command cannot insert input into its queue. */
static bool leave(const struct runner *as)
{
	int null = open("/dev/null", O_RDONLY);

	return null >= 0 && dup2(null, STDIN_FILENO) >= 0 && (!null || !close(null)) &&
	       setsid() >= 0 && privilege_leave(as->uid, as->gid);
}

/* Run LINE in a grandchild, so that staprun does not have to wait for it. */
static void become(const char *line, const struct runner *as)
{
	pid_t child = fork();

	if (child)
		_exit(child < 0 ? errno : 0);
	signals_restore();
	if (privilege_drop() && (!as->other || leave(as)))
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(EXIT_NOT_FOUND);
}

void command_in_background(const char *line, const struct runner *as)
{
	pid_t child = fork();
	int status = 0, err = child < 0 ? errno : 0;

	if (!child)
		become(line, as);
	while (!err && waitpid(child, &status, 0) < 0)
		err = errno == EINTR ? 0 : errno;
	if (!err && WIFEXITED(status))
		err = WEXITSTATUS(status);
	if (err)
		warning("system(\"%s\"): %s", line, strerror(err));
}
