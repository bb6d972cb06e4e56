--  SPDX-License-Identifier: GPL-2.0-or-later
--  Subtypes of Ada, and records whose parts depend on a discriminant; prints what it sees.
with Ada.Text_IO; use Ada.Text_IO;
procedure Records is
   type Day is (Mon, Tue, Wed, Thu, Fri, Sat, Sun);
   subtype Weekday is Day range Mon .. Fri;
   type Small is range 0 .. 255;
   type Tiny is new Integer range 0 .. 200;
   for Tiny'Size use 8;
   type Cold is new Integer range -100 .. -1;
   for Cold'Size use 8;
   type Byte is mod 256;
   subtype Angle is Float range 0.0 .. 360.0;
   type Scalars is record
      N : Natural;
      W : Weekday;
      S : Small;
      T : Tiny;
      C : Cold;
      B : Byte;
      A : Angle;
      P : Positive range 1 .. 5;
   end record;
   type Ints is array (Positive range <>) of Integer;
   type List (N : Natural) is record
      Before : Integer;
      Items  : Ints (1 .. N);
      After  : Integer;
   end record;
   type Named (N : Natural) is record
      Name : String (1 .. N);
   end record;
   type Value (Kind : Integer := 0) is record
      Id : Integer;
      case Kind is
         when 1          => Whole : Integer;
         when 2 .. 4 | 7 => Letter, Other : Character;
         when -1         => null;
         when others     => Real : Float;
      end case;
   end record;
   procedure Subtypes (N : Natural; W : Weekday; S : Small; T : Tiny; C : Cold; R : Scalars) is
   begin
      Put_Line ("subtypes" & N'Image & " " & W'Image & S'Image & T'Image & C'Image & R.T'Image);
   end Subtypes;
   procedure Bounded (L : List; N : Named) is
   begin
      Put_Line ("bounded" & L.Items (2)'Image & L.Items'Length'Image & " " & N.Name);
   end Bounded;
   procedure Variant (V : Value) is
   begin
      Put_Line ("variant" & V.Kind'Image);
   end Variant;
   function Next (N : Natural) return Positive is
   begin
      return N + 1;
   end Next;
begin
   Subtypes (Next (4), Tue, 250, 200, -100, (6, Wed, 251, 199, -99, 255, 45.0, 3));
   Bounded ((3, 7, (10, 20, 30), 9), (4, "name"));
   Bounded ((2, 8, (11, 12), 10), (0, ""));
   Variant ((1, 21, 5));
   Variant ((4, 22, 'a', 'b'));
   Variant ((7, 23, 'c', 'd'));
   Variant ((-1, 24));
   Variant ((9, 25, 2.5));
end Records;
