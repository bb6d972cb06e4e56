! SPDX-License-Identifier: GPL-2.0-or-later
! Arrays of Fortran that are parts of other objects, and of several dimensions; prints what it sees.
module parts
  implicit none
  type polygon
    integer :: corners
    real, allocatable :: x(:)
    integer :: colour
  end type
  type drawing
    integer, allocatable :: plane(:,:), none(:,:)
    integer, allocatable :: space(:,:,:)
    integer, pointer :: some(:,:)
    type(polygon), allocatable :: polygons(:)
    character, pointer :: letters(:)
  end type
contains
  subroutine look(d, grid)
    type(drawing), intent(in) :: d
    integer, allocatable, intent(in) :: grid(:,:)
    print '(a,9(x,i0))', 'plane', d%plane
    print '(a,9(x,i0))', 'space', d%space
    print '(a,9(x,i0))', 'some', d%some
    print '(a,9(x,a))', 'letters', d%letters
    print '(a,9(x,i0))', 'grid', grid
    print '(a,2(x,i0),9(x,f3.1))', 'polygon', d%polygons(2)%corners, d%polygons(2)%colour, &
         d%polygons(2)%x
  end subroutine
end module
program main
  use parts
  implicit none
  type(drawing) :: d
  integer, target :: all(4, 5)
  character, target :: text(5) = ['a', 'b', 'c', 'd', 'e']
  integer, allocatable :: grid(:,:)
  integer :: i
  all = reshape([(i, i = 1, 20)], [4, 5])
  allocate(d%plane(0:1, 3), d%space(2, 2, 2), d%polygons(2), grid(2, 2))
  d%plane = reshape([1, 2, 3, 4, 5, 6], [2, 3])
  d%space = reshape([1, 2, 3, 4, 5, 6, 7, 8], [2, 2, 2])
  d%some => all(1:4:2, 2:5:3)
  d%letters => text(5:1:-2)
  d%polygons(1)%corners = 1
  d%polygons(1)%colour = 3
  d%polygons(2)%corners = 2
  d%polygons(2)%colour = 4
  d%polygons(2)%x = [9.5, 2.5]
  grid = reshape([7, 8, 9, 10], [2, 2])
  call look(d, grid)
end program
