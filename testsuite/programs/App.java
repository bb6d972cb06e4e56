// Target of the tests of HotSpot's probe points.
public class App {
	static int fact(int n) { return n < 2 ? 1 : n * fact(n - 1); }
	static class Shape { }

	public static void main(String[] args) throws Exception {
		fact(2);
		new Shape();
		Thread t = new Thread(() -> { }, "worker");
		t.start();
		t.join();
		synchronized (args) {
			args.wait(3);
			args.notifyAll();
		}
		System.gc();
	}
}
