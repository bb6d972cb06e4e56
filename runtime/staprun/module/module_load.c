/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inserting and removing modules, with a diagnosis of failures: the reason, and the command that
 * helps.
 */
#include "base/message.h"
#include "module/kernel_module.h"
#include "wire.h"

#include <stdbool.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

/* capability.h of the kernel */
enum { CAP_SYS_MODULE_BIT = 16 };

enum { UNLOAD_TRIES = 500, UNLOAD_PAUSE_MS = 10 };

/* ------------------------------------------------------- why it did not load */

static bool have_capability(void)
{
	FILE *f = fopen("/proc/self/status", "re");
	unsigned long long caps = ~0ull;
	char line[256];

	while (f && fgets(line, sizeof line, f))
		if (sscanf(line, "CapEff: %llx", &caps) == 1)
			break;
	if (f)
		fclose(f);
	return caps >> CAP_SYS_MODULE_BIT & 1;
}

static void explain_signature(void)
{
	hint("sign it with a key that the kernel trusts: ustap --sign-module=KEY,CERT");
	hint("enroll the certificate first: mokutil --import CERT, then restart");
	hint("or turn Secure Boot off: mokutil --disable-validation, then restart");
}

static void explain_permission(void)
{
	char line[16];

	kernel_setting("/proc/sys/kernel/modules_disabled", line, sizeof line);
	if (!have_capability()) {
		hint("this process may not load modules (CAP_SYS_MODULE), as in most containers;");
		hint("run it on the host, or in a privileged container");
	} else if (line[0] == '1') {
		hint("module loading is disabled until the next reboot (sysctl "
		     "kernel.modules_disabled)");
	} else if (lockdown_active()) {
		hint("the kernel is locked down (/sys/kernel/security/lockdown) and accepts only "
		     "signed modules");
		explain_signature();
	} else {
		hint("a security policy of this machine forbids it; see: dmesg, ausearch -m avc");
	}
}

static void explain_exists(const struct image *im)
{
	hint("module %s is already loaded; read it with: staprun -A %s", im->name, im->name);
	hint("or remove it with: staprun -d %s", im->name);
}

static void explain_kernel(void)
{
	struct utsname u;

	if (!uname(&u))
		hint("rebuild it for this kernel: ustap -p4 -r %s SCRIPT", u.release);
}

static void explain(const struct image *im, int err)
{
	switch (err) {
	case EPERM:
		explain_permission();
		break;
	case EKEYREJECTED:
	case ENOKEY:
	case EBADMSG:
	case ENOPKG:
		hint("the kernel accepts only modules signed with a key it trusts");
		explain_signature();
		break;
	case ENOEXEC:
	case ENOENT:
	case EINVAL:
		explain_kernel();
		break;
	case ENOSYS:
		hint("this kernel was built without modules (CONFIG_MODULES)");
		hint("boot a kernel with modules, or trace in a virtual machine");
		break;
	case EEXIST:
		explain_exists(im);
		break;
	case ENOMEM:
		hint("not enough memory for the buffers; set a smaller size with -s");
		break;
	}
}

static const char *reason(int err)
{
	switch (err) {
	case ENOEXEC:
		return "the kernel does not accept its format";
	case ENOENT:
		return "it needs a symbol that this kernel does not have";
	case ENOSYS:
		return "the kernel has no support for modules";
	case EEXIST:
		return "a module of that name is already loaded";
	}
	return strerror(err);
}

/* Print the kernel's log messages about module NAME since LOG was opened. */
static void quote_log(int log, const char *name)
{
	char rec[8192];
	ssize_t n;

	while (log >= 0 &&
	       ((n = read(log, rec, sizeof rec - 1)) > 0 || (n < 0 && errno == EPIPE))) {
		char *text;

		if (n < 0)
			continue;
		rec[n] = 0;
		text = strchr(rec, ';');
		if (!text || !strstr(text, name))
			continue;
		text[strcspn(text, "\n")] = 0;
		hint("kernel log: %s", text + 1);
	}
}

static int open_log(void)
{
	int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);

	if (fd >= 0)
		lseek(fd, 0, SEEK_END);
	return fd;
}

bool vermagic_fits(const struct image *im, const char *path)
{
	size_t n = strcspn(im->vermagic, " ");
	struct utsname u;

	if (!n || uname(&u) || (strlen(u.release) == n && !memcmp(u.release, im->vermagic, n)))
		return true;
	say("%s: built for kernel %.*s, but this is %s", path, (int)n, im->vermagic, u.release);
	explain_kernel();
	return false;
}

/* ---------------------------------------------------------- insert and remove */

static int init_module(struct image *im, const char *params)
{
	return syscall(SYS_init_module, im->data, (unsigned long)im->size, params) ? errno : 0;
}

/* Numbers above any process id, for use if the own id is taken (pid namespaces). */
static unsigned other_number(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return 5000000 + (unsigned)ts.tv_nsec % 5000000;
}

bool module_load(struct image *im, unsigned buffer_mb)
{
	char params[64] = "";
	int err, log = open_log();

	if (buffer_mb)
		snprintf(params, sizeof params, UST_PARAM_BUFFER "=%u", buffer_mb);
	module_file_set_number(im, (unsigned)getpid());
	err = init_module(im, params);
	for (int i = 0; err == EEXIST && module_file_has_number(im) && !im->is_signed && i < 10;
	     i++) {
		module_file_set_number(im, other_number());
		err = init_module(im, params);
	}
	if (err) {
		say("cannot load module %s: %s", im->name, reason(err));
		quote_log(log, im->name);
		explain(im, err);
	}
	if (log >= 0)
		close(log);
	return !err;
}

int module_delete(const char *name)
{
	int err = 0;

	for (int i = 0; i < UNLOAD_TRIES; i++) {
		err = syscall(SYS_delete_module, name, O_NONBLOCK) ? errno : 0;
		if (err != EAGAIN && err != EBUSY && err != EINTR)
			break;
		poll(NULL, 0, UNLOAD_PAUSE_MS);
	}
	return err == ENOENT ? 0 : err;
}

bool module_unload(const char *name)
{
	int err = module_delete(name);

	if (!err) {
		note("module %s unloaded", name);
		return true;
	}
	say("cannot unload module %s: %s", name, strerror(err));
	return hint("try again when it is no longer in use: staprun -d %s", name);
}
