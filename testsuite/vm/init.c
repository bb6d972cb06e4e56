/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Process 1 of the test guest; see run.  Static, so that it needs nothing of
 * the guest's file system before that is mounted.
 *
 * It loads the modules that the initrd names, then waits on the virtio port
 * "job" for one line "SHARE JOB UNIXTIME": the host saves the machine in that
 * state, so that later boots begin here.  It then mounts the host's root
 * read-only under a throw-away overlay, the share read-write at its host path,
 * runs JOB/cmd with bash, and leaves the exit status in JOB/status.
 */
#define _GNU_SOURCE
#include <dirent.h>
#include <stdbool.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#define NEWROOT "/new"
#define P9_OPTS "trans=virtio,version=9p2000.L,msize=512000,"

/* QEMU's isa-debug-exit device: ends the machine at once. */
static void power_off(void)
{
	if (!ioperm(0xf4, 4, 1))
		outl(0, 0xf4);
	reboot(RB_AUTOBOOT);
	for (;;)
		pause();
}

static void fatal(const char *fmt, ...)
{
	int err = errno;
	int fd = open("/dev/console", O_WRONLY);
	va_list ap;

	va_start(ap, fmt);
	dprintf(fd, "guest init: ");
	vdprintf(fd, fmt, ap);
	dprintf(fd, ": %s\n", strerror(err));
	va_end(ap);
	power_off();
}

static void mount_or_die(const char *src, const char *dir, const char *type, unsigned long flags,
			 const char *opts)
{
	if (mkdir(dir, 0755) && errno != EEXIST)
		fatal("mkdir %s", dir);
	if (mount(src, dir, type, flags, opts))
		fatal("mount %s on %s", src, dir);
}

static void load_module(const char *name)
{
	char path[256];
	int fd;

	snprintf(path, sizeof path, "/modules/%s", name);
	fd = open(path, O_RDONLY);
	if (fd < 0 || (syscall(SYS_finit_module, fd, "", 0) && errno != EEXIST))
		fatal("module %s", name);
	close(fd);
}

static void load_modules(void)
{
	FILE *order = fopen("/modules/order", "r");
	char line[128];

	if (!order)
		fatal("/modules/order");
	while (fgets(line, sizeof line, order)) {
		line[strcspn(line, "\n")] = 0;
		load_module(line);
	}
	fclose(order);
}

static bool port_has_name(const char *dev, const char *name)
{
	char path[300], got[64] = "";
	int fd;

	snprintf(path, sizeof path, "/sys/class/virtio-ports/%s/name", dev);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return false;
	if (read(fd, got, sizeof got - 1) < 0)
		got[0] = 0;
	close(fd);
	got[strcspn(got, "\n")] = 0;
	return !strcmp(got, name);
}

static int try_open_port(const char *name, int mode)
{
	DIR *dir = opendir("/sys/class/virtio-ports");
	struct dirent *e;
	char path[300];
	int fd = -1;

	while (dir && fd < 0 && (e = readdir(dir))) {
		if (e->d_name[0] == '.' || !port_has_name(e->d_name, name))
			continue;
		snprintf(path, sizeof path, "/dev/%s", e->d_name);
		fd = open(path, mode);
	}
	if (dir)
		closedir(dir);
	return fd;
}

/* The ports appear some milliseconds after their driver is loaded. */
static int open_port(const char *name, int mode)
{
	for (int i = 0; i < 500; i++) {
		int fd = try_open_port(name, mode);
		if (fd >= 0)
			return fd;
		usleep(2000);
	}
	fatal("virtio port %s", name);
	return -1;
}

static void read_job(char *line, size_t size)
{
	int fd = open_port("job", O_RDWR);
	size_t n = 0;

	if (write(fd, "ready\n", 6) != 6)
		fatal("port job");
	while (n < size - 1) {
		ssize_t r = read(fd, line + n, 1);
		if (r <= 0) {   /* no peer yet: the host may be restoring a saved machine */
			usleep(1000);
			continue;
		}
		if (line[n++] == '\n')
			break;
	}
	line[n] = 0;
	close(fd);
}

static void mount_root(void)
{
	mount_or_die("hostroot", "/lower", "9p", MS_RDONLY, P9_OPTS "cache=loose");
	mount_or_die("rw", "/rw", "tmpfs", 0, "mode=755");
	if (mkdir("/rw/upper", 0755) || mkdir("/rw/work", 0755))
		fatal("mkdir in /rw");
	mount_or_die("root", NEWROOT, "overlay", 0,
		     "lowerdir=/lower,upperdir=/rw/upper,workdir=/rw/work");
}

/* mkdir -p below the new root */
static void make_dirs(const char *path)
{
	char buf[2048];

	snprintf(buf, sizeof buf, NEWROOT "%s", path);
	for (char *p = buf + sizeof NEWROOT; (p = strchr(p, '/')); *p++ = '/') {
		*p = 0;
		mkdir(buf, 0755);
	}
	mkdir(buf, 0755);
}

static void enter_root(const char *share)
{
	static const char *const move[] = {"/proc", "/sys", "/dev"};
	char path[2048];

	make_dirs(share);
	snprintf(path, sizeof path, NEWROOT "%s", share);
	/* a cache of 7.2 has zeros in a file that is read while it is written */
	mount_or_die("share", path, "9p", 0, P9_OPTS "cache=none");
	for (size_t i = 0; i < sizeof move / sizeof move[0]; i++) {
		snprintf(path, sizeof path, NEWROOT "%s", move[i]);
		mount_or_die(move[i], path, NULL, MS_MOVE, NULL);
	}
	if (chdir(NEWROOT) || chroot(".") || chdir("/"))
		fatal("chroot");
}

static void mount_rest(void)
{
	static const char *const links[][2] = {{"/proc/self/fd", "/dev/fd"},
					       {"/proc/self/fd/0", "/dev/stdin"},
					       {"/proc/self/fd/1", "/dev/stdout"},
					       {"/proc/self/fd/2", "/dev/stderr"}};

	mount_or_die("run", "/run", "tmpfs", 0, "mode=755");
	mount_or_die("pts", "/dev/pts", "devpts", 0, "gid=5,mode=620,ptmxmode=666");
	mount_or_die("shm", "/dev/shm", "tmpfs", 0, NULL);
	mount("debugfs", "/sys/kernel/debug", "debugfs", 0, NULL);
	mount("tracefs", "/sys/kernel/tracing", "tracefs", 0, NULL);
	for (size_t i = 0; i < sizeof links / sizeof links[0]; i++)
		if (symlink(links[i][0], links[i][1]) && errno != EEXIST)
			fatal("symlink %s", links[i][1]);
}

static void loopback_up(void)
{
	int s = socket(AF_INET, SOCK_DGRAM, 0);
	struct ifreq req;

	memset(&req, 0, sizeof req);
	strcpy(req.ifr_name, "lo");
	req.ifr_flags = IFF_UP | IFF_RUNNING;
	if (s >= 0)
		ioctl(s, SIOCSIFFLAGS, &req);
	close(s);
}

static void child(const char *job, int out, int err)
{
	int in = open("stdin", O_RDONLY);

	setsid();
	if (in < 0)
		in = open("/dev/null", O_RDONLY);
	dup2(in, 0);
	dup2(out, 1);
	dup2(err, 2);
	for (int fd = 3; fd < 64; fd++)
		close(fd);
	clearenv();
	setenv("HOME", "/root", 1);
	setenv("USER", "root", 1);
	setenv("LANG", "C.UTF-8", 1);
	setenv("TERM", "dumb", 1);
	setenv("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", 1);
	setenv("USTAP_VM", job, 1);
	execl("/bin/bash", "bash", "./cmd", (char *)NULL);
	_exit(127);
}

/* Runs the command and reaps orphans until it ends. */
static int run_command(const char *job, int out, int err)
{
	pid_t pid = fork(), got;
	int status = 0;

	if (pid == 0)
		child(job, out, err);
	do
		got = wait(&status);
	while (got != pid && (got > 0 || errno == EINTR));
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void save_kernel_log(void)
{
	int in = open("/dev/kmsg", O_RDONLY | O_NONBLOCK);
	int out = open("dmesg", O_WRONLY | O_CREAT | O_TRUNC, 0644);
	char rec[8192];
	ssize_t n;

	while ((n = read(in, rec, sizeof rec)) > 0 || (n < 0 && errno == EPIPE))
		if (n > 0 && write(out, rec, n) != n)
			break;
	close(in);
	close(out);
}

static void save_status(int status)
{
	int fd = open("status", O_WRONLY | O_CREAT | O_TRUNC, 0644);

	dprintf(fd, "%d\n", status);
	fsync(fd);
	close(fd);
}

int main(void)
{
	char line[2048], share[1024], job[1024];
	struct timeval now = {0, 0};
	int out, err, status;

	mount_or_die("proc", "/proc", "proc", 0, NULL);
	mount_or_die("dev", "/dev", "devtmpfs", 0, NULL);
	mount_or_die("sys", "/sys", "sysfs", 0, NULL);
	load_modules();
	read_job(line, sizeof line);
	if (sscanf(line, "%1023s %1023s %ld", share, job, &now.tv_sec) != 3)
		fatal("job line \"%s\"", line);
	settimeofday(&now, NULL);
	out = open_port("out", O_WRONLY);
	err = open_port("err", O_WRONLY);
	mount_root();
	enter_root(share);
	mount_rest();
	loopback_up();
	sethostname("guest", 5);
	if (chdir(job))
		fatal("chdir %s", job);
	status = run_command(job, out, err);
	save_kernel_log();
	fsync(out);
	fsync(err);
	close(out);
	close(err);
	save_status(status);
	power_off();
}
