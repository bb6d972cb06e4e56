/* SPDX-License-Identifier: GPL-2.0-or-later */
/* system() of scripts: commands that nobody waits for, with the rights of staprun's caller. */
#include "staprun.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* The child of a child is nobody's whom staprun would have to wait for. */
static void become(const char *line)
{
	pid_t child = fork();

	if (child)
		_exit(child < 0 ? errno : 0);
	signals_restore();
	if (privilege_drop())
		execl("/bin/sh", "sh", "-c", line, (char *)NULL);
	_exit(EXIT_NOT_FOUND);
}

void command_in_background(const char *line)
{
	pid_t child = fork();
	int status = 0, err = child < 0 ? errno : 0;

	if (!child)
		become(line);
	while (!err && waitpid(child, &status, 0) < 0)
		err = errno == EINTR ? 0 : errno;
	if (!err && WIFEXITED(status))
		err = WEXITSTATUS(status);
	if (err)
		warning("system(\"%s\"): %s", line, strerror(err));
}
