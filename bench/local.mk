# Benchmarks: `make bench' prints what each measures, and fails where a limit is passed.
EXTRA_DIST += bench/build-time bench/hit-cost bench/parse bench/target.c bench/user-cost bench/bare/Kbuild bench/bare/bare.c

bench: all
	USTAP=$(abs_builddir)/ustap $(srcdir)/bench/parse
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/build-time
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/hit-cost
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/user-cost
