/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Choice among the builds of one script: the file whose kernel or programs are those of this
 * machine.  A bundle contains one build for each kernel release and each build of the programs.
 */
#include "base/exit_status.h"
#include "base/message.h"
#include "base/privilege.h"
#include "elfid.h"
#include "inject/elf/elf.h"
#include "module/kernel_module.h"
#include "session/run.h"

#include <stdlib.h>
#include <string.h>
#include <stdio.h>
#include <sys/utsname.h>

/* True if the file at PATH is the build with this IDENTITY, or any if it is empty. */
static bool same_build(const char *path, const char *identity)
{
	struct elf_file *f = elffile_open(path, NULL);
	char found[ELFID_TEXT];
	bool same = f && (!identity || !*identity);

	if (f && !same) {
		elffile_identity(f, found);
		same = !elfid_difference(found, identity);
	}
	elffile_close(f);
	return same;
}

/* True if module MODULE is probed; the others are known only to unwind stacks. */
static bool is_probed(const struct blob *b, uint32_t module)
{
	struct ust_site_info info;

	for (uint32_t i = 0; i < b->made.nsites; i++) {
		b->agent.site(i, &info);
		if (info.module == module)
			return true;
	}
	return b->made.events && blob_wants(b, UST_EVENTS, module, 0);
}

/* True if this machine has the builds of the programs that the script at PATH probes. */
static bool blob_fits(const char *path)
{
	const char *identity, *module;
	bool fits = true;
	struct blob b;

	if (!blob_load(&b, path, 0))
		return false;
	for (uint32_t i = 0; i < b.made.nmodules; i++) {
		module = b.agent.module(i, &identity);
		if (!is_probed(&b, i) || same_build(module, identity))
			continue;
		note("%s: %s is missing or differs", path, module);
		fits = false;
	}
	blob_unload(&b);
	return fits;
}

/* True if the kernel module at PATH was built for the running kernel's release. */
static bool module_fits(const char *path)
{
	struct utsname u;
	bool fits = false;
	struct image im;
	size_t n;

	if (module_file_read(&im, path, ROLE_DEV) && module_file_check(&im, path) && !uname(&u)) {
		n = strlen(u.release);
		fits = !strncmp(im.vermagic, u.release, n) && im.vermagic[n] == ' ';
		if (!fits)
			note("%s: built for kernel %.*s", path, (int)strcspn(im.vermagic, " "),
			     im.vermagic);
	}
	free(im.data);
	return fits;
}

static int none_fits(void)
{
	struct utsname u = {0};

	uname(&u);
	say("no file fits this machine: kernel %s, or the programs differ", u.release);
	hint("-v shows how each file differs");
	return EXIT_LOAD;
}

int choose_script(const char *const *files, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (blob_is(files[i]) ? blob_fits(files[i]) : module_fits(files[i])) {
			puts(files[i]);
			return EXIT_OK;
		}
	}
	return none_fits();
}
