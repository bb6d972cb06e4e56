/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * subreaper COMMAND...: runs COMMAND, and creates the file `remaining' if descendants of it still
 * run when it has ended.  Orphans become children of a subreaper, so one system call finds them;
 * to search the environment of all processes takes a machine as long as a small test.  The exit
 * status is that of COMMAND, as a shell gives it.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	int status = 0;
	pid_t pid, ended;

	if (argc < 2 || prctl(PR_SET_CHILD_SUBREAPER, 1)) {
		perror("subreaper");
		return 125;
	}
	pid = fork();
	if (!pid) {
		execvp(argv[1], argv + 1);
		perror(argv[1]);
		_exit(127);
	}
	do
		ended = wait(&status);
	while (ended != pid && (ended > 0 || errno == EINTR));
	while ((ended = waitpid(-1, NULL, WNOHANG)) > 0)
		;
	if (!ended)
		close(open("remaining", O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
