/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * launch.c: programs of all types are followed from exec to their entry point. A library of the
 * program has a function that returns 1 and is patched to return 42 when it is mapped: its IFUNC
 * resolver, its constructor and the program must all see 42. Programs are compiled here; without a
 * compiler nothing is tested.
 */
#include "inject/elf/elf.h"
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>

static char dir[] = "/tmp/test_launch.XXXXXX";

static const char library[] =
	"int __attribute__((noinline)) marker(void) { __asm__ volatile(\"\"); return 1; }\n"
	"int seen_early, seen_ifunc;\n"
	"#ifdef IFUNC\n"
	"static int chosen(void) { return 7; }\n"
	"static int (*resolve(void))(void) { seen_ifunc = marker(); return chosen; }\n"
	"int indirect(void) __attribute__((ifunc(\"resolve\")));\n"
	"#else\n"
	"int indirect(void) { seen_ifunc = marker(); return 7; }\n"
	"#endif\n"
	"static void __attribute__((constructor)) init(void) { seen_early = marker(); }\n";

static const char program[] =
	"#include <stdio.h>\n#include <stdlib.h>\n"
	"extern int marker(void), indirect(void), seen_early, seen_ifunc;\n"
	"int main(int argc, char **argv) {\n"
	"	indirect();\n"
	"	if (getenv(\"SHOW\")) printf(\"%d %d %d %d\\n\", argc, marker(), seen_early, "
	"seen_ifunc);\n"
	"	return marker() == 42 && seen_early == 42 && seen_ifunc == 42 ? 42 : 1; }\n";

/* Signals itself, forks and starts threads in a constructor; the children must not hit the tracer's
 * breakpoint. */
static const char busy_library[] =
	"#include <signal.h>\n#include <unistd.h>\n#include <sys/wait.h>\n#include <pthread.h>\n"
	"static volatile int got, ran;\n"
	"static void on(int s) { got += s; }\n"
	"static void *run(void *p) { ran = 1; return p; }\n"
	"int busy_ok(void) { return got == SIGUSR2 && ran; }\n"
	"static void __attribute__((constructor)) init(void) {\n"
	"	pthread_t th; int status = -1;\n"
	"	signal(SIGUSR2, on); raise(SIGUSR2);\n"
	"	pthread_create(&th, 0, run, 0); pthread_join(th, 0);\n"
	"	if (fork() == 0) _exit(3);\n"
	"	wait(&status); if (WEXITSTATUS(status) != 3) _exit(9);\n"
	"}\n";
static const char busy_program[] =
	"int busy_ok(void); int main(void) { return busy_ok() ? 43 : 1; }\n";

static const char thread_program[] =
	"#include <pthread.h>\n#include <unistd.h>\n"
	"static char **args;\n"
	"static void *run(void *p) { (void)p; read(0, &p, 1); execv(args[1], args + 1); return p; "
	"}\n"
	"static void *idle(void *p) { for (;;) sleep(1); return p; }\n"
	"int main(int argc, char **argv) { pthread_t th; args = argv; (void)argc;\n"
	"	pthread_create(&th, 0, idle, 0); pthread_create(&th, 0, run, 0); pthread_join(th, "
	"0); return 2; }\n";

/* --------------------------------------------------------------------- making them */

static void write_text(const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof path, "%s/%s", dir, name);
	f = fopen(path, "w");
	fputs(text, f);
	fclose(f);
}

static bool run(const char *command)
{
	char line[1024];

	snprintf(line, sizeof line, "cd %s && { %s; } >/dev/null 2>&1", dir, command);
	return system(line) == 0;
}

/* ------------------------------------------------------------------------ following */

/* Observations of one launch. */
static struct seen {
	int prepared, mapped, patched;
	char path[256]; /* of the file with the function */
	bool at_start;  /* nothing had run at prepare */
	bool calls;     /* and calls work then */
	uint64_t entry_pc, entry;
} seen;

/* marker() of the file SEEN.path, wherever it is mapped. */
static bool patch_marker(struct tracee *t)
{
	static const uint8_t code[] = {0xb8, 42, 0, 0, 0, 0xc3};
	struct elf_file *f = elffile_open(seen.path, NULL);
	uint64_t addr = f ? elffile_function(f, "marker") : 0, offset = 0;
	struct maps m = {0};
	bool ok = addr && elffile_offset_of_addr(f, addr, &offset) && maps_read(&m, t->pid),
	     found = false;

	for (size_t i = 0; ok && i < m.n; i++) {
		const struct mapping *map = &m.v[i];

		if (!map->exec || !elffile_same(f, map->dev_major, map->dev_minor, map->inode) ||
		    offset - map->offset >= map->end - map->start)
			continue;
		found = tracee_write(t, map->start + (offset - map->offset), code, sizeof code);
		seen.patched++;
	}
	maps_free(&m);
	elffile_close(f);
	return found;
}

static bool on_prepare(void *arg, struct tracee *t)
{
	struct maps m;

	(void)arg;
	seen.prepared++;
	seen.at_start = t->n == 1 && maps_read(&m, t->pid) && !maps_named(&m, "[heap]");
	maps_free(&m);
	seen.calls = remote_syscall(t, SYS_getpid, 0, 0, 0, 0, 0, 0) == t->pid;
	patch_marker(t);
	return true;
}

static bool on_mapped(void *arg, struct tracee *t)
{
	(void)arg;
	seen.mapped++;
	seen.calls = seen.calls && remote_syscall(t, SYS_getppid, 0, 0, 0, 0, 0, 0) > 0;
	if (!seen.patched)
		patch_marker(t);
	return true;
}

static bool no(void *arg, struct tracee *t)
{
	(void)arg, (void)t;
	return false;
}

/* A child that executes ARGV when signalled by the descriptor. */
static pid_t start(char *const *argv, int *go, bool silent)
{
	int fds[2];
	pid_t pid;

	if (pipe(fds) || (pid = fork()) < 0)
		exit(1);
	if (pid == 0) {
		char c;

		close(fds[1]);
		chdir(dir);
		setenv("LD_LIBRARY_PATH", dir, 1);
		if (silent)
			dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
		if (read(fds[0], &c, 1) == 1) {
			execv("/no/such/program", argv);
			execv(argv[0], argv);
		}
		_exit(127);
	}
	close(fds[0]);
	*go = fds[1];
	return pid;
}

static int follow(struct tracee *t, pid_t pid)
{
	int err, execs = 0;

	do
		err = launch_follow(t, pid, on_prepare, on_mapped, NULL);
	while (err == ERESTART && ++execs < 10);
	if (!err) {
		seen.entry_pc = tracee_pc(t, 0);
		seen.entry = auxv_value(pid, AT_ENTRY);
	}
	return err;
}

static int finish(struct tracee *t, pid_t pid, int go)
{
	int status = -1;

	tracee_release(t);
	close(go);
	waitpid(pid, &status, 0);
	return status;
}

static void test_kind(const char *name, const char *compile, const char *exe, const char *lib,
		      int want)
{
	char path[256], what[300];
	char *argv[] = {path, "a", "b", NULL};
	struct timespec a, b;
	struct tracee t;
	int go, err, status;
	pid_t pid;

	if (compile && !run(compile)) {
		printf("# %s: cannot be compiled here\n", name);
		return;
	}
	snprintf(path, sizeof path, "%s/%s", dir, exe);
	seen = (struct seen){0};
	snprintf(seen.path, sizeof seen.path, "%s/%s", dir, lib);
	pid = start(argv, &go, false);
	err = launch_seize(pid);
	clock_gettime(CLOCK_MONOTONIC, &a);
	if (write(go, "g", 1) != 1 || err)
		printf("# %s: %s\n", name, strerror(err));
	err = follow(&t, pid);
	clock_gettime(CLOCK_MONOTONIC, &b);
	printf("# %s: %s, prepared %d mapped %d patched %d, %.2f ms\n", name,
	       err ? strerror(err) : "there", seen.prepared, seen.mapped, seen.patched,
	       (double)(b.tv_sec - a.tv_sec) * 1e3 + (double)(b.tv_nsec - a.tv_nsec) / 1e6);
	snprintf(what, sizeof what, "%s: followed", name);
	check(!err && seen.prepared == 1 && seen.at_start, what, strerror(err));
	snprintf(what, sizeof what, "%s: stands at its entry", name);
	check(!err && seen.entry && seen.entry_pc == seen.entry, what, "elsewhere");
	snprintf(what, sizeof what, "%s: calls on the way", name);
	check(seen.calls, what, "wrong");
	status = finish(&t, pid, go);
	snprintf(what, sizeof what, "%s: sees all patched", name);
	check(WIFEXITED(status) && WEXITSTATUS(status) == want, what,
	      WIFSIGNALED(status) ? "killed" : "wrong exit status");
}

static void test_kinds(void)
{
	test_kind("PIE",
		  "gcc -O1 -fPIC -shared -DIFUNC -o lib1.so lib.c && gcc -O1 -fPIE -pie -o p1 "
		  "prog.c ./lib1.so",
		  "p1", "lib1.so", 42);
	test_kind("bound now", "gcc -O1 -Wl,-z,now -o p2 prog.c ./lib1.so", "p2", "lib1.so", 42);
	test_kind("not PIE", "gcc -O1 -no-pie -o p3 prog.c ./lib1.so", "p3", "lib1.so", 42);
	test_kind("static", "gcc -O1 -static -DIFUNC -o p4 prog.c lib.c", "p4", "p4", 42);
	test_kind("static PIE", "gcc -O1 -static-pie -fPIE -DIFUNC -o p5 prog.c lib.c", "p5", "p5",
		  42);
	test_kind("musl",
		  "musl-gcc -O1 -fPIC -shared -o lib6.so lib.c && musl-gcc -O1 -o p6 prog.c "
		  "./lib6.so",
		  "p6", "lib6.so", 42);
	test_kind("static musl", "musl-gcc -O1 -static -o p7 prog.c lib.c", "p7", "p7", 42);
	write_text("script", "#!./p1\nthis is not read\n");
	test_kind("script", "chmod +x script", "script", "lib1.so", 42);
	test_kind(
		"busy constructor",
		"gcc -O1 -fPIC -shared -pthread -o lib8.so busylib.c && gcc -o p8 busy.c ./lib8.so",
		"p8", "lib8.so", 43);
}

/* A thread other than the leader calls exec: it takes the leader's id. */
static void test_thread(void)
{
	char threads[256], path[256];
	char *argv[] = {threads, path, NULL};
	int go, status, in[2];
	struct tracee t;
	pid_t pid;

	if (!run("gcc -pthread -o pt thread.c") || pipe(in))
		return;
	snprintf(threads, sizeof threads, "%s/pt", dir);
	snprintf(path, sizeof path, "%s/p1", dir);
	seen = (struct seen){0};
	snprintf(seen.path, sizeof seen.path, "%s/lib1.so", dir);
	fflush(stdout);
	int old = dup(0);
	dup2(in[0], 0);
	pid = start(argv, &go, false);
	dup2(old, 0);
	if (write(go, "g", 1) != 1)
		return;
	for (int i = 0; i < 300 && proc_status(pid, "Threads", 10) != 3; i++)
		usleep(10000);
	check(!launch_seize(pid) && !launch_poll(pid), "a program with threads is seized", "not");
	kill(pid, SIGCONT); /* signals meanwhile are passed on */
	if (write(in[1], "g", 1) != 1)
		return;
	check(!follow(&t, pid) && t.n == 1, "its other thread execs", "not followed");
	status = finish(&t, pid, go);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 42, "that sees all patched",
	      "wrong exit status");
}

static void test_failures(void)
{
	char *none[] = {"/no/such", NULL},
	     *shell[] = {"/bin/sh", "-c", "exec /bin/sh -c 'exit 5'", NULL};
	char *sleeper[] = {"/bin/sleep", "30", NULL};
	struct tracee t;
	int go, err, status;
	pid_t pid = start(none, &go, true);

	check(!launch_seize(pid) && launch_poll(pid) == 0, "not yet", "gone");
	check(write(go, "g", 1) == 1 && launch_follow(&t, pid, no, no, NULL) == ESRCH, "exec fails",
	      "followed");
	close(go);
	waitpid(pid, &status, 0);

	pid = start(none, &go, true);
	err = launch_seize(pid);
	check(!err && launch_follow(&t, pid, no, no, NULL) == EAGAIN &&
		      !proc_status(pid, "TracerPid", 10),
	      "no exec comes", "wrong");
	close(go);
	check(waitpid(pid, &status, 0) == pid && WIFEXITED(status) && WEXITSTATUS(status) == 127,
	      "it goes on", "not");

	seen = (struct seen){0};
	pid = start(shell, &go, true);
	err = launch_seize(pid);
	check(!err && write(go, "g", 1) == 1 && !follow(&t, pid), "a shell", "not followed");
	status = finish(&t, pid, go);
	check(WIFEXITED(status) && WEXITSTATUS(status) == 5, "its later exec is not ours",
	      "wrong exit status");

	pid = start(sleeper, &go, true);
	err = launch_seize(pid);
	check(!err && write(go, "g", 1) == 1 && launch_follow(&t, pid, no, no, NULL) == ECANCELED &&
		      !proc_status(pid, "TracerPid", 10),
	      "prepare says no", "wrong");
	kill(pid, SIGTERM);
	check(finish(&t, pid, go) == SIGTERM, "and it is let go", "not");

	pid = start(sleeper, &go, true);
	err = launch_seize(pid);
	check(!err && write(go, "g", 1) == 1 && !follow(&t, pid), "a sleeper", "not followed");
	kill(pid, SIGKILL);
	tracee_release(&t); /* reaps it, as we are its parent, too */
	close(go);
	waitpid(pid, &status, 0);
	check(kill(pid, 0) < 0, "killed at its entry", "not");
	check(launch_seize(pid) == ESRCH && launch_poll(pid) == -1, "no process", "wrong");
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (!mkdtemp(dir) || !run("gcc --version")) {
		printf("# no compiler: nothing is tested\n");
		return 0;
	}
	write_text("lib.c", library);
	write_text("prog.c", program);
	write_text("busylib.c", busy_library);
	write_text("busy.c", busy_program);
	write_text("thread.c", thread_program);
	test_kinds();
	test_thread();
	test_failures();
	run("rm -rf \"$PWD\"");
	return failed != 0;
}
