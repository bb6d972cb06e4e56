# SPDX-License-Identifier: GPL-2.0-or-later
# Shared by kernel and run: where things are kept.  Sourced by bash.
vm_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
state=${USTAP_VM_STATE:-${XDG_CACHE_HOME:-$HOME/.cache}/ustap/vm}
mkdir -p "$state/kernels" "$state/saved" "$state/share"
state=$(cd "$state" && pwd -P)

die() { echo "${0##*/}: $*" >&2; exit 125; }
