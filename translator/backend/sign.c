/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Module signatures: --sign-module, for kernels that load signed modules only (Secure Boot,
 * lockdown, module.sig_enforce).  The kernel's own scripts/sign-file appends the signature, since
 * its format belongs to that kernel.  The key is read by sign-file alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel.h"
#include "base/cache.h"
#include "base/subprocess.h"
#include "passes.h"

/* Where dkms keeps the key that mokutil has enrolled. */
#define KEY  "/var/lib/dkms/mok.key"
#define CERT "/var/lib/dkms/mok.pub"

static bool key_error(const char *key, const char *why, const char *hint)
{
	diag_error(E_OPTION, (struct loc){0}, "--sign-module: cannot use the key %s: %s", key, why);
	diag_hint("%s", hint);
	return false;
}

/* Can others than root and the caller read or replace the key?  Reports that, and a missing key. */
static bool key_is_private(const char *key)
{
	int fd = open(key, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	bool known;

	if (fd < 0)
		return key_error(
			key, strerror(errno),
			"make and enroll one: openssl req -new -x509 -newkey rsa:2048 -nodes "
			"-subj /CN=ustap/ -outform DER -keyout KEY -out CERT; "
			"mokutil --import CERT; restart");
	known = !fstat(fd, &st);
	close(fd);
	if (!known || !S_ISREG(st.st_mode))
		return key_error(key, "it is not a regular file", "name the file of a private key");
	if ((st.st_uid && st.st_uid != geteuid()) || st.st_mode & 077)
		return key_error(key, "other users may read or change it",
				 "become its owner and let only the owner read it: chmod 600");
	return true;
}

/* Called before pass 1, since a build may take long.  True without --sign-module. */
bool sign_key_usable(const struct session *s)
{
	return !s->opt.sign_module || key_is_private(s->opt.sign_key ? s->opt.sign_key : KEY);
}

/* Identity of the signing key and certificate, a part of the cached artifact's name; "" without
 * --sign-module. NULL after an error. */
const char *sign_identity(const struct session *s)
{
	const char *key = s->opt.sign_key ? s->opt.sign_key : KEY, *parts[2];
	const char *cert = s->opt.sign_cert ? s->opt.sign_cert : CERT;
	size_t len = 0;
	char *text;

	if (!s->opt.sign_module)
		return "";
	text = read_file(cert, &len);
	if (!text) {
		diag_error(E_OPTION, (struct loc){0},
			   "--sign-module: cannot read the certificate %s: %s", cert,
			   strerror(errno));
		return NULL;
	}
	/* a DER certificate has NULs, which end a part */
	parts[0] = key;
	parts[1] = xprintf("%s %zu", cert, len);
	for (size_t i = 0; i < len; i++)
		text[i] = (char)((unsigned char)text[i] % 255 + 1);
	return xprintf("%s %s", hash_hex(parts, 2), hash_hex((const char *[]){text}, 1));
}

/* Append the signature to the module KO; false after an error. */
bool sign_module(const struct session *s, const struct kernel *k, const char *ko, const char *log)
{
	const char *program = xprintf("%s/scripts/sign-file", k->build);
	const char *argv[] = {program,
			      "sha256",
			      s->opt.sign_key ? s->opt.sign_key : KEY,
			      s->opt.sign_cert ? s->opt.sign_cert : CERT,
			      ko,
			      NULL};
	char *said;

	if (!s->opt.sign_module)
		return true;
	if (access(program, X_OK)) {
		diag_error(E_BUILD, (struct loc){0}, "--sign-module: %s does not exist", program);
		diag_hint("it comes with the kernel's headers");
		return false;
	}
	if (!run_command(argv, NULL, log))
		return true;
	said = read_file(log, NULL);
	diag_error(E_BUILD, (struct loc){0}, "--sign-module: sign-file failed%s%s",
		   said ? ": " : "", said ? said : "");
	diag_hint("a key with a passphrase needs it in the environment variable KBUILD_SIGN_PIN");
	return false;
}
