<?php
// What the tests of php's probe points look at.
function fact($n)
{
	return $n < 2 ? 1 : $n * fact($n - 1);
}

class Shape {
	static function unit() { return new Shape; }
	function area() { throw new RangeException("none"); }
}

fact(3);
try {
	Shape::unit()->area();
} catch (RangeException $e) {
}
