/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tracee.c, remote.c: a busy program with many threads is stopped and released repeatedly, and must
 * not notice. The program is a child of this one; it records anything that it notices in shared
 * memory.
 */
#include "inject/ptrace/ptrace.h"
#include "staprun_check.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

enum { BUSY = 64, ROUNDS = 200 };

/* Activity and observations of the target. */
static struct shared {
	_Atomic int ready, quit;
	_Atomic long naps, reads, polls, epolls, socks, futexes, births, busy, sums_wrong;
	_Atomic long eintr, early, wrong;
	_Atomic long usr1, usr1_value;
} * shared;

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static void nap_ms(long ms)
{
	struct timespec ts = {ms / 1000, ms % 1000 * 1000000};

	nanosleep(&ts, NULL);
}

/* -------------------------------------------------------------------- the target */

static void noticed(long result)
{
	if (result < 0 && errno == EINTR)
		shared->eintr++;
	else if (result < 0)
		shared->wrong++;
}

static void *napper(void *arg)
{
	struct timespec ts = {0, 3000000};

	(void)arg;
	while (!shared->quit) {
		double start = now();

		noticed(nanosleep(&ts, NULL));
		shared->early += now() - start < 0.00299;
		shared->naps++;
	}
	return NULL;
}

static int fds[2];

static void *reader(void *arg)
{
	char c, want = 0;

	(void)arg;
	while (!shared->quit) {
		ssize_t n = read(fds[0], &c, 1);

		noticed(n);
		shared->wrong += n == 1 && c != want++;
		shared->reads++;
	}
	return NULL;
}

static void *writer(void *arg)
{
	char c = 0;

	(void)arg;
	while (!shared->quit) {
		noticed(write(fds[1], &c, 1));
		c++;
		poll(NULL, 0, 1);
	}
	noticed(write(fds[1], &c, 1));
	return NULL;
}

static void *poller(void *arg)
{
	(void)arg;
	while (!shared->quit) {
		double start = now();

		noticed(poll(NULL, 0, 4));
		shared->early += now() - start < 0.00399;
		shared->polls++;
	}
	return NULL;
}

static void *epoller(void *arg)
{
	int ep = epoll_create1(0);
	struct epoll_event ev;

	(void)arg;
	while (!shared->quit) {
		sigset_t set;

		sigemptyset(&set);
		sigaddset(&set, SIGUSR1);
		noticed(epoll_wait(ep, &ev, 1, 4));
		noticed(epoll_pwait(ep, &ev, 1, 4, &set));
		shared->epolls++;
	}
	return NULL;
}

/* recv() with a time limit */
static void *receiver(void *arg)
{
	struct timeval tv = {0, 4000};
	int pair[2];
	char c;

	(void)arg;
	noticed(socketpair(AF_UNIX, SOCK_STREAM, 0, pair));
	setsockopt(pair[0], SOL_SOCKET, SO_RCVTIMEO, &tv, sizeof tv);
	while (!shared->quit) {
		ssize_t n = recv(pair[0], &c, 1, 0);

		shared->eintr += n < 0 && errno == EINTR;
		shared->wrong += n >= 0;
		shared->socks++;
	}
	return NULL;
}

static void *waiter(void *arg)
{
	static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
	static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;

	(void)arg;
	while (!shared->quit) {
		struct timespec ts;

		clock_gettime(CLOCK_REALTIME, &ts);
		ts.tv_nsec += 5000000;
		ts.tv_sec += ts.tv_nsec / 1000000000;
		ts.tv_nsec %= 1000000000;
		pthread_mutex_lock(&m);
		shared->wrong += pthread_cond_timedwait(&cond, &m, &ts) != ETIMEDOUT;
		pthread_mutex_unlock(&m);
		shared->futexes++;
	}
	return NULL;
}

static void *nothing(void *arg) { return arg; }

static void *bearer(void *arg)
{
	(void)arg;
	while (!shared->quit) {
		pthread_t th[3];

		for (int i = 0; i < 3; i++)
			shared->wrong += pthread_create(&th[i], NULL, nothing, NULL) != 0;
		for (int i = 0; i < 3; i++)
			pthread_join(th[i], NULL);
		shared->births++;
	}
	return NULL;
}

/* Registers, including SSE, must be preserved. */
static void *adder(void *arg)
{
	while (!shared->quit) {
		unsigned long sum = 0;
		double d = 0;

		for (unsigned i = 1; i <= 20000; i++) {
			sum += i;
			d += i;
			__asm__ volatile("" : "+r"(sum), "+x"(d));
		}
		shared->sums_wrong += sum != 200010000ul || d != 200010000.0;
		shared->busy++;
		if (arg)
			nap_ms(3);
	}
	return NULL;
}

/* The same, with pauses for other threads. */
static void *gentle_adder(void *arg)
{
	static int gentle;

	(void)arg;
	return adder(&gentle);
}

static void on_usr1(int sig, siginfo_t *si, void *context)
{
	(void)sig, (void)context;
	shared->usr1++;
	shared->usr1_value += si->si_value.sival_int;
}

static void start(void *(*fn)(void *), int n)
{
	pthread_attr_t attr;
	pthread_t th;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, 64 << 10);
	while (n--)
		if (pthread_create(&th, &attr, fn, NULL))
			_exit(9);
}

static void target_all(int busy)
{
	struct sigaction sa = {.sa_sigaction = on_usr1, .sa_flags = SA_SIGINFO | SA_RESTART};

	sigset_t set;

	/* delivered to the leader only: a handler does end its sleep */
	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigaction(SIGUSR1, &sa, NULL);
	sigprocmask(SIG_BLOCK, &set, NULL);
	if (pipe(fds))
		_exit(8);
	start(napper, 2);
	start(reader, 1);
	start(writer, 1);
	start(poller, 2);
	start(epoller, 2);
	start(receiver, 1);
	start(waiter, 2);
	start(bearer, 2);
	start(adder, 2);
	start(gentle_adder, busy - 2);
	sigprocmask(SIG_UNBLOCK, &set, NULL);
}

static void target_many(int busy)
{
	target_all(busy);
	shared->ready = 1;
	while (!shared->quit)
		nap_ms(5);
	nap_ms(50);
}

static void target_idle(int busy)
{
	start(adder, busy);
	shared->ready = 1;
	while (!shared->quit)
		nap_ms(5);
}

static pthread_t leader;

static void *rest_of_program(void *arg)
{
	(void)arg;
	pthread_join(leader, NULL);
	shared->ready = 1;
	while (!shared->quit)
		nap_ms(2);
	_exit(7);
}

/* The leader exits, the other threads continue. */
static void target_headless(int busy)
{
	(void)busy;
	leader = pthread_self();
	start(rest_of_program, 1);
	pthread_exit(NULL);
}

static void target_vfork(int ms)
{
	shared->ready = 1;
	if (vfork() == 0) {
		struct timespec ts = {ms / 1000, ms % 1000 * 1000000l};

		syscall(SYS_nanosleep, &ts, NULL);
		_exit(0);
	}
	while (!shared->quit)
		nap_ms(5);
}

/* A target that dies of an unexpected system call. */
static void target_strict(int mode)
{
	(void)mode;
	if (prctl(PR_SET_SECCOMP, 1))
		_exit(4);
	shared->ready = 1;
	while (!shared->quit)
		;
	syscall(SYS_exit, 3);
}

static void target_handler(int restart)
{
	struct sigaction sa = {.sa_sigaction = on_usr1,
			       .sa_flags = SA_SIGINFO | (restart ? SA_RESTART : 0)};
	struct epoll_event ev;
	int ep = epoll_create1(0);

	sigaction(SIGUSR1, &sa, NULL);
	shared->ready = 1;
	while (!shared->quit) {
		long seen = shared->usr1;

		/* a handler does end this call */
		noticed(epoll_wait(ep, &ev, 1, 20000));
		shared->epolls += shared->usr1 != seen;
	}
}

/* One thread, which makes injected calls wherever it is stopped. */
static void target_alone(int arg)
{
	struct timespec ts = {0, 3000000};
	int ep = epoll_create1(0), pair[2];
	struct epoll_event ev;
	sigset_t usr2;

	(void)arg;
	sigemptyset(&usr2);
	sigaddset(&usr2, SIGUSR2);
	sigprocmask(SIG_BLOCK, &usr2, NULL);
	noticed(pipe(pair));
	shared->ready = 1;
	while (!shared->quit) {
		double start = now();
		sigset_t mask;

		noticed(nanosleep(&ts, NULL));
		noticed(poll(NULL, 0, 3));
		noticed(ppoll(NULL, 0, &ts, &usr2));
		noticed(epoll_wait(ep, &ev, 1, 3));
		noticed(epoll_pwait(ep, &ev, 1, 3, &usr2));
		shared->wrong += sigtimedwait(&usr2, NULL, &ts) != -1 || errno != EAGAIN;
		noticed(clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL));
		shared->wrong += syscall(SYS_futex, &shared->ready, 0, 1, &ts, NULL, 0) != -1 ||
				 errno != ETIMEDOUT;
		shared->early += now() - start < 0.0239;
		shared->wrong += sigprocmask(SIG_BLOCK, NULL, &mask) ||
				 !sigismember(&mask, SIGUSR2) || sigismember(&mask, SIGUSR1);
		shared->naps++;
	}
}

static void *runner(void *arg)
{
	struct timespec ts = {0, 2000000};
	char *argv[] = {"/proc/self/exe", "again", arg, NULL};

	nanosleep(&ts, NULL);
	execv(argv[0], argv);
	return NULL;
}

/* A thread other than the leader executes this program again. */
static void target_exec(int left)
{
	static char number[12];
	pthread_t th;

	shared->births++;
	shared->ready = 1;
	if (!left || shared->quit)
		_exit(6);
	snprintf(number, sizeof number, "%d", left - 1);
	for (int i = 0; i < 4; i++)
		pthread_create(&th, NULL, adder, NULL);
	pthread_create(&th, NULL, runner, number);
	for (;;)
		pause();
}

static pid_t spawn(void (*fn)(int), int arg)
{
	pid_t pid;

	memset(shared, 0, sizeof *shared);
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fn(arg);
		_exit(0);
	}
	while (!shared->ready)
		nap_ms(1);
	nap_ms(20);
	return pid;
}

static int finish(pid_t pid)
{
	int status = -1;

	shared->quit = 1;
	waitpid(pid, &status, 0);
	return status;
}

/* ---------------------------------------------------------------------- the tests */

/* Duration of a stop: until the last thread is released, not until this process runs again. */
static void time_one(int busy)
{
	pid_t pid = spawn(target_idle, busy);
	double stop = 0, all = 0;
	struct tracee t;

	setpriority(PRIO_PROCESS, 0, -20);
	for (int i = 0; i < 20; i++) {
		double a = now(), b;

		if (tracee_stop(&t, pid))
			check(false, "time", "no stop");
		b = now();
		tracee_release(&t);
		stop += b - a;
		all += now() - a;
		nap_ms(2);
	}
	printf("# %d threads: stop %.3f ms, with release and our next turn %.3f ms\n", busy + 1,
	       stop * 50, all * 50);
	setpriority(PRIO_PROCESS, 0, 0);
	finish(pid);
}

static bool calls_work(struct tracee *t)
{
	long p = remote_syscall(t, SYS_mmap, 0, 8192, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char text[6] = "";
	bool ok;

	ok = remote_syscall(t, SYS_getpid, 0, 0, 0, 0, 0, 0) == t->pid && p > 0 &&
	     tracee_write(t, (uint64_t)p + 4093, "hello", 6) &&
	     tracee_read(t, (uint64_t)p + 4093, text, 6) && !strcmp(text, "hello");
	return ok && !remote_syscall(t, SYS_munmap, p, 8192, 0, 0, 0, 0) &&
	       remote_syscall(t, SYS_close, 12345, 0, 0, 0, 0, 0) == -EBADF;
}

static bool fd_arrives(struct tracee *t, pid_t pid)
{
	int p[2];
	char name[64], c = 0;
	long n;
	int fd;

	if (pipe(p))
		return false;
	n = remote_send_fd(t, p[1]);
	if (n < 0)
		return false;
	snprintf(name, sizeof name, "/proc/%d/fd/%ld", (int)pid, n);
	fd = open(name, O_WRONLY);
	n = remote_syscall(t, SYS_close, n, 0, 0, 0, 0, 0) | (write(fd, "x", 1) != 1) |
	    (read(p[0], &c, 1) != 1);
	close(fd);
	close(p[0]);
	close(p[1]);
	return n == 0 && c == 'x';
}

/* Signals arrive while it is stopped or about to stop; each is delivered once, with its value. */
static void test_many(void)
{
	pid_t pid = spawn(target_many, BUSY);
	long sent = 0, value = 0, bad = 0, calls = 0, sends = 0;
	struct shared s;
	struct tracee t;

	setpriority(PRIO_PROCESS, 0, -20); /* of this process, not the target's: else it waits for
					      its turn */
	for (int i = 0; i < ROUNDS; i++) {
		union sigval v = {.sival_int = i + 1};

		sent += !sigqueue(pid, SIGUSR1, v);
		value += i + 1;
		if (tracee_stop(&t, pid)) {
			bad++;
			continue;
		}
		bad += t.n < BUSY + 14;
		calls += !calls_work(&t);
		if (i % 10 == 0)
			sends += !fd_arrives(&t, pid);
		tracee_release(&t);
		while (shared->usr1 < sent) /* a second one would not be queued */
			nap_ms(1);
	}
	s = *shared;
	check(!bad, "stop: all threads", "some did not");
	check(!calls, "calls in a busy program", "wrong results");
	check(!sends, "descriptors arrive", "they do not");
	check(s.usr1 == sent && s.usr1_value == value, "signals arrive once", "lost or doubled");
	check(!s.eintr, "no call is interrupted", "EINTR");
	check(!s.early, "no nap is cut short", "early");
	check(!s.wrong, "calls go on as they would", "wrong results");
	check(!s.sums_wrong && s.busy > 0, "registers are kept", "wrong sums");
	check(s.naps && s.reads && s.polls && s.epolls && s.socks && s.futexes && s.births,
	      "all went on", "not all");
	printf("# eintr %ld early %ld wrong %ld usr1 %ld/%ld naps %ld reads %ld polls %ld epolls "
	       "%ld socks %ld futexes %ld births %ld\n",
	       s.eintr, s.early, s.wrong, s.usr1, sent, s.naps, s.reads, s.polls, s.epolls, s.socks,
	       s.futexes, s.births);
	setpriority(PRIO_PROCESS, 0, 0);
	check(finish(pid) == 0, "the program ends well", "it does not");
}

static void test_alone(void)
{
	pid_t pid = spawn(target_alone, 0);
	long bad = 0;
	struct tracee t;

	for (int i = 0; i < ROUNDS; i++) {
		bad += tracee_stop(&t, pid) || !calls_work(&t);
		tracee_release(&t);
		nap_ms(1 + i % 4);
	}
	check(!bad, "calls of a single thread", "wrong results");
	check(!shared->eintr && !shared->wrong && !shared->early && shared->naps > 5,
	      "its own calls go on", "they do not");
	printf("# eintr %ld wrong %ld early %ld rounds %ld\n", shared->eintr, shared->wrong,
	       shared->early, shared->naps);
	check(finish(pid) == 0, "alone, it ends well", "it does not");
}

/* A thread calls exec again and again while the process is stopped and released. */
static void test_exec(void)
{
	pid_t pid = spawn(target_exec, 40);
	long stops = 0, other = 0, tries = 0;
	siginfo_t si = {0};
	int status = -1;
	struct tracee t;

	while (!waitid(P_PID, (id_t)pid, &si, WEXITED | WNOHANG | WNOWAIT) && !si.si_pid) {
		int err = tracee_stop(&t, pid);

		tries++;
		stops += !err;
		other += err && err != ESRCH;
		if (!err)
			tracee_release(&t);
		nap_ms(1);
	}
	/* tracee_stop() may have received its end, because this process is both its parent and its
	 * tracer */
	if (waitpid(pid, &status, 0) != pid)
		status = 6 << 8;
	printf("# %ld of %ld stops, %ld errors, %ld programs, status %x\n", stops, tries, other,
	       (long)shared->births, (unsigned)status);
	check(stops > 0 && WIFEXITED(status) && WEXITSTATUS(status) == 6 && shared->births == 41,
	      "stopped while it execs", "not all programs ran");
}

static void test_headless(void)
{
	pid_t pid = spawn(target_headless, 0);
	struct maps m;
	struct tracee t;
	int err = tracee_stop(&t, pid);

	check(!err && remote_syscall(&t, SYS_gettid, 0, 0, 0, 0, 0, 0) != pid && calls_work(&t),
	      "a leader that has ended", "no calls");
	check(maps_read(&m, pid) && maps_named(&m, "[vdso]"), "maps without the leader", "none");
	maps_free(&m);
	check(!err && fd_arrives(&t, t.caller->tid), "descriptors without the leader",
	      "they do not arrive");
	if (!err)
		tracee_release(&t);
	check(WEXITSTATUS(finish(pid)) == 7, "its exit status", "wrong");
}

static void test_stopped(void)
{
	pid_t pid = spawn(target_idle, 2);
	struct tracee t;
	int status;
	bool ok = true;

	kill(pid, SIGSTOP);
	waitpid(pid, &status, WUNTRACED);
	for (int i = 0; i < 10; i++) {
		ok = ok && !tracee_stop(&t, pid) && calls_work(&t);
		tracee_release(&t);
	}
	nap_ms(20);
	long before = shared->busy;
	nap_ms(50);
	check(ok && shared->busy == before, "a stopped program stays stopped", "it does not");
	kill(pid, SIGCONT);
	for (int i = 0; i < 5000 && shared->busy == before; i++)
		nap_ms(2);
	check(shared->busy > before, "and goes on when told", "it does not");
	/* SIGSTOP during an injected call is not lost */
	ok = !tracee_stop(&t, pid) && calls_work(&t);
	kill(pid, SIGSTOP);
	ok = ok && calls_work(&t);
	tracee_release(&t);
	check(ok && waitpid(pid, &status, WUNTRACED) == pid && WIFSTOPPED(status),
	      "SIGSTOP meanwhile", "lost");
	kill(pid, SIGCONT);
	check(finish(pid) == 0, "then it ends well", "it does not");
}

static void test_killed(void)
{
	pid_t pid = spawn(target_idle, 8);
	struct tracee t;
	int err = tracee_stop(&t, pid), status = 0;

	if (!err)
		calls_work(&t);
	kill(pid, SIGKILL);
	check(!err && remote_syscall(&t, SYS_getpid, 0, 0, 0, 0, 0, 0) == -ESRCH,
	      "killed while stopped", "not seen");
	tracee_release(&t);
	for (int i = 0; i < 100 && tracee_release_late(); i++)
		nap_ms(1);
	check(!tracee_release_late(), "no thread is kept", "some are");
	waitpid(pid, &status, WNOHANG);
	check(kill(pid, 0) < 0 || waitpid(pid, &status, 0) != pid || WIFSIGNALED(status),
	      "and it is gone", "it is not");
	check(tracee_stop(&t, pid) == ESRCH, "then there is no process", "there is");
}

static void test_vfork(void)
{
	pid_t pid = spawn(target_vfork, 300);
	struct tracee t;
	int err = tracee_stop(&t, pid);

	check(!err && calls_work(&t), "a short vfork is waited for", "it is not");
	tracee_release(&t);
	check(finish(pid) == 0, "and goes on", "it does not");

	pid = spawn(target_vfork, 3000);
	check(tracee_stop(&t, pid) == ETIMEDOUT && tracee_release_late() == 1,
	      "a long vfork is not", "wrong error");
	for (int i = 0; i < 300 && tracee_release_late(); i++)
		nap_ms(10);
	check(!tracee_release_late() && finish(pid) == 0, "and is let go in the end", "it is not");
}

static void test_strict(void)
{
	pid_t pid = spawn(target_strict, 1);
	struct tracee t;
	int err = tracee_stop(&t, pid);
	long result = err ? -err : remote_syscall(&t, SYS_getpid, 0, 0, 0, 0, 0, 0);

	check(result == pid || result == -EACCES, "a seccomp sandbox is suspended or respected",
	      strerror((int)-result));
	printf("# under seccomp: %ld\n", result);
	tracee_release(&t);
	err = finish(pid);
	check(WIFEXITED(err) && WEXITSTATUS(err) == 3, "and not hurt", "killed");
}

/* Wait until process PID, which has one thread, is in epoll_wait(), or has ended. */
static void wait_polling(pid_t pid)
{
	char path[64], line[128];
	long call = -1;

	snprintf(path, sizeof path, "/proc/%d/syscall", (int)pid);
	while (call != SYS_epoll_wait && call != SYS_epoll_pwait) {
		FILE *f = fopen(path, "r");

		if (!f || !fgets(line, sizeof line, f))
			call = SYS_epoll_wait;
		else
			call = strtol(line, NULL, 10);
		if (f)
			fclose(f);
		nap_ms(1);
	}
}

static void test_handler(void)
{
	pid_t pid = spawn(target_handler, 0);
	struct tracee t;

	for (int i = 0; i < 50; i++) {
		bool after = i % 2;

		/* a signal before the call would not end it */
		wait_polling(pid);
		if (after)
			kill(pid, SIGUSR1);
		if (tracee_stop(&t, pid))
			break;
		if (!after)
			kill(pid, SIGUSR1);
		if (i % 3)
			calls_work(&t);
		tracee_release(&t);
		while (shared->epolls <= i)
			nap_ms(1);
	}
	check(shared->epolls == 50, "a handler still ends epoll_wait()", "it does not");
	shared->quit = 1;
	kill(pid, SIGUSR1);
	check(finish(pid) == 0, "after that it ends well", "it does not");
}

/* Shared memory that is still there after exec, as descriptor SHARED_FD. */
enum { SHARED_FD = 100 };

static void share(bool again)
{
	if (!again) {
		int fd = memfd_create("test_tracee", 0);

		if (ftruncate(fd, sizeof *shared) || dup2(fd, SHARED_FD) < 0)
			exit(1);
		close(fd);
	}
	shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, SHARED_FD, 0);
}

int main(int argc, char **argv)
{
	share(argc > 2);
	if (argc > 2)
		target_exec(atoi(argv[2]));
	setvbuf(stdout, NULL, _IOLBF, 0);
	test_many();
	test_alone();
	test_exec();
	test_handler();
	test_headless();
	test_stopped();
	test_killed();
	test_strict();
	test_vfork();
	time_one(0);
	time_one(3);
	time_one(64);
	return failed != 0;
}
