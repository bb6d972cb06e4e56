# USTAP: each tapset function compiles in a script that uses no other.
ustap=$1
"$ustap" --dump-functions | grep -v -e '^@' -e '^__' > functions
while IFS= read -r line; do
	name=${line%%[:(]*}
	args=$(sed 's/^[^(]*(//; s/)$//' <<< "$line" | tr , '\n' | sed '/^$/d; s/.*:string.*/"1"/; s/.*:.*/1/' | paste -sd,)
	"$ustap" -g -w -p3 --runtime=user -e "probe process(\"/bin/bash\").function(\"main\") { $name($args) }" > text 2> err || {
		echo "$line"
		head -n 3 err
	}
done < functions
[ "$(wc -l < functions)" -gt 200 ] && echo "all functions compile"
