# Benchmarks: `make bench' runs all of them, or those in BENCH, and fails after the last if a
# value is over its limit. BESIDE=DIR measures the build in DIR, too.
EXTRA_DIST += bench/attach bench/gaps.c \
	bench/build-time bench/cold-start bench/common.sh bench/deep.c bench/fleet bench/hit-cost \
	bench/jumps bench/kernel.c bench/kernel-cost bench/names bench/parse bench/peers \
	bench/queries bench/run \
	bench/reader bench/record bench/sketch bench/target.c bench/user-cost bench/bare/Kbuild \
	bench/bare/bare.c bench/bare/kbare.c

bench: all
	USTAP=$(abs_builddir)/ustap STAPRUN=$(abs_builddir)/staprun $(srcdir)/bench/run $(BENCH)

# The limits of `names' are those of ceph-osd, whose packages ceph-osd and ceph-osd-dbg have 600 MB.
.PHONY: bench bench-names
bench-names: all
	USTAP=$(abs_builddir)/ustap $(srcdir)/bench/run names
