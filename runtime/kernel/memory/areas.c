/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Areas of a memory map, found under RCU without the lock of the map.
 *
 * The areas are in a maple tree, whose nodes <linux/maple_tree.h> describes. The kernel's own
 * functions begin again at a removed node, until its writer has replaced it. In a handler that
 * could take for ever: the handler may have interrupted that writer, or hold a lock of the
 * scheduler that the writer's processor waits for. So a search here ends at a removed node. Nodes
 * are freed after a grace period. Reads may fail, so that a tree of another form, as a future
 * kernel may have it, does no harm until areas_init() has recognised it.
 */
#include <linux/mm.h>
#include <linux/sched.h>

#include "memory/areas.h"
#include "rt.h"

#ifdef HAVE_AREA_TREE
static bool readable;

enum { MOST_LEVELS = 16, MOST_GAPS = 4, MOST_COMPARED = 64 };

/* A reference to a node, with the node's type in some of its low bits. */
typedef unsigned long node_ref;

static const struct maple_node *node_of(node_ref ref)
{
	return (const struct maple_node *)(ref & ~MAPLE_NODE_MASK);
}

static enum maple_type type_of(node_ref ref)
{
	return ref >> MAPLE_NODE_TYPE_SHIFT & MAPLE_NODE_TYPE_MASK;
}

/* A node: slot I is for the addresses up to pivot I, of which there are N, one less than slots. */
struct view {
	const struct maple_node *node;
	const unsigned long *pivots;
	void __rcu *const *slots;
	const struct maple_metadata *meta;
	u32 n;
	bool leaf; /* its slots have areas, not nodes */
	bool gaps; /* it has sizes of gaps, and its metadata always */
};

static struct view view_of(node_ref ref)
{
	const struct maple_node *node = node_of(ref);
	enum maple_type type = type_of(ref);

	if (type == maple_arange_64)
		return (struct view){.node = node,
				     .pivots = node->ma64.pivot,
				     .slots = node->ma64.slot,
				     .meta = &node->ma64.meta,
				     .n = MAPLE_ARANGE64_SLOTS - 1,
				     .gaps = true};
	return (struct view){.node = node,
			     .pivots = node->mr64.pivot,
			     .slots = node->mr64.slot,
			     .meta = &node->mr64.meta,
			     .n = MAPLE_RANGE64_SLOTS - 1,
			     .leaf = type < maple_range_64};
}

/* Put the index of the last slot that is used into LAST; MAX: the last address that the node is
 * for. A full node without gaps has a slot where another has its metadata. */
static bool last_slot(const struct view *v, unsigned long max, u32 *last)
{
	struct maple_metadata meta;
	unsigned long pivot = 0;

	if (!v->gaps && !READ_FIELD(pivot, &v->pivots[v->n - 1]))
		return false;
	if (pivot) {
		*last = pivot == max ? v->n - 1 : v->n;
		return true;
	}
	if (!READ_FIELD(meta, v->meta))
		return false;
	*last = meta.end;
	return meta.end <= v->n;
}

/* True if the node was not removed from the tree before its slots were read. */
static bool is_in_tree(const struct view *v)
{
	unsigned long parent;

	smp_rmb(); /* after the slots */
	return READ_FIELD(parent, &v->node->parent) && node_of(parent) != v->node;
}

/* Read the slot for ADDR. MAX: the last address that the node is for, then that of the slot. */
static bool slot_for(const struct view *v, unsigned long addr, unsigned long *max, node_ref *slot)
{
	unsigned long pivot;
	u32 i, last;

	if (!last_slot(v, *max, &last))
		return false;
	for (i = 0; i < last; i++) {
		if (!READ_FIELD(pivot, &v->pivots[i]))
			return false;
		if (pivot >= addr) {
			*max = pivot;
			break;
		}
	}
	return READ_FIELD(*slot, &v->slots[i]) && is_in_tree(v);
}

/* Put the area at ADDR, 0 for a gap, into ENTRY, and its last address into MAX. */
static bool entry_for(node_ref root, unsigned long addr, unsigned long *max, node_ref *entry)
{
	node_ref at = root;
	u32 level;

	*max = ULONG_MAX;
	for (level = 0; level < MOST_LEVELS; level++) {
		struct view v = view_of(at);

		if (!slot_for(&v, addr, max, &at))
			return false;
		if (v.leaf) {
			*entry = at;
			return true;
		}
	}
	return false;
}

bool areas_find(const struct mm_struct *mm, unsigned long addr, const struct vm_area_struct **vma)
{
	node_ref root = (node_ref)READ_ONCE(mm->mm_mt.ma_root), entry;
	unsigned long max;
	u32 n;

	*vma = NULL;
	/* the map has no area */
	if (!xa_is_node((void *)root))
		return true;
	for (n = 0; n < MOST_GAPS; n++) {
		if (!entry_for(root, addr, &max, &entry))
			return false;
		*vma = (const struct vm_area_struct *)entry;
		if (entry || max == ULONG_MAX)
			return true;
		addr = max + 1;
	}
	return false;
}

static bool finds(const struct mm_struct *mm, unsigned long addr, const struct vm_area_struct *vma)
{
	const struct vm_area_struct *found;

	return areas_find(mm, addr, &found) && found == vma;
}

/* The kernel's answers for the first areas of the loader, and for what precedes them. */
static bool answers_agree(struct mm_struct *mm)
{
	const struct vm_area_struct *vma;
	unsigned long at = 0;
	u32 n;

	for (n = 0; n < MOST_COMPARED && (vma = find_vma(mm, at)); n++) {
		if (!finds(mm, at, vma) || !finds(mm, vma->vm_start, vma) ||
		    !finds(mm, vma->vm_end - 1, vma))
			return false;
		at = vma->vm_end;
	}
	return n == MOST_COMPARED || finds(mm, at, NULL);
}

int areas_init(void)
{
	struct mm_struct *mm = current->mm;

	if (mm && !mmap_read_lock_killable(mm)) {
		readable = answers_agree(mm);
		mmap_read_unlock(mm);
	}
	return 0;
}

bool areas_are_readable(const struct mm_struct *mm) { return readable && mt_in_rcu(&mm->mm_mt); }
#else
int areas_init(void) { return 0; }

bool areas_are_readable(const struct mm_struct *mm) { return false; }

bool areas_find(const struct mm_struct *mm, unsigned long addr, const struct vm_area_struct **vma)
{
	*vma = NULL;
	return false;
}
#endif
