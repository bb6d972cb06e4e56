! SPDX-License-Identifier: GPL-2.0-or-later
! Source of a seed of the ELF fuzzer (fuzz/seeds): arrays and strings whose bounds are expressions.
module shapes
  integer, parameter :: most = 3
  integer, allocatable :: total(:)
  type part
    integer, allocatable :: rows(:, :)
    character, pointer :: letters(:)
  end type
contains
  subroutine area(local, times, text, plane, parts)
    integer, intent(in) :: local(:), times
    character(len=*), intent(in) :: text
    integer :: plane(times, 0:times), own(times, 2)
    type(part), intent(in) :: parts(:)
    complex(8) :: p
    own(1, 2) = local(1) + parts(1)%rows(1, 2) + len(text) + inner(plane(1, 0))
    p = own(1, 2)
    plane(1, 1) = int(real(p))
  contains
    integer function inner(k)
      integer, intent(in) :: k
      inner = k + times
    end function
  end subroutine
end module
