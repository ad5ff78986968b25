! See ledger.c.
module books
  implicit none
  type ledger
    integer(8) :: balance = 0, worst = 0
    integer(8), allocatable :: history(:)
  end type
contains
  function rate(amount) result(rated)
    integer(8), intent(in) :: amount
    integer(8) :: rated
    rated = amount * 3 - 700 ! origin
  end function

  subroutine deposit(book, name, amount)
    type(ledger), intent(inout) :: book
    character(len=*), intent(in) :: name
    integer(8), intent(in) :: amount
    integer(8) :: rated
    rated = rate(amount)
    book%balance = book%balance + amount ! changed
    book%worst = rated
    print '(a, a, i0)', name, ' has paid ', amount ! printed
  end subroutine

  subroutine report(book)
    type(ledger), intent(in) :: book
    character(len=5) :: title
    integer(8) :: seen(2)
    integer(8), pointer :: last
    title = 'worst'
    seen = (/ book%balance, book%worst /)
    last => null()
    if (book%worst >= 0) allocate(last)
    last = seen(1) ! crash
    print *, title, seen, last
  end subroutine
end module

program main
  use books
  implicit none
  type(ledger), pointer :: book
  character(len=5) :: names(4) = (/ 'alice', 'bob  ', 'carol', 'dave ' /)
  integer(8) :: amounts(4) = (/ 300, 250, 270, 120 /)
  integer :: i
  allocate(book) ! made
  allocate(book%history(4))
  do i = 1, 4
    call deposit(book, trim(names(i)), amounts(i))
  end do
  flush(6)
  call report(book)
end program
