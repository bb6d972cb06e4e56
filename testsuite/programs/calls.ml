(* Counts its own calls and returns, with exceptions, and collections of unused memory meanwhile. *)
exception Bad of int

let calls = ref 0
let returns = ref 0

let rec fib n =
  incr calls;
  let list = List.init 10 (fun i -> string_of_int (i + n)) in
  let r = if n < 2 then n else fib (n - 1) + fib (n - 2) in
  if List.length list <> 10 then print_endline "lost";
  incr returns;
  r

let risky n = if n mod 3 = 0 then raise (Bad n) else n + String.length (string_of_int n)

let () =
  ignore (fib 15);
  Gc.full_major ();
  let good = ref 0 and bad = ref 0 in
  for i = 1 to 100 do
    try
      ignore (Sys.opaque_identity (risky i));
      incr good
    with Bad _ -> incr bad
  done;
  Printf.printf "fib %d %d %d\n" !calls !returns !returns;
  Printf.printf "risky %d %d\n" !good !bad
