/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * procfs("path").read, .write: files in /proc/ustap/NAME whose text a handler produces or
 * receives. $value is not a target variable: uses of it become calls of the runtime.
 */
#include <inttypes.h>
#include <string.h>

#include "probe.h"
#include "sema/builtin.h"
#include "sema/points/point.h"
#include "session.h"

#define DEFAULT_PATH "command"
enum { MAX_SIZE = 16 << 20, UMASK = 077 };

/* -------------------------------------------------------------- $value */

struct rewrite {
	bool reads, failed; /* the probe is read from */
};

static bool is_value(const struct node *n)
{
	return n->kind == N_TARGET && !strcmp(n->target.name, "$value");
}

static bool refuse(struct rewrite *r, enum errtag tag, const struct node *n, const char *text)
{
	diag_error(tag, n->loc, "%s", text);
	r->failed = true;
	return false;
}

static void become_call(struct node *n, const char *name, struct node *arg)
{
	n->kind = N_CALL;
	memset(&n->call, 0, sizeof n->call);
	n->call.name = name;
	n->call.builtin = builtin_find(name);
	n->call.args = arg;
	n->call.nargs = arg ? 1 : 0;
}

static bool rewrite_assignment(struct rewrite *r, struct node *n)
{
	if (!r->reads)
		return refuse(r, E_CONTEXT, n->bin.l,
			      "$value is what was written to the file; it cannot be changed");
	if (n->bin.op != OP_SET && n->bin.op != OP_CONCAT)
		return refuse(r, E_TYPE_MISMATCH, n, "$value is a string");
	become_call(n, n->bin.op == OP_SET ? "__procfs_set" : "__procfs_add", n->bin.r);
	return true;
}

static bool see(struct node *n, void *arg)
{
	struct rewrite *r = arg;

	if (n->kind == N_ASSIGN && is_value(n->bin.l))
		return rewrite_assignment(r, n);
	if (n->kind == N_DEFINED && is_value(n->defined.e)) {
		n->kind = N_NUM;
		n->num = 1;
		return false;
	}
	if (!is_value(n))
		return true;
	if (n->target.ncomps || n->target.addrof || n->target.pretty)
		return refuse(r, E_CONTEXT, n, "$value is a string without members");
	if (r->reads)
		return refuse(r, E_CONTEXT, n,
			      "$value can be set but not read here: it is the text that a reader "
			      "of the file gets");
	become_call(n, "__procfs_value", NULL);
	return true;
}

static bool variable(const struct node *n, struct access *out, struct var_error *err)
{
	(void)out;
	err->tag = E_CONTEXT;
	err->loc = n->loc;
	err->msg = xprintf("%s: the only variable of this probe point is $value", n->target.name);
	return false;
}

/* ---------------------------------------------------------------- points */

static bool point_error(const struct point_comp *c, const char *text)
{
	diag_error(E_PROBE_POINT, c->arg ? c->arg->loc : c->loc, "%s", text);
	return false;
}

/* Not what leads elsewhere, and no file of the runtime's own. */
static bool check_path(const struct point_comp *c, const char *path)
{
	size_t n;

	if (*path == '/')
		return point_error(c, "the path of a procfs file cannot start with a \"/\": it is "
				      "below /proc/ustap/NAME");
	if (!strcmp(path, "ctl") || (!strncmp(path, "cpu", 3) && path[3] &&
				     strspn(path + 3, "0123456789") == strlen(path + 3)))
		return point_error(c, "the runtime has a file of this name");
	for (const char *p = path;; p += n + 1) {
		n = strcspn(p, "/");
		if (!n || n > 63 || (n == 1 && p[0] == '.') || (n == 2 && !memcmp(p, "..", 2)))
			return point_error(c, "the path of a procfs file consists of names of up "
					      "to 63 bytes, without \".\" and \"..\"");
		if (!p[n])
			return true;
	}
}

static bool is_there(const struct session *s, const struct probe *p)
{
	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *q = s->program.probes.v[i];

		if (q->kind->holds == HOLDS_FILE && q->file.path &&
		    !strcmp(q->file.path, p->file.path) && !strcmp(q->kind->rt, p->kind->rt))
			return true;
	}
	return false;
}

static bool read_numbers(struct probe *p, const struct point *pt, bool reads)
{
	const struct point_comp *size = point_comp(pt, "maxsize"), *mask = point_comp(pt, "umask");

	if (size && (size->arg->num < 1 || size->arg->num > MAX_SIZE))
		return point_error(size,
				   "the size of a procfs file must be from 1 to 16777216 bytes");
	if (mask && (mask->arg->num < 0 || mask->arg->num > 0777))
		return point_error(mask, "a umask must be from 0 to 0777");
	p->file.size = size ? size->arg->num : 0;
	p->file.mode = (reads ? 0444 : 0222) & ~(mask ? mask->arg->num : UMASK);
	return true;
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	const struct point_comp *c = &pt->comps.v[0];
	struct rewrite r = {.reads = point_comp(pt, "read") != NULL};
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	p->file.path = c->arg ? c->arg->str.s : DEFAULT_PATH;
	if (!check_path(c, p->file.path) || !read_numbers(p, pt, r.reads))
		return false;
	if (is_there(s, p))
		return point_error(c, r.reads ? "the file already has a read probe"
					      : "the file already has a write probe");
	node_walk(p->body, see, NULL, &r);
	if (r.failed || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

#define FILE_KIND(text, what)                                                         \
	{                                                                             \
		.pattern = text, .rt = "UST_PROBE_PROCFS_" what, .holds = HOLDS_FILE, \
		.lacking = 1u << RT_USER, .resolve = resolve, .variable = variable,   \
		.is_result = is_value                                                 \
	}
const struct probe_kind probe_procfs[] = {
	FILE_KIND("procfs(s).read", "READ"),
	FILE_KIND("procfs(s).read.maxsize(n)", "READ"),
	FILE_KIND("procfs(s).umask(n).read", "READ"),
	FILE_KIND("procfs(s).umask(n).read.maxsize(n)", "READ"),
	FILE_KIND("procfs.read", "READ"),
	FILE_KIND("procfs.read.maxsize(n)", "READ"),
	FILE_KIND("procfs.umask(n).read", "READ"),
	FILE_KIND("procfs.umask(n).read.maxsize(n)", "READ"),
	FILE_KIND("procfs(s).write", "WRITE"),
	FILE_KIND("procfs(s).umask(n).write", "WRITE"),
	FILE_KIND("procfs.write", "WRITE"),
	FILE_KIND("procfs.umask(n).write", "WRITE"),
	{0},
};

/* ustap-probes.7, PROCFS FILES
.TP
.B procfs(\(dq\fIPATH\fP\(dq).read
.TQ
.B procfs(\(dq\fIPATH\fP\(dq).read.maxsize(\fIBYTES\fP)
.TQ
.B procfs.read
.TQ
.B procfs.read.maxsize(\fIBYTES\fP)
A process starts to read the file. The content is the text that the handler assigns to
.B $value
with = and .=, up to
.I BYTES
or the length of a string. Without a path the file is
.IR command .
.TP
.BR procfs(\(dq\fIPATH\fP\(dq).write ", " procfs.write
A process writes to the file.
.B $value
is the text; a text longer than a string arrives in pieces.
.TP
.B procfs(\(dq\fIPATH\fP\(dq).umask(\fIMASK\fP).read
.TQ
.B procfs(\(dq\fIPATH\fP\(dq).umask(\fIMASK\fP).read.maxsize(\fIBYTES\fP)
.TQ
.B procfs(\(dq\fIPATH\fP\(dq).umask(\fIMASK\fP).write
.TQ
.B procfs.umask(\fIMASK\fP).read
.TQ
.B procfs.umask(\fIMASK\fP).read.maxsize(\fIBYTES\fP)
.TQ
.B procfs.umask(\fIMASK\fP).write
The mode of the file lacks the bits in
.IR MASK .
The default is 077, so only the owner may read and write the file.
*/
