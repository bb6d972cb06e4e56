/* late_library [sandbox]: prints "ready"; after a byte it loads the library of the mathematical
 * functions and prints "loaded"; after another one it calls cbrt() five times. `sandbox': with a
 * filter that would end it for a system call that it does not make. */
#include <dlfcn.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

static int told(const char *text)
{
	char byte;

	puts(text);
	fflush(stdout);
	return read(0, &byte, 1) == 1;
}

static int confine(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_process_vm_readv, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = {sizeof code / sizeof *code, code};

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

int main(int argc, char **argv)
{
	double (*cube_root)(double), sum = 0;
	void *lib;

	(void)argv;
	if ((argc > 1 && confine()) || !told("ready"))
		return 1;
	lib = dlopen("libm.so.6", RTLD_NOW);
	cube_root = lib ? (double (*)(double))dlsym(lib, "cbrt") : NULL;
	if (!cube_root || !told("loaded"))
		return 2;
	for (int i = 0; i < 5; i++)
		sum += cube_root(8);
	puts(sum == 10 ? "right" : "wrong");
	return 0;
}
