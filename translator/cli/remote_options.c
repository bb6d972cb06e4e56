/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Options of runs on other machines. Names of hosts become words of ssh's command line and text on
 * terminals, so only characters of names, addresses and URIs are accepted.
 */
#include <errno.h>
#include <string.h>
#include "options.h"

enum { LONGEST_NAME = 255 };

#define NAME_CHARACTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-+@:[]%/~="

static bool is_among(const name_vec *names, const char *name)
{
	for (size_t i = 0; i < names->n; i++)
		if (!strcmp(names->v[i], name))
			return true;
	return false;
}

static void add_name(name_vec *names, const char *text, size_t n)
{
	const char *name = xstrndup(text, n);

	if (!n)
		return;
	if (strlen(name) > LONGEST_NAME || name[strspn(name, NAME_CHARACTERS)] || *name == '-')
		option_error("--remote: \"%s\" is not the name of a host", printable(name));
	else if (is_among(names, name))
		option_error("--remote: host %s is named twice", name);
	else if (names->n == MAX_HOSTS)
		option_error("--remote: a run has at most %d hosts", MAX_HOSTS);
	else
		vec_push(names, name);
}

/* One host on each line; the text after # is a comment. */
static void add_file(name_vec *names, const char *path)
{
	size_t size;
	int before = diag_errors();
	const char *text = read_file(path, &size), *end;

	if (!text) {
		option_error("--remote: %s: %s", path, strerror(errno));
		return;
	}
	for (end = text + size; text < end && diag_errors() == before; text++) {
		const char *line = memchr(text, '\n', (size_t)(end - text));
		size_t n = (size_t)((line ? line : end) - text), used;
		const char *comment = memchr(text, '#', n);

		used = comment ? (size_t)(comment - text) : n;
		while (used && strchr(" \t\r,", *text))
			text++, used--, n--;
		while (used && strchr(" \t\r,", text[used - 1]))
			used--;
		add_name(names, text, used);
		text += n;
	}
}

static void add_names(name_vec *names, const char *word)
{
	int before = diag_errors();
	size_t had = names->n;

	if (*word == '@') {
		add_file(names, word + 1);
	} else {
		for (size_t n; *word; word += n + (word[n] == ',')) {
			n = strcspn(word, ",");
			add_name(names, word, n);
		}
	}
	if (names->n == had && diag_errors() == before)
		option_error("--remote: no hosts are given");
}

/* ----------------------------------------------------------- options together */

/* An option that is refused with --remote. */
static void refuse(bool set, const char *option, const char *why)
{
	if (set)
		option_error("%s cannot be combined with --remote: %s", option, why);
}

static void check_together(const struct options *o)
{
	static const char runs[] = "--remote runs a script";
	bool lists = o->list || o->show_cache || o->clean_cache || o->list_runs || o->cleanup;

	if (o->stop_after < 5 || lists || o->dump || o->explain || o->prepare || o->interactive ||
	    o->system_report || o->language_server) {
		option_error("%s: leave out the options that do something else", runs);
		return;
	}
	refuse(o->release, "-r", "each host has its own kernel release");
	refuse(o->flight, "-F", "the run ends with the connection");
	refuse(o->rotation, "-S", "the output of all hosts is one file");
	refuse(o->prometheus, "--prometheus", "the hosts do not have its server");
	refuse(o->otlp, "--otlp", "the hosts do not have its sender");
	refuse(o->report, "--report", "a report is of one run");
	refuse(o->ready_fd, "--ready-fd", "each host starts at another time");
	refuse(o->no_cache, "--disable-cache", "--poison-cache also builds anew");
	refuse(o->module_name, "-m", "the builds for several kernels have different names");
	if (o->interval && !o->merge)
		option_error("--interval needs --merge");
	refuse(o->merge && o->monitor, "--merge with --monitor", "globals are sent at the end");
	refuse(o->format == FORMAT_TRACE || o->format == FORMAT_HTML || o->format == FORMAT_OTLP,
	       "--output=trace-event, html or otlp",
	       "its output is one document; json and folded can be combined");
	if (o->min_hosts > (int64_t)o->hosts.n)
		option_error("--min-hosts: only %zu hosts are given", o->hosts.n);
}

static void check_alone(const struct options *o)
{
	const char *option = o->merge && o->stop_after == 5 ? "--merge"
			     : o->interval                  ? "--interval"
			     : o->ssh_options.n             ? "--ssh-option"
			     : o->min_hosts                 ? "--min-hosts"
			     : o->jobs                      ? "-j"
			     : o->host_timeout              ? "--host-timeout"
							    : NULL;

	if (option)
		option_error("%s needs hosts: --remote=HOST", option);
}

void check_remote_options(struct session *s)
{
	struct options *o = &s->opt;

	if (!o->remote.n) {
		check_alone(o);
		return;
	}
	for (size_t i = 0; i < o->remote.n; i++)
		add_names(&o->hosts, o->remote.v[i]);
	for (size_t i = 0; i < o->ssh_options.n; i++)
		if (*o->ssh_options.v[i] != '-' || strlen(o->ssh_options.v[i]) < 2)
			option_error("--ssh-option takes an option of ssh with its value in the "
				     "same word, not \"%s\"",
				     o->ssh_options.v[i]);
	check_together(o);
}
