! SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note
!
! knc/ring3.h for Fortran: regions, and counts of the calling thread. knc_ring3.c beside it is
! compiled with the program. Documentation/ring3.rst explains the functions of these names.
!
!   status = knc_ring3_init()             once, when the counters run; 0: they can be read
!   call knc_region_begin('solve')        a region; blanks at the end of the name are cut
!   call knc_region_end('solve')
!
!   status = knc_count_self(self, [int(z'16'), int(z'12')])
!                                         a session for the calling thread: codes of one or two
!                                         events (knc_pmu_events(7)), which count in user mode; 0,
!                                         or a negative errno
!   status = knc_read(self, count)        both counts; 0, or a negative errno
!   call knc_self_close(self)
module knc_ring3
  use, intrinsic :: iso_c_binding
  implicit none
  private
  public :: knc_self, knc_ring3_init, knc_region_begin, knc_region_end
  public :: knc_count_self, knc_read, knc_self_close

  ! struct knc_self
  type, bind(C) :: knc_self
    private
    type(c_ptr) :: page = c_null_ptr, thread = c_null_ptr
    integer(c_int) :: fd = -1
  end type

  interface
    integer(c_int) function knc_ring3_init() bind(C, name='knc_f_init')
      import :: c_int
    end function

    subroutine c_begin(name, length) bind(C, name='knc_f_begin')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine

    subroutine c_end(name, length) bind(C, name='knc_f_end')
      import :: c_char, c_size_t
      character(kind=c_char), intent(in) :: name(*)
      integer(c_size_t), value :: length
    end subroutine

    integer(c_int) function c_count(self, codes, nr) bind(C, name='knc_f_count')
      import :: c_int, knc_self
      type(knc_self), intent(out) :: self
      integer(c_int), intent(in) :: codes(*)
      integer(c_int), value :: nr
    end function

    integer(c_int) function knc_read(self, count) bind(C, name='knc_f_read')
      import :: c_int, c_int64_t, knc_self
      type(knc_self), intent(in) :: self
      integer(c_int64_t), intent(inout) :: count(2)
    end function

    subroutine knc_self_close(self) bind(C, name='knc_f_close')
      import :: knc_self
      type(knc_self), intent(inout) :: self
    end subroutine
  end interface

  ! A program's regions call these functions. Pointers that another file could change keep the
  ! compiler from inlining them in knc_f_nested
  procedure(knc_region_begin), pointer, public :: knc_f_begins => knc_region_begin
  procedure(knc_region_end), pointer, public :: knc_f_ends => knc_region_end

contains

  subroutine knc_region_begin(name)
    character(*), intent(in) :: name
    call c_begin(name, len(name, c_size_t))
  end subroutine

  subroutine knc_region_end(name)
    character(*), intent(in) :: name
    call c_end(name, len(name, c_size_t))
  end subroutine

  integer(c_int) function knc_count_self(self, codes) result(status)
    type(knc_self), intent(out) :: self
    integer(c_int), intent(in) :: codes(:)
    status = c_count(self, codes, size(codes, kind=c_int))
  end function

  ! Two empty regions, from whose counts the cost of regions is known
  subroutine knc_f_nested() bind(C, name='knc_f_nested')
    call knc_f_begins('')
    call knc_f_begins('')
    call knc_f_ends('')
    call knc_f_ends('')
  end subroutine
end module
