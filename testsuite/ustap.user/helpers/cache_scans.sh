#!/bin/bash
# SPDX-License-Identifier: GPL-2.0-or-later
# cache_scans.sh USTAP: what stays of old entries in ./cache after compiles a moment and some
# minutes after the last look at all of them, and with another limit.
ustap=$1
export USTAP_CACHE_DIR="$PWD/cache" USTAP_CACHE_MB=5

# compile N: a script that was not compiled before; prints the number of old entries
compile() {
	"$ustap" --runtime=user -p4 -e "probe begin { println($1) exit() }" > /dev/null
	ls cache/blobs | grep -c old
}

# old NAME AGE: an entry of 6 MB
old() {
	mkdir "cache/blobs/$1"
	head -c 6000000 /dev/zero > "cache/blobs/$1/data"
	touch -d "$2 ago" "cache/blobs/$1"
}

compile 1
old older '5 days'
compile 2
touch -d '2 minutes ago' cache/.limit
compile 3
old older '40 days'
compile 4
touch -d '2 minutes ago' cache/.blobs-age
compile 5
old older '5 days'
compile 6
USTAP_CACHE_MB=4 compile 7
