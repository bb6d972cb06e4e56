--  Accesses through a null pointer that no check precedes: the processor's exception becomes one of
--  Ada, which is handled.  For testsuite/ustap.user/nil_ada.stp.
with Ada.Text_IO; use Ada.Text_IO;

procedure Faults is
   pragma Suppress (Access_Check);
   type Pair is record
      A, B : Integer := 1;
   end record;
   type Pointer is access all Pair;

   function Get (P : Pointer; N : Integer) return Integer is
      X : Integer := N * 3;
   begin
      X := X + 1;
      X := X + P.B;
      return X;
   end Get;

   R : aliased Pair;
   S : Integer := 0;
begin
   for I in 1 .. 5 loop
      begin
         S := S + Get (R'Unchecked_Access, I);
         S := S + Get (null, I);
      exception
         when others => S := S + 1000;
      end;
   end loop;
   Put_Line ("sum" & Integer'Image (S));
end Faults;
