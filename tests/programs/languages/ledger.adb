--  See ledger.c.
with Ada.Text_IO; use Ada.Text_IO;

procedure Ledger is
   type Numbers is array (Long_Integer range <>) of Long_Integer;

   type Book_Type is record
      Balance, Worst : Long_Integer := 0;
      History        : Numbers (0 .. 3) := (others => 0);
   end record;
   type Book_Access is access Book_Type;

   function Rate (Amount : Long_Integer) return Long_Integer is
   begin
      return Amount * 3 - 700;  --  origin
   end Rate;

   procedure Deposit
     (Book : Book_Access; Name : String; Amount : Long_Integer)
   is
      Rated : constant Long_Integer := Rate (Amount);
   begin
      Book.Balance := Book.Balance + Amount;  --  changed
      Book.Worst := Rated;
      Put_Line (Name & " has paid" & Amount'Image);  --  printed
   end Deposit;

   procedure Report (Book : Book_Access) is
      Title : constant String := "worst";
      Seen  : Numbers (0 .. 2) := (Book.Balance, Book.Worst, 0);
   begin
      Seen (2) := Book.History (Book.Worst);  --  crash
      Put_Line (Title & Seen (2)'Image);
   end Report;

   Book : constant Book_Access := new Book_Type;  --  made
begin
   Deposit (Book, "alice", 300);
   Deposit (Book, "bob", 250);
   Deposit (Book, "carol", 270);
   Deposit (Book, "dave", 120);
   Report (Book);
end Ledger;
