# SPDX-License-Identifier: GPL-2.0-or-later
# STAPRUN KO PROGRAM HOW: run the script while the program runs elsewhere, as HOW says
staprun=$1 ko=$2 prog=$3
d=$(mktemp -d)
mount -t tmpfs none "$d" && cd "$d" || exit
mkdir root u w o
touch root/inside
mount --bind "$prog" root/inside
case $4 in
chroot)
	"$staprun" "$ko" -c "chroot root /inside threads" ;;
mounted)
	echo 'mount --rbind "$1" u && exec u/inside threads' > elsewhere
	"$staprun" "$ko" -c "unshare -m sh elsewhere root" ;;
overlay)
	mount -t overlay -o "lowerdir=${prog%/*},upperdir=u,workdir=w" none o
	"$staprun" "$ko" -c "o/${prog##*/} threads"
	umount o ;;
esac
umount root/inside
cd / && umount "$d" && rmdir "$d"
