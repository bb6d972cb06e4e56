# STAPRUN BLOB: PostgreSQL's server by itself, on a database that is made here, gets some queries.
bin=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
cd "$dir" || exit
# it refuses to run as root
as=
if [ "$(id -u)" = 0 ]; then
	chown postgres "$dir"
	as="setpriv --reuid=postgres --regid=postgres --clear-groups"
fi
$as "$bin/initdb" -D data -N -A trust > log 2>&1 || { cat log; exit; }
cat > queries << 'END'
create table t (a int, b text);
insert into t select i, 'row ' || i from generate_series(1, 50) i;
begin; select count(*) from t where a % 7 = 0; rollback;
select b from t order by b desc limit 2;
select no_such_column from t;
END
"$1" -o told -c "$as $bin/postgres --single -D $dir/data -c shared_buffers=16MB postgres" "$2" \
	< queries > answers 2> errors
grep -h -e ustap -e staprun -e WARNING errors
sed 's/^ustap: //' told
sed -n 's/.*\(count\|b\) = "\([^"]*\)".*/answer \2/p' answers
