# module_damage.sh USTAP RELEASE-DIRECTORY CACHE: damage a cached module; the next run makes it
# again.  CACHE has what another test has prepared for the kernel, if it has.
ustap=$1 build=$2 shared=$3
export USTAP_CACHE_DIR=$PWD/cache
mkdir -m 700 cache
[ ! -d "$shared/kernels" ] || cp -a "$shared/kernels" cache/
make_module() { "$ustap" -v -r "$build" -p4 -e 'probe begin { println("hello") exit() }' 2> told; }
module=$(make_module) || cat told
sha256sum "$module" | cut -c1-64 > want
printf '\377' | dd of="$module" bs=1 seek=5000 conv=notrunc status=none
make_module > /dev/null && grep -o 'is damaged, made again' told
sha256sum "$module" | cut -c1-64 | cmp - want && echo same
truncate -s 100 "$module"
make_module > /dev/null && grep -o 'is damaged, made again' told
sha256sum "$module" | cut -c1-64 | cmp - want && echo same
: > "${module%/*}/SHA256SUMS"
make_module > /dev/null && grep -o 'is damaged, made again' told
make_module > /dev/null && grep -o 'from the cache' told
