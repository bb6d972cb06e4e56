/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Pass 4: choose the runtime, have its backend build the emitted C. */
#include "passes.h"
#include "sema/builtin.h"
#include "backend.h"

#include <inttypes.h>

const struct backend *const backends[] = {[RT_KERNEL] = &backend_kernel, [RT_USER] = &backend_user};

static bool reads_kernel(const access_vec *v)
{
	for (size_t i = 0; i < v->n; i++)
		if (v->v[i].in_kernel)
			return true;
	return false;
}

struct flagged_call {
	unsigned flag; /* of the builtin */
	const struct node *found;
};

static bool see_flagged_call(struct node *n, void *arg)
{
	struct flagged_call *f = arg;

	if (n->kind == N_CALL && n->call.builtin && n->call.builtin->flags & f->flag)
		f->found = n;
	return true;
}

/* A call of a builtin with FLAG, which one of the runtimes lacks. */
static const struct node *call_with(const struct program *p, unsigned flag)
{
	struct flagged_call f = {.flag = flag};

	for (size_t i = 0; i < p->probes.n && !f.found; i++)
		node_walk(p->probes.v[i]->body, see_flagged_call, NULL, &f);
	for (size_t i = 0; i < p->funcs.n && !f.found; i++)
		node_walk(p->funcs.v[i]->body, see_flagged_call, NULL, &f);
	return f.found;
}

/* Can the kernel runtime run this script, as far as its builtins and its output go? */
static bool kernel_fits(const struct session *s, struct unusable *why)
{
	const struct node *call = call_with(&s->program, BF_USER);

	if (!call)
		return lossless_fits(s, why);
	*why = (struct unusable){.tag = E_UNSUPPORTED,
				 .loc = call->loc,
				 .hint = "use --runtime=user",
				 .msg = xprintf("%s needs the user runtime", call->call.name)};
	return false;
}

/* Types of the kernel are known everywhere, but what has them is in the kernel. */
static bool needs_kernel(const struct program *p, struct unusable *why)
{
	const struct node *call = call_with(p, BF_KERNEL);
	struct loc loc = {0};

	if (call) {
		*why = (struct unusable){
			.tag = E_UNSUPPORTED,
			.loc = call->loc,
			.hint = "use --runtime=kernel",
			.msg = xprintf("%s needs the kernel runtime", call->call.name)};
		return true;
	}
	for (size_t i = 0; i < p->probes.n && !loc.src; i++)
		if (reads_kernel(&p->probes.v[i]->accesses))
			loc = p->probes.v[i]->loc;
	for (size_t i = 0; i < p->funcs.n && !loc.src; i++)
		if (reads_kernel(&p->funcs.v[i]->accesses))
			loc = p->funcs.v[i]->loc;
	*why = (struct unusable){
		.tag = E_UNSUPPORTED,
		.loc = loc,
		.msg = "the script reads kernel memory, which the user runtime cannot do",
		.hint = "use --runtime=kernel"};
	return loc.src;
}

static void lacks_target(const struct unusable *kernel, struct unusable *why)
{
	*why = (struct unusable){
		.tag = E_OPTION,
		.msg = "no process to trace: give -c COMMAND, -x PID or --follow=PATH",
		.hint = xprintf("the user runtime traces only these; the kernel runtime traces all "
				"processes%s%s",
				kernel ? ", but " : "", kernel ? kernel->msg : ""),
	};
}

/* Process ids of process(PID) are as if given with -x, unless others are.  False: WHY says what
 * does not fit. */
static bool take_pids(struct session *s, struct unusable *why)
{
	bool given = s->opt.pids.n;

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];
		int64_t pid = p->kind->holds == HOLDS_PROCESS && !p->program ? p->process.pid
									     : p->pid;
		size_t at = 0;

		while (at < s->opt.pids.n && s->opt.pids.v[at] != pid)
			at++;
		if (!pid || at < s->opt.pids.n)
			continue;
		if (given || s->opt.command) {
			*why = (struct unusable){
				E_OPTION,
				xprintf("process %" PRId64 " is not one of the traced processes",
					pid),
				xprintf(s->opt.command ? "the user runtime traces the command of "
							 "-c; without -c it traces process %" PRId64
						       : "add -x %" PRId64,
					pid),
				p->point};
			return false;
		}
		if (s->opt.stop_after >= 5)
			vec_push(&s->opt.pids, pid);
	}
	return true;
}

/* The tracer looks for each period whether a thread has used that much CPU time; UST_PROFILES of
 * the runtime's wire_agent.h. */
enum { MOST_PERIODS = 16 };

static bool profiles_fit(const struct program *prog, struct unusable *why)
{
	int64_t periods[MOST_PERIODS];
	size_t n = 0, at;

	for (size_t i = 0; i < prog->probes.n; i++) {
		const struct probe *p = prog->probes.v[i];

		if (!p->kind->is_profile)
			continue;
		for (at = 0; at < n && periods[at] != p->timer.period; at++)
			continue;
		if (at == MOST_PERIODS) {
			*why = (struct unusable){
				.tag = E_UNSUPPORTED,
				.loc = p->point,
				.msg = xprintf("the user runtime has at most %d different "
					       "frequencies of timer.profile",
					       MOST_PERIODS)};
			return false;
		}
		periods[at] = p->timer.period;
		n += at == n;
	}
	return true;
}

/* Can the user runtime run this script, with these options? */
static bool user_fits(struct session *s, const struct unusable *kernel, struct unusable *why)
{
	bool pids = take_pids(s, why);
	bool target = s->opt.command || s->opt.pids.n || s->opt.follow || s->opt.stop_after < 5,
	     sites = false;

	for (size_t i = 0; i < s->program.probes.n; i++) {
		const struct probe *p = s->program.probes.v[i];

		sites |= p->sites.n > 0 || p->kind->holds == HOLDS_PROCESS || p->kind->is_profile;
		if (p->kind->lacking & 1u << RT_USER) {
			runtime_lacks_point(p->point, p->pp, kernel, why);
			return false;
		}
	}
	if (needs_kernel(&s->program, why) || !profiles_fit(&s->program, why))
		return false;
	if (sites && !target)
		lacks_target(kernel, why);
	return pids && (target || !sites);
}

/* auto: the kernel runtime where it works, else the one in the process. The choice is reported
 * if it is the user runtime, or with -v. */
static void choose_auto(struct session *s)
{
	struct unusable kernel, user;

	if (kernel_fits(s, &kernel) && backend_kernel.usable(s, &kernel)) {
		s->backend = &backend_kernel;
		vlog(1, "runtime: kernel");
	} else if (s->opt.release && !s->opt.hosts.n) {
		report_unusable(&kernel);
	} else if (user_fits(s, &kernel, &user) && backend_user.usable(s, &user)) {
		s->backend = &backend_user;
		fprintf(stderr, "ustap: runtime: user (%s)\n", kernel.msg);
	} else {
		report_unusable(&user);
	}
}

static void choose_backend(struct session *s)
{
	const struct backend *b = s->opt.runtime == RT_USER ? &backend_user : &backend_kernel;
	struct unusable why;

	if (s->backend)
		return;
	if (s->opt.runtime == RT_AUTO)
		choose_auto(s);
	else if ((b == &backend_kernel ? kernel_fits(s, &why) : user_fits(s, NULL, &why)) &&
		 b->usable(s, &why))
		s->backend = b;
	else
		report_unusable(&why);
}

void pass_build(struct session *s)
{
	choose_backend(s);
	if (s->backend)
		s->backend->build(s);
}

void prepare(struct session *s)
{
	const struct backend *b = s->opt.runtime == RT_USER ? &backend_user : &backend_kernel;

	b->prepare(s);
}
