# The runtime is installed as source: it is compiled once for each kernel.
# Keep one file a line, sorted.
nobase_dist_pkgdata_DATA += \
	runtime/include/ustap_rt.h \
	runtime/include/wire.h
