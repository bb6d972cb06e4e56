# STAPRUN KO PROGRAM: the middle one of the delays counts, a busy machine may delay some
"$1" -c "$3 15 200000" "$2" | while read -r then; do
	now=${EPOCHREALTIME/./}
	echo $((now / 1000 - then))
done | sort -n > delays
middle=$(sed -n 8p delays)
if [ "$middle" -lt 400 ]; then echo soon; else echo "after $middle ms"; fi
