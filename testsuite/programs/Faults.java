// SPDX-License-Identifier: GPL-2.0-or-later
// Null pointers that the machine finds by SIGSEGV.  Faults.class.base64 is what
// `javac -g:none --release 8 Faults.java` makes of it, for machines without a compiler.
class Faults {
	static int length(String s) {
		try {
			return s.length();
		} catch (NullPointerException e) {
			return -1;
		}
	}

	public static void main(String[] arguments) {
		long sum = 0;

		for (int i = 0; i < 200000; i++)
			sum += length((i & 1023) == 0 ? null : "abc");
		System.out.println(sum);
	}
}
