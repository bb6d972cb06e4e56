/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel.data("SYMBOL").write, .rw, kernel.data(ADDRESS).length(N).write, .rw: accesses of the
 * kernel's memory. */
#include <inttypes.h>
#include <string.h>
#include "probe.h"
#include "sema/points/point.h"
#include "session.h"

uint64_t watch_length(const struct point_comp *c)
{
	int64_t n = c ? c->arg->num : 1;

	if (n >= 1 && n <= 8)
		return n > 4 ? 8 : n > 2 ? 4 : (uint64_t)n;
	diag_error(E_PROBE_POINT, c->arg->loc,
		   "a hardware breakpoint watches 1 to 8 bytes, not %" PRId64, n);
	return 0;
}

static const char *text(const struct point *pt)
{
	const struct node *arg = point_comp(pt, "data")->arg;
	const char *all = point_text(pt);

	/* an address, not a negative number */
	return arg->kind == N_STR ? all
				  : xprintf("kernel.data(0x%" PRIx64 "%s", (uint64_t)arg->num,
					    strchr(all, ')'));
}

static bool resolve(struct session *s, const struct probe_kind *k, struct probe_decl *decl,
		    const struct point *pt, bool quiet)
{
	const struct point_comp *c = point_comp(pt, "data");
	struct probe *p = probe_new(s, k, decl, pt);

	(void)quiet;
	p->data.symbol = c->arg->kind == N_STR ? c->arg->str.s : NULL;
	p->data.addr = p->data.symbol ? 0 : c->arg->num;
	p->data.length = watch_length(point_comp(pt, "length"));
	p->data.is_read = point_comp(pt, "rw") != NULL;
	p->pp = text(pt);
	if (!p->data.symbol && p->data.addr >= 0) {
		diag_error(E_PROBE_POINT, c->arg->loc, "this is not an address of the kernel");
		return false;
	}
	if (!p->data.length || !target_forbid(s, p))
		return false;
	vec_push(&s->program.probes, p);
	return true;
}

#define DATA(text)                                                                          \
	{                                                                                   \
		.pattern = "kernel.data" text, .rt = "UST_PROBE_DATA", .holds = HOLDS_DATA, \
		.in_irq = true, .lacking = 1u << RT_USER, .resolve = resolve                \
	}
const struct probe_kind probe_datas[] = {
	DATA("(s).write"),
	DATA("(s).rw"),
	DATA("(n).write"),
	DATA("(n).rw"),
	DATA("(n).length(n).write"),
	DATA("(n).length(n).rw"),
	{0},
};

/* ustap-probes.7, HARDWARE BREAKPOINTS
.SS Data of the kernel
Kernel runtime only.
.TP
.BI kernel.data(\(dqNAME\(dq).write "\fR, " kernel.data( ADDRESS ).write
.TQ
.BI kernel.data( ADDRESS ).length( N ).write
After each instruction that writes this variable, or
.I N
bytes at this address. The default is 1; 2, 4 and 8 are possible, other lengths are rounded up.
Of a
variable, the first byte is watched. Per-CPU variables are not watched; a warning names them.
.B addr()
is the address of the next instruction, and
.B print_backtrace()
prints the stack of the writer.
.TP
.BI kernel.data(\(dqNAME\(dq).rw "\fR, " kernel.data( ADDRESS ).rw
.TQ
.BI kernel.data( ADDRESS ).length( N ).rw
After each instruction that reads or writes it.
*/
