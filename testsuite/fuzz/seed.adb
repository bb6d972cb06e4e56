--  SPDX-License-Identifier: GPL-2.0-or-later
--  Source of a seed of the ELF fuzzer (fuzz/seeds): subtypes, and records with discriminants.
procedure Seed (Times : Positive; Given : String) is
   type Tiny is new Integer range -3 .. 100;
   for Tiny'Size use 8;
   type Ints is array (Positive range <>) of Integer;
   type List (First, Last : Natural) is record
      Items : Ints (First .. Last);
      Name  : String (1 .. Last);
   end record;
   type Value (Kind : Tiny) is record
      Id : Natural;
      case Kind is
         when 1          => Whole : Integer;
         when 2 .. 4 | 7 => Letter : Character;
         when others     => Real : Float;
      end case;
   end record;
   procedure Use_All (L : in out List; V : in out Value; T : Tiny) is
   begin
      L.Items (L.First) := Times + Given'Length;
      V.Id := Integer (T) + L.Items (L.First);
   end Use_All;
   L : List (1, 3);
   V : Value (1);
begin
   Use_All (L, V, 2);
end Seed;
