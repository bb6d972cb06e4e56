--  SPDX-License-Identifier: GPL-2.0-or-later
--  Arrays of Ada with bounds of the program and of their types; prints what it sees.
with Ada.Text_IO; use Ada.Text_IO;
procedure Shapes is
   type Color is (Red, Green, Blue);
   type Counts is array (Color) of Integer;
   type Grid is array (5 .. 7, -1 .. 1) of Integer;
   type Vector is array (Integer range <>) of Integer;
   type Point is record
      X, Y : Integer;
      Name : String (1 .. 4);
   end record;
   procedure Show (G : Grid; C : Counts; P : Point; T : String) is
   begin
      Put_Line ("show" & Integer'Image (G (6, 0)) & Integer'Image (G (7, -1)) &
                Integer'Image (C (Green)) & " " & P.Name & " " & T);
   end Show;
   procedure Sum (V : Vector) is
      S : Integer := 0;
   begin
      for I in V'Range loop
         S := S + V (I);
      end loop;
      Put_Line ("sum" & Integer'Image (S) & Integer'Image (V (V'First)) &
                Integer'Image (V (V'Last)) & Integer'Image (V'Length));
   end Sum;
   G : constant Grid := (5 => (1, 2, 3), 6 => (4, 5, 6), 7 => (7, 8, 9));
   C : constant Counts := (Red => 10, Green => 20, Blue => 30);
begin
   Show (G, C, (1, 2, "abcd"), "some text");
   Sum ((-3 => 1, -2 => 2, -1 => 3));
   Sum ((7 => 4));
end Shapes;
