/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The command line: accepted options, and errors about others. */
#include <getopt.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "cli/options.h"
#include "passes.h"

static int failed;

static void check(bool ok, const char *name, const char *why)
{
	if (ok)
		printf("ok %s\n", name);
	else
		printf("not ok %s: %s\n", name, why);
	failed += !ok;
}

/* Parse LINE, words by single spaces; *ERR is what was written to standard error. */
static enum options_result parse(struct session *s, const char *line, const char **err)
{
	char *words = xstrdup(line), **argv = xalloc(32 * sizeof *argv), *text = xalloc(4096);
	int argc = 0, saved = dup(2);
	FILE *f = tmpfile();
	enum options_result r;

	arch_set_target(arch_host()->name); /* as at the start of ustap */
	argv[argc++] = "ustap";
	for (char *w = strtok(words, " "); w; w = strtok(NULL, " "))
		argv[argc++] = w;
	*s = (struct session){0};
	optind = 0;
	dup2(fileno(f), 2);
	r = options_parse(s, argc, argv);
	dup2(saved, 2);
	close(saved);
	rewind(f);
	text[fread(text, 1, 4095, f)] = 0;
	fclose(f);
	*err = text;
	return r;
}

/* ------------------------------------------------------- right ones */

static void test_right(void)
{
	struct session s;
	const char *err;

	parse(&s, "t.stp one -x 12 two -- -3", &err);
	check(!*err && !strcmp(s.opt.script_file, "t.stp") && s.opt.pids.v[0] == 12 &&
		      s.opt.argc == 3 && !strcmp(s.opt.argv[1], "two") &&
		      !strcmp(s.opt.argv[2], "-3"),
	      "options after the script", err);
	parse(&s, "-e probe -e more x y", &err);
	check(!*err && s.opt.exprs.n == 2 && !s.opt.script_file && s.opt.argc == 2,
	      "-e leaves all words to the script", err);
	parse(&s, "-DMAXACTION=7 -D MAXSTRINGLEN=0x40 -", &err);
	check(!*err && s.lim.maxaction == 7 && s.lim.maxstringlen == 64 &&
		      s.lim.maxmapentries == 2048,
	      "limits and their defaults", err);
	parse(&s,
	      "-p4 -k -g -m mod -r 6.1 -o out -T 5 -s 8 -c true --children --runtime=kernel t.stp",
	      &err);
	check(!*err && s.opt.stop_after == 4 && s.opt.keep && s.opt.guru &&
		      !strcmp(s.opt.module_name, "mod") && s.opt.seconds == 5 &&
		      s.opt.buffer_mb == 8 && s.opt.children && s.opt.runtime == RT_KERNEL,
	      "every kind of option", err);
	parse(&s, "-x 7 --runtime=user -x 8 t.stp", &err);
	check(!*err && s.opt.pids.n == 2 && s.opt.pids.v[1] == 8 && s.opt.runtime == RT_USER,
	      "several -x", err);
	parse(&s, "-e a -E b -E c x", &err);
	check(!*err && s.opt.exprs.n == 1 && s.opt.extras.n == 2 && s.opt.argc == 1,
	      "-E adds to the script", err);
	parse(&s, "--vp 102 --vp=01 t.stp", &err);
	check(!*err && s.opt.pass_verbose[0] == 1 && s.opt.pass_verbose[1] == 1 &&
		      s.opt.pass_verbose[2] == 2,
	      "--vp adds up", err);
	parse(&s, "--dyninst t.stp", &err);
	check(!*err && s.opt.runtime == RT_USER, "dyninst's place is the user runtime's", err);
	parse(&s, "--unprivileged t.stp", &err);
	check(!*err && s.opt.runtime == RT_USER && !strcmp(s.opt.privilege, "stapusr"),
	      "unprivileged", err);
	parse(&s, "--privilege=stapdev -g t.stp", &err);
	check(!*err && s.opt.runtime == RT_AUTO, "stapdev may do all", err);
	parse(&s, "-g --suppress-time-limits --suppress-handler-errors t.stp", &err);
	check(!*err && s.lim.maxaction == INT32_MAX && s.lim.maxskipped == INT32_MAX,
	      "limits that are off", err);
	parse(&s, "-DMAXTRYLOCK=5 -DSTP_NO_OVERLOAD -D DEBUG_MEM t.stp", &err);
	check(!*err && s.lim.maxaction == 1000, "limits that bound nothing here", err);
	parse(&s,
	      "-P --prologue-searching=auto --save-uprobes --ldd --all-modules -d /bin/true "
	      "--color=never "
	      "--compatible 1.8 --modinfo a=b -a x86_64 -u -W --download-debuginfo=no t.stp",
	      &err);
	check(!*err && s.opt.ldd && s.opt.symbols.n == 1 && !strcmp(s.opt.compatible, "1.8") &&
		      s.opt.modinfo.n == 1 && s.opt.unoptimized && s.opt.warnings_are_errors,
	      "what stap takes", err);
	parse(&s, "--prepare", &err);
	check(!*err && s.opt.prepare && s.opt.stop_after == 5, "--prepare needs no script", err);
}

/* ------------------------------------------------------- passed on */

/* Check that the arguments of staprun for LINE are WANT. */
static void forwards(const char *line, const char *want)
{
	struct session s;
	const char *err;
	struct strbuf got = {0};
	arg_vec a = {0};

	verbose = 0;
	parse(&s, line, &err);
	loader_args(&s, &a);
	for (size_t i = 0; i < a.n; i++)
		sb_printf(&got, "%s%s", i ? " " : "", a.v[i]);
	check(!*err && !strcmp(got.n ? got.s : "", want), xprintf("passed on: %s", line),
	      *err ? err : got.s);
	verbose = 0;
}

static void test_passed_on(void)
{
	forwards("t.stp -g -k -DMAXACTION=7 --runtime=kernel --skip-badvars --output=text", "");
	forwards("t.stp -w --children --target-status --quiet --strict --expect-hits --explain "
		 "-ctrue",
		 "-w -c true --children --target-status --quiet --strict --expect-hits --explain");
	forwards("t.stp --follow=/bin/true -S 5,2 -o out", "--follow /bin/true -o out -S 5,2");
	forwards("t.stp -x 7 -x 8 --ready-fd=2 --ready-command=date",
		 "-x 7 -x 8 --ready-fd 2 --ready-command date");
	forwards("t.stp -o out -S 5,2 -s 8 -T 0x10 --timeout=9 --output=json --report=tap:f",
		 "-o out --output json -S 5,2 -s 8 -T 16 --timeout 9 --report tap:f");
	forwards("t.stp --monitor -vv --vp 00001", "--monitor=1 -v -v -v");
	forwards("t.stp --monitor=7", "--monitor=7");
	forwards("t.stp --prometheus=x.prom", "--prometheus x.prom");
#ifdef HAVE_OTLP
	forwards("t.stp --otlp=http://h", "--output otlp --otlp http://h");
#endif
}

/* ------------------------------------------------------- wrong ones */

static const struct {
	const char *line, *says;
} wrong[] = {
	{"", "ustap: error: no script: give a file or -e TEXT [option]\n"},
	{"-p 6 t.stp", "ustap: error: -p takes a number from 1 to 5, not \"6\" [option]\n"},
	{"-p x t.stp", "ustap: error: -p takes a number from 1 to 5, not \"x\" [option]\n"},
	{"-x 0 t.stp",
	 "ustap: error: -x takes a number from 1 to 2147483647, not \"0\" [option]\n"},
	{"-s 4096 t.stp",
	 "ustap: error: -s takes a number from 1 to 4095, not \"4096\" [option]\n"},
	{"-D MAXACTIN=5 t.stp", "ustap: error: -D: unknown limit \"MAXACTIN\" [option]\n"
				"  did you mean MAXACTION?\n"},
	{"-D MAXACTION t.stp",
	 "ustap: error: -D MAXACTION needs a value: -D MAXACTION=N [option]\n"},
	{"-D MAXACTION=-1 t.stp",
	 "ustap: error: -D MAXACTION takes a number from 1 to 2147483647, not \"-1\" [option]\n"},
	{"-D FOO=1 t.stp",
	 "ustap: error: -D: unknown limit \"FOO\" [option]\n  limits are MAXACTION"},
	{"-m a-b t.stp", "ustap: error: -m: a module name consists of letters, digits and _, not "
			 "\"a-b\" [option]\n"},
	{"--dump=point t.stp", "ustap: error: --dump: unknown pass \"point\" [option]\n"
			       "  did you mean --dump=points?\n"},
	{"-I /no/such t.stp", "ustap: error: -I /no/such: No such file or directory [option]\n"},
	{"-I /dev/null t.stp", "ustap: error: -I /dev/null: Not a directory [option]\n"},
	{"--runtime=bpf t.stp",
	 "ustap: error: --runtime takes auto, kernel or user, not \"bpf\" [option]\n"},
	{"-c a -x 1 t.stp",
	 "ustap: error: -c and -x cannot be combined: a run has one target [option]\n"},
	{"--follow=/bin/true -c a t.stp",
	 "ustap: error: --follow cannot be combined with -c or -x [option]\n"},
	{"--follow=/bin/true --runtime=kernel t.stp",
	 "ustap: error: --follow cannot be combined with --runtime=kernel, which probes all "
	 "processes that run a program, also later ones [option]\n"},
	{"--children t.stp", "ustap: error: --children needs a target: -c or -x [option]\n"},
	{"--target-status -x 1 t.stp", "ustap: error: --target-status returns the exit status of a "
				       "command: give one with -c [option]\n"},
	{"-r 6.1 --runtime=user t.stp",
	 "ustap: error: -r cannot be combined with --runtime=user, which does not build "
	 "for a kernel [option]\n"},
	{"-b t.stp",
	 "ustap: error: ustap does not support -b [option]\n  output is always collected"},
	{"-l x -L y",
	 "ustap: error: give one pattern; \"A, B\" as one argument lists both [option]\n"},
	{"-B x t.stp",
	 "ustap: error: ustap does not support -B [option]\n  scripts are compiled just as "
	 "the kernel was"},
	{"-q t.stp", "ustap: error: ustap does not support -q [option]\n  there is no database"},
	{"--bpf t.stp",
	 "ustap: error: ustap does not support --bpf [option]\n  there is no BPF runtime"},
	{"--sysroot=/no/such t.stp",
	 "ustap: error: --sysroot /no/such: No such file or directory [option]"},
	{"--sysenv=A=b t.stp",
	 "ustap: error: ustap does not support --sysenv [option]\n  set the variable itself"},
	{"--example no-such-example", "ustap: error: --example: no example \"no-such-example\""},
	{"--example -e 1", "ustap: error: --example needs the name of an example as the script"},
	{"--example a/b", "ustap: error: --example takes the name of an example, not \"a/b\""},
	{"--monitor -l begin", "ustap: error: --monitor cannot be combined with -l, -L and the "
			       "--dump options"},
	{"--prometheus=x.prom --monitor t.stp", "ustap: error: --prometheus cannot be combined"},
	{"--prometheus=x.prom --output=html t.stp", "ustap: error: --prometheus cannot be"},
	{"--otlp=http://h --prometheus=x.prom t.stp", "ustap: error: --otlp cannot be combined"},
	{"--otlp=http://h --output=json t.stp", "ustap: error: --otlp posts OTLP: leave out"},
	{"--otlp=http://h --remote=a t.stp", "ustap: error: --otlp cannot be combined with --re"},
	{"--prometheus=x.prom --remote=a t.stp", "ustap: error: --prometheus cannot be combined"},
	{"-D MAXACTION_INTERRUPTIBLE=0 t.stp",
	 "ustap: error: -D MAXACTION_INTERRUPTIBLE takes a number from 1 to 2147483647"},
	{"-D MAPHASHBIAS t.stp",
	 "ustap: error: -D MAPHASHBIAS needs a value: -D MAPHASHBIAS=N [option]\n"},
	{"--remote-prefix t.stp",
	 "ustap: error: ustap does not support --remote-prefix [option]\n  the output of"},
	{"--remote=-oProxyCommand=x t.stp",
	 "ustap: error: --remote: \"-oProxyCommand=x\" is not the name of a host"},
	{"--remote=a,b;c t.stp", "ustap: error: --remote: \"b;c\" is not the name of a host"},
	{"--remote=a --remote=b,a t.stp", "ustap: error: --remote: host a is named twice"},
	{"--remote=, t.stp", "ustap: error: --remote: no hosts are given"},
	{"--remote=@/no/such/file t.stp",
	 "ustap: error: --remote: /no/such/file: No such file or directory"},
	{"--remote=a --ssh-option=x t.stp",
	 "ustap: error: --ssh-option takes an option of ssh with its value in the same word, not "
	 "\"x\""},
	{"--remote=a,b --min-hosts=3 t.stp", "ustap: error: --min-hosts: only 2 hosts are given"},
	{"--min-hosts=3 t.stp", "ustap: error: --min-hosts needs hosts: --remote=HOST"},
	{"-j 3 t.stp", "ustap: error: -j needs hosts: --remote=HOST"},
	{"--remote=a -p4 t.stp",
	 "ustap: error: --remote runs a script: leave out the options that do something else"},
	{"--remote=a -F t.stp", "ustap: error: -F cannot be combined with --remote: the run"},
	{"--remote=a -r 6.1.0 t.stp", "ustap: error: -r cannot be combined with --remote: each"},
	{"--remote=a --output=html t.stp",
	 "ustap: error: --output=trace-event, html or otlp cannot be combined with --remote"},
	{"--use-server t.stp", "ustap: error: ustap does not support --use-server [option]\n  "
			       "ustap compiles on this machine"},
	{"--use-server-on-error=yes t.stp",
	 "ustap: error: ustap does not support --use-server-on-error [option]\n  ustap compiles"},
	{"--list-servers=all",
	 "ustap: error: ustap does not support --list-servers [option]\n  ustap compiles"},
	{"--trust-servers",
	 "ustap: error: ustap does not support --trust-servers [option]\n  ustap compiles"},
	{"--build-as=x --clean-cache", "ustap: error: --build-as builds a script"},
	{"--sign-module=key t.stp",
	 "ustap: error: --sign-module takes KEY,CERT, not \"key\" [option]"},
	{"--download-debuginfo t.stp",
	 "ustap: error: --download-debuginfo: ustap downloads debug information with"},
	{"--vp 123456 t.stp", "ustap: error: --vp takes 1 to 5 digits"},
	{"--color=pink t.stp", "ustap: error: --color takes never, always or auto, not \"pink\""},
	{"--prologue-searching=maybe t.stp",
	 "ustap: error: --prologue-searching takes never, always or auto"},
	{"--privilege=root t.stp",
	 "ustap: error: --privilege takes stapusr, stapsys or stapdev, not \"root\""},
	{"--unprivileged -g t.stp", "ustap: error: -g cannot be combined with --privilege"},
	{"--unprivileged --runtime=kernel t.stp",
	 "ustap: error: --runtime=kernel cannot be combined with --privilege"},
	{"--compatible=99 t.stp",
	 "ustap: error: --compatible 99 is later than SystemTap 5.4, the newest version"},
	{"--compatible=x t.stp", "ustap: error: --compatible takes a version"},
	{"--suppress-time-limits t.stp",
	 "ustap: error: --suppress-time-limits can hang the machine and needs guru mode (-g)"},
	{"--rlimit-as=x t.stp", "ustap: error: --rlimit-as takes a number"},
	{"--rlimit-cpu=-1 t.stp", "ustap: error: --rlimit-cpu takes a number"},
	{"--rlimit-nproc=x t.stp", "ustap: error: --rlimit-nproc takes a number"},
	{"--rlimit-stack=x t.stp", "ustap: error: --rlimit-stack takes a number"},
	{"--rlimit-fsize=x t.stp", "ustap: error: --rlimit-fsize takes a number"},
	{"--modinfo x t.stp", "ustap: error: --modinfo takes NAME=VALUE, not \"x\""},
	{"--tmpdir=/no/such t.stp", "ustap: error: --tmpdir /no/such: No such file or directory"},
	{"-R /no/such t.stp", "ustap: error: -R /no/such: No such file or directory"},
	{"-a arm64 t.stp", "ustap: error: -a arm64: scripts for arm64 cannot be built or run yet"},
	{"-S 5 t.stp", "ustap: error: -S limits the size of an output file: name the file with -o"},
	{"-S x -o f t.stp", "ustap: error: -S takes a number"},
	{"-S 5,0 -o f t.stp", "ustap: error: -S SIZE, takes a number"},
	{"-DMAXTRYLOCK t.stp", "ustap: error: -D MAXTRYLOCK needs a value"},
	{"-DMAXTRYLOCK=abc t.stp", "ustap: error: -D MAXTRYLOCK takes a number"},
	{"--timeout=0 t.stp", "ustap: error: --timeout takes a number from 1 to"},
	{"-F --strict t.stp", "ustap: error: -F returns before the run ends"},
	{"--monitor=x t.stp", "ustap: error: --monitor takes a number"},
	{"-Z t.stp", "ustap: error: unknown option -Z [option]\n  see ustap --help;"},
	{"--prepar3 t.stp",
	 "ustap: error: unknown option --prepar3 [option]\n  did you mean --prepare?\n"},
	{"--prepare=1", "ustap: error: --prepare takes no value [option]\n"},
	{"t.stp -c", "ustap: error: -c needs a value [option]\n"},
	{"t.stp -kc", "ustap: error: -c needs a value [option]\n"},
	{"t.stp --dump", "ustap: error: --dump needs a value [option]\n"},
	{"-p 9 -T x t.stp",
	 "ustap: error: -p takes a number from 1 to 5, not \"9\" [option]\n"
	 "ustap: error: -T takes a number from 1 to 315360000, not \"x\" [option]\n"},
};

static void test_wrong(void)
{
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		struct session s;
		const char *err;
		enum options_result r = parse(&s, wrong[i].line, &err);

		check(r == OPTIONS_WRONG && !strncmp(err, wrong[i].says, strlen(wrong[i].says)),
		      xprintf("wrong: %s", wrong[i].line), err);
	}
}

int main(void)
{
	setenv("SYSTEMTAP_DIR", "/nonexistent", 1); /* ignore the rc file of the user who runs
						     * the tests */
	setenv("XDG_CONFIG_HOME", "/nonexistent", 1);
	test_right();
	test_passed_on();
	test_wrong();
	arena_free_all();
	return failed != 0;
}
