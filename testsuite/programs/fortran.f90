! SPDX-License-Identifier: GPL-2.0-or-later
! Arrays, strings and procedures of Fortran; prints what the functions are called with.
module geometry
  implicit none
  type point
     real(8) :: x, y
     character(len=4) :: tag
     integer :: weights(-1:1)
  end type
  integer, parameter :: most = 12
  integer :: total = 7
  integer, allocatable :: table(:)
contains
  subroutine scale(p, by, label)
    type(point), intent(in out) :: p
    real(8), intent(in) :: by
    character(len=*), intent(in) :: label
    p%x = p%x * by
    p%y = p%y * by
    print '(a,f4.1,a,f4.1,5a,i0,2a)', 'scale ', p%x, ' ', p%y, ' [', p%tag, '] ', 'by ', '', &
         nint(by * 10), ' ', label
  end subroutine
  ! An array with constant bounds: column after column.
  subroutine fixed(g)
    integer, intent(in) :: g(2:4, -1:0)
    print '(a,2(i0,x),a,6(x,i0))', 'fixed ', g(2, -1), g(4, 0), 'all', g
  end subroutine
  ! Bounds by arguments.
  subroutine adjustable(a, n, m)
    integer, intent(in) :: n, m
    integer, intent(in) :: a(n, 0:m)
    print '(a,2(i0,x),a,i0)', 'adjustable ', a(n, 0), a(1, m), 'size ', size(a)
  end subroutine
  ! A descriptor: of all of an array, or of every second element.
  subroutine assumed(v)
    integer, intent(in) :: v(:)
    integer :: n
    n = size(v)
    total = total + n
    print '(a,i0,a,9(x,i0))', 'assumed ', n, ':', v
  end subroutine
  subroutine plane(v)
    integer, intent(in) :: v(:, :)
    print '(a,i0,x,i0)', 'plane ', v(2, 1), v(3, 2)
  end subroutine
  subroutine wave(z, on)
    complex(8), intent(in) :: z
    logical, intent(in) :: on
    print '(a,f3.1,x,f4.1,x,l1)', 'wave ', real(z), aimag(z), on
  end subroutine
end module

subroutine outside(n)
  integer, intent(in) :: n
  integer :: shared_one, shared_two
  common /shared/ shared_one, shared_two
  shared_two = shared_one + n
  print '(a,i0,x,i0,x,i0)', 'outside ', n, shared_one, shared_two
end subroutine

program drawing
  use geometry
  implicit none
  type(point) :: p
  integer :: g(2:4, -1:0), shared_one, shared_two
  integer, target :: flat(6)
  integer, pointer :: every(:)
  integer, allocatable :: line(:), none(:)
  character(len=6) :: word
  common /shared/ shared_one, shared_two
  p = point(1d0, 2d0, 'ab', [10, 20, 30])
  word = 'word'
  shared_one = 40
  g = reshape([1, 2, 3, 4, 5, 6], [3, 2])
  flat = [1, 2, 3, 4, 5, 6]
  every => flat(2:6:2)
  allocate(line(5:7))
  line = [50, 60, 70]
  allocate(table(0:2))
  table = [100, 101, 102]
  call scale(p, 2.5d0, 'label')
  call fixed(g)
  call adjustable(flat, 2, 2)
  call assumed(flat)
  call assumed(flat(1:6:2))
  call plane(g)
  call wave((3d0, -4d0), .true.)
  call outside(2)
  call finish(word)
contains
  subroutine finish(text)
    character(len=*), intent(in) :: text
    print '(3a,i0,x,i0,x,l1)', 'finish [', text, '] ', line(5), line(7), allocated(none)
  end subroutine
end program
