/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Collects the globals and hits of a view as metrics. All records are foreign data: numbers are
 * bounded here, names and strings are escaped by what writes them.
 */
#include "output/metrics.h"
#include "base/message.h"
#include "output/output_format.h"

#include <pthread.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

struct metrics_box {
	struct metrics *next; /* the reader's thread only */
	pthread_mutex_t lock;
	struct metrics *shown; /* complete, not taken; NULL */
	int event;
};

static struct metrics *new_metrics(void)
{
	struct metrics *m = xrealloc(NULL, sizeof *m);

	*m = (struct metrics){.families = xrealloc(NULL, METRIC_FAMILIES * sizeof *m->families)};
	return m;
}

struct metrics_box *metrics_new(void)
{
	struct metrics_box *b = xrealloc(NULL, sizeof *b);

	*b = (struct metrics_box){.next = new_metrics(),
				  .lock = PTHREAD_MUTEX_INITIALIZER,
				  .event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
	return b;
}

void metrics_free(struct metrics *m)
{
	if (!m)
		return;
	for (size_t i = 0; i < m->nfamilies; i++) {
		free(m->families[i].name);
		free(m->families[i].labels);
	}
	for (size_t i = 0; i < m->nhits; i++) {
		free(m->hits[i].point);
		free(m->hits[i].origin);
	}
	free(m->families);
	free(m->points);
	free(m->values);
	free(m->hits);
	free(m->strings.s);
	free(m);
}

void metrics_box_free(struct metrics_box *b)
{
	if (!b)
		return;
	metrics_free(b->next);
	metrics_free(b->shown);
	if (b->event >= 0)
		close(b->event);
	free(b);
}

int metrics_event(const struct metrics_box *b) { return b ? b->event : -1; }

static void *room_for(void *v, size_t n, size_t *cap, size_t size)
{
	if (n < *cap)
		return v;
	*cap = *cap ? 2 * *cap : 64;
	return xrealloc(v, *cap * size);
}

static void add_value(struct metrics *m, const struct arg *a)
{
	struct metric_value v = {a->is_string, a->number, m->strings.n, a->len};

	if (a->is_string)
		text_add(&m->strings, a->s, a->len);
	m->values = room_for(m->values, m->nvalues, &m->values_cap, sizeof v);
	m->values[m->nvalues++] = v;
}

static bool has_bytes(const struct metrics *m, const struct item *it)
{
	return m->strings.n + it->len < METRIC_BYTES &&
	       (m->nvalues + it->nargs) * sizeof *m->values < 4 * (size_t)METRIC_BYTES;
}

/* False, and counted, if the view or F has no more room. */
static bool has_room(struct metrics *m, const struct metric_family *f, const struct item *it)
{
	if (f->n < METRIC_ELEMENTS && m->npoints < METRIC_POINTS && has_bytes(m, it))
		return true;
	m->left_out++;
	return false;
}

/* The description is "NKEYS KIND NAME". NULL: another global does not fit. */
static struct metric_family *add_family(struct metrics *m, const struct item *it)
{
	char *end;
	unsigned long nkeys = strtoul(it->what, &end, 10);
	const char *name = strrchr(it->what, ' ');
	struct metric_family *f;

	if (m->nfamilies == METRIC_FAMILIES) {
		m->left_out++;
		return NULL;
	}
	name = name ? name + 1 : it->what;
	f = &m->families[m->nfamilies++];
	*f = (struct metric_family){.name = xstrndup(name, strlen(name)),
				    .labels = xstrndup(it->names, strlen(it->names)),
				    .nkeys = nkeys < 256 ? (unsigned)nkeys : 256,
				    .first = m->npoints};
	f->kind = !strncmp(end, " statistic ", 11) ? METRIC_STATISTIC
		  : !strncmp(end, " counter ", 9)  ? METRIC_COUNTER
						   : METRIC_GAUGE;
	return f;
}

/* A global appears again: the record that ends the view before this one was lost. */
static struct metrics *begin_again(struct metrics_box *b)
{
	metrics_free(b->next);
	b->next = new_metrics();
	return b->next;
}

static bool is_known(const struct metrics *m, const char *name)
{
	for (size_t i = 0; i < m->nfamilies; i++)
		if (!strcmp(m->families[i].name, name))
			return true;
	return false;
}

/* The family of IT, the last one or a new one. */
static struct metric_family *family_of(struct metrics_box *b, const struct item *it)
{
	struct metrics *m = b->next;
	struct metric_family *last = m->nfamilies ? &m->families[m->nfamilies - 1] : NULL;
	const char *name = strrchr(it->what, ' ');

	name = name ? name + 1 : it->what;
	if (last && !last->complete && !strcmp(last->name, name))
		return last;
	if (is_known(m, name))
		m = begin_again(b);
	return add_family(m, it);
}

static void add_point(struct metrics_box *b, const struct item *it)
{
	struct metric_family *f = family_of(b, it);
	struct metrics *m = b->next;
	struct metric_point p = {.first = m->nvalues, .n = it->nargs};

	if (!f || it->nargs < f->nkeys || !has_room(m, f, it))
		return;
	for (size_t i = 0; i < it->nargs; i++)
		add_value(m, &it->args[i]);
	m->points = room_for(m->points, m->npoints, &m->points_cap, sizeof p);
	m->points[m->npoints++] = p;
	f->n++;
}

/* The histogram of the statistic shown before it. */
static void add_histogram(struct metrics *m, const struct item *it)
{
	struct metric_family *f = m->nfamilies ? &m->families[m->nfamilies - 1] : NULL;
	struct metric_point *p = f && f->n ? &m->points[m->npoints - 1] : NULL;

	if (!p || f->complete || f->kind != METRIC_STATISTIC || p->nhist || !has_bytes(m, it))
		return;
	f->hist = HIST_LOG;
	if (sscanf(it->what, "linear %" SCNd64 " %" SCNd64 " %u", &f->low, &f->step, &f->buckets) ==
	    3)
		f->hist = HIST_LINEAR;
	if (f->buckets > METRIC_BUCKETS)
		f->buckets = METRIC_BUCKETS;
	p->hist = m->nvalues;
	for (size_t i = 0; i + 1 < it->nargs; i += 2) {
		add_value(m, &it->args[i]);
		add_value(m, &it->args[i + 1]);
		p->nhist += 2;
	}
}

void metrics_item(struct metrics_box *b, const struct item *it)
{
	if (it->kind == ITEM_GLOBAL)
		add_point(b, it);
	else if (it->kind == ITEM_HIST)
		add_histogram(b->next, it);
}

void metrics_hit_end(struct metrics_box *b)
{
	if (b->next->nfamilies)
		b->next->families[b->next->nfamilies - 1].complete = true;
}

void metrics_count(struct metrics_box *b, const struct ust_count *c, const char *point,
		   const char *origin)
{
	struct metrics *m = b->next;

	if (m->nhits && c->index <= m->hits[m->nhits - 1].count.index)
		m = begin_again(b);
	if (m->nhits == METRIC_HITS) {
		m->left_out++;
		return;
	}
	m->hits = room_for(m->hits, m->nhits, &m->hits_cap, sizeof *m->hits);
	m->hits[m->nhits++] = (struct metric_hits){*c, xstrndup(point, strlen(point)),
						   xstrndup(origin, strlen(origin))};
}

void metrics_view_end(struct metrics_box *b)
{
	struct metrics *m = b->next;
	struct timespec ts;
	uint64_t one = 1;

	clock_gettime(CLOCK_REALTIME, &ts);
	m->realtime = (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
	pthread_mutex_lock(&b->lock);
	metrics_free(b->shown);
	b->shown = m;
	pthread_mutex_unlock(&b->lock);
	b->next = new_metrics();
	if (write(b->event, &one, sizeof one) < 0)
		return; /* readable already */
}

struct metrics *metrics_take(struct metrics_box *b)
{
	struct metrics *m;
	uint64_t count;

	pthread_mutex_lock(&b->lock);
	m = b->shown;
	b->shown = NULL;
	if (read(b->event, &count, sizeof count) < 0)
		count = 0; /* nothing was new */
	pthread_mutex_unlock(&b->lock);
	return m;
}

/* ------------------------------------------------------------- histograms */

int64_t metric_samples(const struct metrics *m, const struct metric_family *f,
		       const struct metric_point *p)
{
	enum { AT_COUNT = 0, STATISTIC_VALUES = 4 };
	const struct metric_value *v = &m->values[p->first + f->nkeys], *hist = &m->values[p->hist];
	int64_t count = p->n - f->nkeys >= STATISTIC_VALUES ? metric_bucket(v[AT_COUNT].number) : 0;
	int64_t sum = 0;

	for (size_t i = 0; i + 1 < p->nhist; i += 2) {
		int64_t n = metric_bucket(hist[i + 1].number);

		sum = n > INT64_MAX - sum ? INT64_MAX : sum + n;
	}
	return p->nhist && sum > count ? sum : count;
}

enum { LOG_ZERO = 64 }; /* the bucket of 0 */

static int64_t log_bound(int64_t i)
{
	if (i == LOG_ZERO)
		return 0;
	if (i > LOG_ZERO)
		return (int64_t)((1ull << (i - LOG_ZERO)) - 1);
	return -(int64_t)(1ull << (LOG_ZERO - i - 1));
}

int64_t metric_bound(const struct metric_family *f, int64_t i)
{
	if (f->hist == HIST_LOG)
		return log_bound(i);
	return (int64_t)((uint64_t)f->low + (uint64_t)i * (uint64_t)f->step - 1);
}

struct metric_bounds metric_bounds(const struct metrics *m, const struct metric_family *f)
{
	struct metric_bounds b = {LOG_ZERO, LOG_ZERO + 63};

	if (f->hist == HIST_LINEAR)
		return (struct metric_bounds){0, f->buckets < 2 ? -1 : (int64_t)f->buckets - 2};
	for (size_t i = f->first; i < f->first + f->n; i++) {
		const struct metric_point *p = &m->points[i];

		if (p->nhist && m->values[p->hist].number < b.first &&
		    m->values[p->hist].number > 0)
			b.first = m->values[p->hist].number;
	}
	return b;
}
