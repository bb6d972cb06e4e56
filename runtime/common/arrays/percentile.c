/* SPDX-License-Identifier: GPL-2.0-or-later */
/* @percentile of a statistic and of an element of an array. */
#include "arrays/arrays.h"
#include "common.h"

ust_long ust_stat_percentile(struct ust_ctx *c, struct ust_gvar *g, const union ust_key *key,
			     ust_u64 percent)
{
	struct ust_stat st;
	ust_long v = 0;
	u64 work = SKETCH_OCTAVES;

	if (key) {
		v = map_percentile(g, key, &st, percent, &work);
	} else {
		ust_stat_read(g, &st);
		if (st.count)
			v = sketch_percentile(g, 0, &st, percent, &work);
	}
	if (!st.count)
		ctx_fail(c, "empty aggregate");
	else
		ctx_work(c, work);
	return v;
}
