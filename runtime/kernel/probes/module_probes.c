/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Probes in modules of the kernel come and go with them.
 *
 * The kernel says when a module is about to run and when it has ended.  No reference is held:
 * whoever removes a module that is probed does not wait for us.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "rt.h"

static bool watching;

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	const struct module *m = data;

	if (state == MODULE_STATE_COMING)
		kprobe_module_comes(m->name);
	else if (state == MODULE_STATE_GOING)
		kprobe_module_goes(m->name);
	return NOTIFY_DONE;
}

/* Before the kernel itself looks at a module that goes, and after it has looked at one that comes,
 * it would be best; both orders are allowed. */
static struct notifier_block module_notifier = {.notifier_call = on_module};

#ifdef CONFIG_MODULES
/* Also called for modules that are there already. */
static int on_tracepoints(struct notifier_block *nb, unsigned long state, void *data)
{
	struct tp_module *t = data;
	int i;

	for (i = 0; i < t->mod->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&t->mod->tracepoints_ptrs[i]);

		if (state == MODULE_STATE_COMING)
			kprobe_tracepoint_comes(t->mod->name, tp);
		else if (state == MODULE_STATE_GOING)
			kprobe_tracepoint_goes(tp);
	}
	return NOTIFY_DONE;
}

static struct notifier_block tracepoint_notifier = {.notifier_call = on_tracepoints};
#endif

int kmodule_watch(void)
{
	int err = register_module_notifier(&module_notifier);

	if (err)
		return err;
#ifdef CONFIG_MODULES
	register_tracepoint_module_notifier(&tracepoint_notifier);
#endif
	watching = true;
	return 0;
}

void kmodule_unwatch(void)
{
	if (!watching)
		return;
	watching = false;
#ifdef CONFIG_MODULES
	unregister_tracepoint_module_notifier(&tracepoint_notifier);
#endif
	unregister_module_notifier(&module_notifier);
}
