! SPDX-License-Identifier: GPL-2.0
! Regions of a Fortran program, and counts that it reads itself
program solver
  use, intrinsic :: iso_c_binding
  use knc_ring3
  implicit none
  type(knc_self) :: self
  integer(c_int64_t) :: before(2), after(2)
  real(8) :: field(100, 100)
  integer :: step, status

  if (knc_ring3_init() /= 0) then
    ! not started by knc-pmuctl grant: a session of its own, instructions and branches
    status = knc_count_self(self, [int(z'16'), int(z'12')])
    if (status /= 0) print '(a, i0)', 'solver: there are no counters: errno ', -status
    status = knc_ring3_init()
  end if
  field = 1
  status = knc_read(self, before)
  do step = 1, 8
    call knc_region_begin('sweep')
    field(2:99, 2:99) = (field(1:98, 2:99) + field(3:100, 2:99)) / 2 + step
    call knc_region_end('sweep')
  end do
  if (knc_read(self, after) == 0 .and. status == 0) print '(2(i0, a))', &
    after(1) - before(1), ' instructions, ', after(2) - before(2), ' branches'
  print '(f0.1)', field(50, 50)
  call knc_self_close(self)
end program
