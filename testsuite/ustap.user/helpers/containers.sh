# FLEET.MD CASE [STAPRUN PROGRAM]: the recipes for containers in doc/fleet.md
document=$1

# block LANGUAGE TEXT: the first block of this language that contains TEXT
block() {
	awk -v start="\`\`\`$1" -v text="$2" '
		$0 == start { inside = 1; block = ""; next }
		/^```$/ && inside && index(block, text) { printf "%s", block; exit }
		/^```$/ { inside = 0 }
		inside { block = block $0 "\n" }' "$document"
}

# kubectl drops fields that its types do not have
kubernetes() {
	block yaml DaemonSet > document.yaml
	KUBECONFIG=/dev/null kubectl set image --local -f document.yaml ustap=other -o json \
		> typed.json || exit
	python3 - <<-'END'
	import json, yaml

	def missing(have, want, path=""):
	    if isinstance(want, dict):
	        for key, value in want.items():
	            if not isinstance(have, dict) or key not in have:
	                print("unknown:", path + "." + key)
	            else:
	                missing(have[key], value, path + "." + key)
	    elif isinstance(want, list):
	        for a, b in zip(have, want):
	            missing(a, b, path + "[]")
	    elif have != want and not path.endswith(".image"):
	        print("differs:", path)

	want = yaml.safe_load(open("document.yaml"))
	missing(json.load(open("typed.json")), want)
	spec = want["spec"]["template"]["spec"]
	volumes = {v["name"] for v in spec["volumes"]}
	mounts = {m["name"] for c in spec["containers"] for m in c["volumeMounts"]}
	print(want["kind"], mounts == volumes)
	END
	kubectl debug --help > help
	for option in $(block sh 'kubectl debug' | grep -o -- ' --[a-z]*[= ]' | tr -d '= '); do
		[ "$option" = -- ] || grep -q -- "$option=" help || echo "unknown: $option"
	done
}

# The image has all that the bundle needs, and traces a program of the machine.
image() {
	local staprun=$2 prog=$3 root

	mkdir -p context && cd context || exit 1
	"${staprun%/*}/ustap" bundle --runtime=user -o sales \
		-e "global hits probe process(\"$prog\").mark(\"called\") { hits++ }
		probe end { printf(\"hits %d\\n\", hits) }" > sum || exit
	buildah() {
		command buildah --root "$PWD/../storage" --runroot "$PWD/../run" \
			--storage-driver vfs "$@"
	}
	eval "$(block sh 'buildah bud')" > build.log 2>&1 || { cat build.log; exit 1; }
	buildah inspect --type image --format '{{.OCIv1.Config.Entrypoint}}' sales
	echo
	root=$(buildah mount "$(buildah from sales)")
	mkdir -p "$root/proc" "$root/dev" "$root${prog%/*}"
	mount --bind /proc "$root/proc"
	mount --bind /dev "$root/dev"
	mount --bind "${prog%/*}" "$root${prog%/*}"
	chroot "$root" /ustap/run --follow="$prog" > ../hits 2> ../said & run=$!
	until grep -q '^following' ../said; do sleep 0.1; done
	"$prog" 10
	"$prog" 10
	kill -INT $run
	wait $run
	cat ../hits
	grep -v '^following' ../said
	umount "$root${prog%/*}" "$root/dev" "$root/proc"
	buildah umount --all > /dev/null
	buildah rm --all > /dev/null
	rm -rf ../storage ../run
}

"$2" "${@:2}"
