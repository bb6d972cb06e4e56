# Target of the tests of Perl's probe points.

sub outer
{
	Shape::area(3);
	eval { fails(1) };
}

sub fails { die "none\n" }
sub Shape::area { return $_[0] * $_[0] }

outer();
do "./app_more.pl";
