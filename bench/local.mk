# Benchmarks: `make bench' prints what each measures, and fails where a limit is passed.
EXTRA_DIST += bench/build-time bench/deep.c bench/hit-cost bench/kernel.c bench/kernel-cost bench/names bench/parse bench/target.c bench/user-cost bench/bare/Kbuild bench/bare/bare.c bench/bare/kbare.c

bench: all
	USTAP=$(abs_builddir)/ustap $(srcdir)/bench/parse
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/build-time
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/hit-cost
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/kernel-cost
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/user-cost

# Needs ceph-osd and ceph-osd-dbg (600 MB) for its limits, so it is not part of `make bench'.
.PHONY: bench-names
bench-names: all
	USTAP=$(abs_builddir)/ustap $(srcdir)/bench/names
