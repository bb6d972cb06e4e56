# SPDX-License-Identifier: GPL-2.0-or-later
# served.sh USTAP SERVER PROGRAM: what ustap and staprun do where PROGRAM is on a file system whose
# FUSE server does not answer.
ustap=$1 server=$2
mkdir served && cp "$3" served/program || exit 9
script='probe process("served/program").function("mark") { println("hit") }'
"$ustap" -p4 --runtime=user -m served -e "$script" > /dev/null || exit 9
look() { "$server" served "$PWD/served" program "$@" 2>&1; }

look "$ustap" -p2 --runtime=user -e "$script" | grep error:
look "$(dirname "$ustap")/staprun" served.ust -c true | sed "s#$PWD/##"
