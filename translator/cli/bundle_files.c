/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files of a bundle, in a directory: builds of one script, staprun with the shared libraries that
 * it needs, the program `run', and SHA256SUMS.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "createfile.h"
#include "base/digest.h"
#include "base/installed.h"
#include "base/subprocess.h"
#include "bundle.h"

bool bundle_failed(const char *what, const char *path)
{
	diag_error(E_IO, (struct loc){0}, "cannot %s %s: %s", what, path, strerror(errno));
	return false;
}

/* ----------------------------------------------------------------------- files */

static void add_hex(struct strbuf *sb, const unsigned char sum[DIGEST_SIZE])
{
	for (size_t i = 0; i < DIGEST_SIZE; i++)
		sb_printf(sb, "%02x", sum[i]);
}

/* Add the file NAME with the N bytes of DATA to the bundle. */
static bool add_file(struct bundle_files *b, const char *name, const char *data, size_t n,
		     mode_t mode)
{
	const char *path = xprintf("%s/%s", b->dir, name);
	unsigned char sum[DIGEST_SIZE];
	int fd = private_open(path, O_WRONLY | O_EXCL);

	if (fd < 0)
		return bundle_failed("write", path);
	vec_push(&b->files, name);
	if (!write_and_close(fd, data, n, mode))
		return bundle_failed("write", path);
	digest_bytes(data, n, sum);
	add_hex(&b->sums, sum);
	sb_printf(&b->sums, "  %s\n", name);
	return true;
}

static bool has(const text_vec *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Copy the file at PATH; several targets may share one. */
static bool add_copy(struct bundle_files *b, const char *path, mode_t mode)
{
	const char *name = base_name(path);
	size_t n;
	char *data;

	if (has(&b->files, name))
		return true;
	data = read_file(path, &n);
	return data ? add_file(b, name, data, n, mode) : bundle_failed("read", path);
}

bool bundle_add_artifact(struct bundle_files *b, const char *path)
{
	if (!has(&b->artifacts, base_name(path)))
		vec_push(&b->artifacts, base_name(path));
	return add_copy(b, path, 0644);
}

/* Copy staprun and what ldd(1) lists: lines "NAME => PATH (ADDRESS)", and "PATH (ADDRESS)" of the
 * dynamic linker. */
bool bundle_add_staprun(struct bundle_files *b)
{
	const char *staprun = staprun_path(), *ldd = find_tool("ldd");
	char *list = staprun && ldd ? command_output((const char *const[]){ldd, staprun, NULL})
				    : NULL;

	if (!staprun) {
		errno = ENOENT;
		return bundle_failed("find", "staprun");
	}
	for (char *line = list ? strtok(list, "\n") : NULL; line; line = strtok(NULL, "\n")) {
		const char *path = strchr(line, '/');

		if (!path)
			continue;
		path = xstrndup(path, strcspn(path, " "));
		if (!strstr(line, "=>"))
			b->interpreter = base_name(path);
		if (!add_copy(b, path, 0755))
			return false;
	}
	return add_copy(b, staprun, 0755);
}

/* ------------------------------------------------------------------------- run */

void add_shell_word(struct strbuf *sb, const char *text)
{
	sb_add(sb, " '");
	for (; *text; text++)
		if (*text == '\'')
			sb_add(sb, "'\\''");
		else
			sb_addn(sb, text, 1);
	sb_add(sb, "'");
}

/*
 * --key: the list of hashes is read once, and that text is what the signature and the files are
 * compared with. Then the files must not change: no other user may be able to write to them or to
 * the directories above, and files that the list does not name are refused, because the dynamic
 * linker might load them.
 */
static const char run_signature[] =
	"check_owners() { # PATH DEPTH: no links, and nothing that another user can change\n"
	"	bad=$(find \"$1\" -maxdepth \"$2\" \\( ! -type f ! -type d \\\n"
	"		-o ! -uid 0 ! -uid \"$(id -u)\" \\\n"
	"		-o -perm /022 ! \\( -type d -perm -1000 \\) \\)) || exit 3\n"
	"	[ ! \"$bad\" ] || fail \"--key: a link, or open to other users: $bad\"\n"
	"}\n"
	"check_names() { # that there are no other files\n"
	"	bad=$(printf '%s\\n' \"$list\" |\n"
	"		grep -Evx '[0-9a-f]{64}  [A-Za-z0-9_+][A-Za-z0-9._+-]*')\n"
	"	[ ! \"$bad\" ] || fail \"SHA256SUMS: not a file of the bundle: $bad\"\n"
	"	names=\" SHA256SUMS SHA256SUMS.sig\n"
	"$(printf '%s\\n' \"$list\" | cut -c 67-)\n"
	"\"\n"
	"	for file in \"$here\"/* \"$here\"/.[!.]* \"$here\"/..?*; do\n"
	"		[ -e \"$file\" ] || [ -L \"$file\" ] || continue\n"
	"		printf ' %s \\n' $names | grep -Fxqe \" ${file##*/} \" ||\n"
	"			fail \"$file: not signed\"\n"
	"	done\n"
	"}\n"
	"check_signature() {\n"
	"	list=$(cat < \"$here/SHA256SUMS\") || exit 3\n"
	"	check_owners \"$here\" 1\n"
	"	above=$here\n"
	"	while [ \"$above\" != / ]; do\n"
	"		above=$(dirname -- \"$above\")\n"
	"		check_owners \"$above\" 0\n"
	"	done\n"
	"	signature=$here/SHA256SUMS.sig\n"
	"	signer=$(ssh-keygen -Y find-principals -f \"$signers\" -s \"$signature\") ||\n"
	"		fail \"no key of $signers has signed this bundle\"\n"
	"	printf '%s\\n' \"$list\" |\n"
	"		ssh-keygen -q -Y verify -f \"$signers\" -n ustap-bundle \\\n"
	"		-I \"$signer\" -s \"$signature\" > /dev/null ||\n"
	"		fail \"SHA256SUMS is not what was signed\"\n"
	"	check_names\n"
	"	(cd -- \"$here\" && printf '%s\\n' \"$list\" | sha256sum --quiet -c - >&2) ||\n"
	"		fail \"a file differs from SHA256SUMS: copy the bundle again\"\n"
	"	made=$(cat < \"$here/MADE\") && [ \"$made\" -gt \"$after\" ] ||\n"
	"		fail \"the bundle was made at $made, not after $after\"\n"
	"}\n";

static const char run_begin[] =
	"#!/bin/sh\n"
	"# Run a script that `ustap bundle' compiled: check the files of the bundle, choose the\n"
	"# build for this machine, and start staprun(8) with it.\n"
	"# usage: run [--manifest=SHA256] [OPTION OF STAPRUN]... [GLOBAL=VALUE]...\n"
	"#        run --key=SIGNERS [--made-after=SECONDS] [--bundle=DIR] [...]\n"
	"unset POSIXLY_CORRECT\n"
	"fail() { echo \"$0: $*\" >&2; exit 3; }\n"
	"quote() {\n"
	"	rest=$1 quoted=\n"
	"	while case $rest in *\\'*) ;; *) false ;; esac do\n"
	"		quoted=$quoted${rest%%\\'*}\"'\\\\''\" rest=${rest#*\\'}\n"
	"	done\n"
	"	printf \"'%s'\" \"$quoted$rest\"\n"
	"}\n"
	"here=$(cd -- \"$(dirname -- \"$0\")\" && pwd -P) || exit 3\n"
	"case $here in\n"
	"*[:\\;]*) fail \"$here: the path of a bundle cannot contain a colon or semicolon\" ;;\n"
	"esac\n";

static const char run_options[] =
	"reload=\"exec $(quote \"$here/run\")\" only=\n"
	"case ${1-} in\n"
	"--manifest=*)\n"
	"	sum=$(sha256sum < \"$here/SHA256SUMS\") || exit 3\n"
	"	[ \"${sum%% *}\" = \"${1#--manifest=}\" ] ||\n"
	"		fail \"SHA256SUMS does not have the hash of --manifest: copy the bundle "
	"again\"\n"
	"	reload=\"$reload $(quote \"$1\")\"\n"
	"	shift ;;\n"
	"esac\n"
	"signers= after=0 other=\n"
	"while :; do\n"
	"	case ${1-} in\n"
	"	--key=*) signers=${1#--key=} ;;\n"
	"	--made-after=*) after=${1#--made-after=} ;;\n"
	"	--bundle=*) here=$(cd -- \"${1#--bundle=}\" && pwd -P) || exit 3\n"
	"		other=1 ;;\n"
	"	*) break ;;\n"
	"	esac\n"
	"	reload=\"$reload $(quote \"$1\")\"\n"
	"	shift\n"
	"done\n"
	"case $after in *[!0-9]*) fail \"--made-after=$after: not a time in seconds\" ;; esac\n"
	"[ \"$signers\" ] || [ \"$other$after\" = 0 ] ||\n"
	"	fail \"--bundle and --made-after need --key\"\n"
	"[ ! \"$signers\" ] || check_signature\n"
	"if [ \"$other\" ]; then exec \"$here/run\" \"$@\"; fi\n"
	"case ${1-} in --artifact) only=1 ;; esac\n"
	"report=$(cd -- \"$here\" && sha256sum -c SHA256SUMS 2>&1) || {\n"
	"	printf '%s\\n' \"$report\" | grep -v ': OK$' >&2\n"
	"	fail \"a file differs from SHA256SUMS: copy the bundle again\"\n"
	"}\n";

/* The command that starts staprun: by the bundle's own dynamic linker and libraries. */
static const char *staprun_command(const struct bundle_files *b)
{
	if (!b->interpreter)
		return "\"$here/staprun\"";
	return xprintf("\"$here/%s\" --library-path \"$here\" \"$here/staprun\"", b->interpreter);
}

bool bundle_add_run(struct bundle_files *b, const struct session *s)
{
	struct strbuf run = {0};
	arg_vec args = {0};

	sb_add(&run, run_begin);
	sb_add(&run, run_signature);
	sb_add(&run, run_options);
	sb_printf(&run,
		  "verbose=%s\n"
		  "for word; do\n"
		  "	case $word in -v*) verbose=-v ;; esac\n"
		  "done\n",
		  verbose ? "-v" : "");
	sb_printf(&run, "artifact=$(%s --choose $verbose", staprun_command(b));
	for (size_t i = 0; i < b->artifacts.n; i++)
		sb_printf(&run, " \\\n\t\"$here/%s\"", b->artifacts.v[i]);
	sb_printf(&run,
		  ") || exit\n"
		  "[ ! \"$only\" ] || { printf '%%s\\n' \"$artifact\"; exit; }\n"
		  "exec %s",
		  staprun_command(b));
	vec_push(&args, "--name");
	vec_push(&args, s->opt.script_file ? base_name(s->opt.script_file) : "ustap -e");
	if (s->opt.flight)
		vec_push(&args, "-L");
	loader_args(s, &args);
	for (size_t i = 0; i < args.n; i++)
		add_shell_word(&run, args.v[i]);
	if (s->opt.reload)
		sb_add(&run, " --reload \"$reload --artifact\"");
	sb_add(&run, " \"$artifact\" \"$@\"\n");
	return add_file(b, "run", run.s, run.n, 0755);
}

bool bundle_add_time(struct bundle_files *b)
{
	const char *made = xprintf("%lld\n", (long long)time(NULL));

	return add_file(b, "MADE", made, strlen(made), 0644);
}

/* ---------------------------------------------------------------------- result */

const char *bundle_add_sums(struct bundle_files *b)
{
	struct strbuf sums = b->sums, hex = {0};
	unsigned char sum[DIGEST_SIZE];

	if (!add_file(b, "SHA256SUMS", sums.s, sums.n, 0644))
		return NULL;
	digest_bytes(sums.s, sums.n, sum);
	add_hex(&hex, sum);
	return hex.s;
}

bool bundle_sign(struct bundle_files *b, const char *key)
{
	const char *sums = xprintf("%s/SHA256SUMS", b->dir),
		   *tool = find_tool("ssh-keygen"), *const argv[] = {tool,   "-q",           "-Y",
								     "sign", "-f",           key,
								     "-n",   "ustap-bundle", sums,
								     NULL};

	vec_push(&b->files, "SHA256SUMS.sig");
	if (tool && !run_command(argv, NULL, NULL) && !access(xprintf("%s.sig", sums), R_OK))
		return true;
	diag_error(E_IO, (struct loc){0}, "cannot sign the bundle with the key %s", key);
	diag_hint("apt install openssh-client, and make a key with: ssh-keygen -t ed25519 -f FILE");
	return false;
}

bool bundle_pack(const struct bundle_files *b, const char *archive)
{
	size_t n = (size_t)(base_name(b->dir) - b->dir);
	const char *tar = find_tool("tar"), *const argv[] = {tar,
							     "--sort=name",
							     "--owner=0",
							     "--group=0",
							     "--numeric-owner",
							     "--mtime=@0",
							     "-C",
							     xstrndup(b->dir, n),
							     "-caf",
							     archive,
							     "--",
							     b->dir + n,
							     NULL};

	if (tar && !run_command(argv, NULL, NULL))
		return true;
	diag_error(E_IO, (struct loc){0}, "tar cannot make %s", base_name(archive));
	diag_hint("apt install tar, and gzip, xz-utils or zstd for its compression");
	return false;
}

void bundle_remove(const struct bundle_files *b)
{
	for (size_t i = 0; i < b->files.n; i++)
		unlink(xprintf("%s/%s", b->dir, b->files.v[i]));
	rmdir(b->dir);
}
