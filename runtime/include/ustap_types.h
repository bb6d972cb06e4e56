/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Part of ustap_rt.h: registers, limits and globals. */
#ifndef USTAP_USTAP_TYPES_H
#define USTAP_USTAP_TYPES_H

/* ---------------------------------------------------------------------- abi */

#define UST_ABI         3u
#define UST_MAXKEYS     9
#define ust_unlikely(x) __builtin_expect(!!(x), 0)

typedef long long ust_long;
typedef unsigned long long ust_u64;
typedef unsigned int ust_u32;

/* ------------------------------------------------------------- registers */

#include "arch/ustap_regs.h"

/* ---------------------------------------------------------------- limits */

#ifndef UST_MAXSTRINGLEN
#define UST_MAXSTRINGLEN 512
#endif
typedef char ust_string[UST_MAXSTRINGLEN];

/* --------------------------------------------------------------- globals */

enum ust_type { UST_NONE, UST_LONG, UST_STRING, UST_STAT };
enum ust_storage {
	UST_VAR,      /* long, string: .l / .s under the handler's locks */
	UST_COUNTER,  /* long that handlers only add to: per-CPU, no lock */
	UST_AGG,      /* statistic: per-CPU, no lock */
	UST_ARRAY,    /* array of long or string */
	UST_AGG_ARRAY /* array of statistics: per-CPU, no lock */
};

/* Rules by which the values of several runs become one: none, addition, the newest is kept. */
enum ust_merge_rule { UST_MERGE_NONE, UST_MERGE_ADD, UST_MERGE_NEWEST };

enum ust_hist { UST_HIST_NONE, UST_HIST_LOG, UST_HIST_LINEAR };
#define UST_HIST_LOG_BUCKETS 128

struct thread_stats;
struct ust_gvar {
	/* set by the runtime */
	ust_long l; /* UST_VAR of type UST_LONG; initial value of UST_COUNTER */
	char *s;    /* UST_VAR of type UST_STRING: maxstringlen bytes */
	void *impl;
	struct thread_stats *threads; /* UST_AGG, if the port has cells of threads */
	/* set by emitted code */
	const char *name;
	const char *init_s; /* initial string or 0; .l holds an initial number */
	unsigned char storage, type, nkeys, wrap;
	unsigned char keys[UST_MAXKEYS]; /* enum ust_type */
	_Bool estimated; /* by the runtime: sampled hits have added to it, see --max-overhead */
	unsigned char norders; /* number of sorted foreach loops over it in the script */
	ust_u32 max;           /* elements, for arrays */
	const char *full;      /* for arrays that do not wrap: the error when they are full */
	/* statistics: data in addition to count, sum, min and max */
	unsigned char variance, hist; /* truth; enum ust_hist */
	ust_u32 buckets;              /* of the histogram, including the two for values out of
				       * range */
	ust_long low, step;           /* of a linear one: lower bound, width of a bucket */
	/* the error when there is no memory for percentiles, if the script asks for some; else 0 */
	const char *percentiles;
	/* enum ust_merge_rule; only in programs with a struct ust_merge */
	unsigned char merge;
	_Bool replaced; /* by the runtime: merging has replaced a value by a newer one */
	/* set by the runtime: initial values, for ust_global_reset() */
	ust_long first_l;
	char *first_s;
};

union ust_key {
	ust_long l;
	const char *s;
};

/* CALL with an array `key` of these keys, valid during the call: all calls share one stack slot. */
#define UST_KEYED(call, ...)                               \
	({                                                 \
		const union ust_key key[] = {__VA_ARGS__}; \
		call;                                      \
	})

struct ust_stat {
	ust_long count, sum, min, max;
};

#endif
