! SPDX-License-Identifier: GPL-2.0
!
! Regions and counts of Fortran on the card: INSTRUCTIONS_EXECUTED and DATA_READ of user mode. Each
! test is an argument:
!
!   fortran regions   nested regions, started by knc-pmuctl grant
!   fortran threads   a region in each of 8 threads of OpenMP
!   fortran read      a session of its own: instructions and branches of an empty loop
program fortran
  use, intrinsic :: iso_c_binding
  use knc_ring3
  implicit none
  interface
    ! 2 instructions for each round
    subroutine loop(rounds) bind(C)
      import :: c_long
      integer(c_long), value :: rounds
    end subroutine
  end interface
  character(16) :: what

  call get_command_argument(1, what)
  select case (what)
  case ('regions')
    call regions()
  case ('threads')
    call threads()
  case ('read')
    call reading()
  end select

contains

  subroutine regions()
    integer :: i
    character(12) :: name

    print '(a, i0)', 'init ', knc_ring3_init()
    do i = 1, 100
      call knc_region_begin('outer')
      call loop(1000_c_long)
      write (name, '(a, i0)') 'inner-', mod(i, 2)
      call knc_region_begin(name)
      call loop(2000_c_long)
      call knc_region_end(name)
      call knc_region_begin('a region with a longer name')
      call knc_region_end('a region with a longer name')
      call knc_region_end('outer')
    end do
  end subroutine

  subroutine threads()
    integer :: i, me

    print '(a, i0)', 'init ', knc_ring3_init()
!$omp parallel do private(i) num_threads(8) schedule(static, 1)
    do me = 1, 8
      do i = 1, 50
        call knc_region_begin('part')
        call loop(1000_c_long * me)
        call knc_region_end('part')
      end do
    end do
!$omp end parallel do
  end subroutine

  subroutine reading()
    type(knc_self) :: self
    integer(c_int64_t) :: before(2), after(2)
    integer :: status, i

    print '(a, i0)', 'three ', knc_count_self(self, [22, 18, 0])
    print '(a, i0)', 'count ', knc_count_self(self, [int(z'16'), int(z'12')])
    do i = 1, 3
      status = knc_read(self, before)
      call loop(1000_c_long)
      status = status + knc_read(self, after)
      print '(a, i0, 2(1x, i0))', 'read ', status, after - before
    end do
    call knc_self_close(self)
    print '(a, i0)', 'closed ', knc_read(self, after)
  end subroutine
end program
