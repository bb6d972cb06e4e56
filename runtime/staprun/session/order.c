/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Commands to the module, sent from a thread so that signals are handled meanwhile. */
#include "base/message.h"
#include "session/run.h"
#include "session/session_ops.h"
#include "wire.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static void *order_main(void *arg)
{
	struct order *o = arg;
	uint64_t one = 1;

	o->began = clock_ns();
	if (o->op == UST_CMD_START)
		kallsyms_send(o->session);
	o->error = session_command(o->session, o->op, o->flags, o->target);
	if (write(o->done, &one, sizeof one) < 0)
		abort();
	return NULL;
}

bool order_init(struct order *o, const struct session *s)
{
	o->session = s;
	o->done = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return o->done >= 0 || fail("eventfd: %s", strerror(errno));
}

void order_start(struct order *o, enum ust_cmd_op op, unsigned flags, pid_t target)
{
	o->op = op;
	o->flags = flags;
	o->target = target;
	o->active = !pthread_create(&o->thread, NULL, order_main, o);
	if (!o->active)
		order_main(o);
}

int order_result(struct order *o)
{
	uint64_t count;

	if (read(o->done, &count, sizeof count) < 0)
		abort();
	if (o->active)
		pthread_join(o->thread, NULL);
	o->active = false;
	if (verbose > 1 && (o->op == UST_CMD_START || o->op == UST_CMD_STOP))
		note("%s took %.3f s", o->op == UST_CMD_START ? "starting" : "stopping",
		     (clock_ns() - o->began) / 1e9);
	return o->error;
}
