// Amounts of bytes as people write and read them.
//
// Every result is exact integer arithmetic, the same on every machine and in every locale. Both
// functions are safe to call from any thread and hold no state.
//
//   format_bytes(1536)               == "1.5 KiB"
//   format_bytes(1536, Units::si)    == "1.5 kB"
//   format_bytes(1536, Units::raw)   == "1536"
//   parse_bytes("1.5K")              == 1536
//   parse_bytes("1.5 kB")            == 1500

#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace fathom::base {

// How format_bytes() writes an amount.
enum class Units {
  iec,  // powers of 1024: B KiB MiB GiB TiB PiB EiB
  si,   // powers of 1000: B kB MB GB TB PB EB
  raw,  // the plain integer, without a unit
};

// The amount in the largest unit of which it holds at least one, at most eight characters long.
//
// Below ten units there is one decimal ("9.9 KiB"), above none ("10 KiB"); plain bytes never have
// one ("9 B"). It is rounded once, to the nearest, halves up, and an amount that rounds up to a
// whole larger unit is written in that one: "1.0 MiB", never "1024 KiB", and "10 KiB", never
// "10.0 KiB". Hence the text never decreases in meaning as the amount grows.
std::string format_bytes(std::uint64_t bytes, Units units = Units::iec);

// The amount that a text such as "10", "10B", "1.5K", "2 MiB" or "2MB" means; nothing otherwise.
//
// A text is digits, optionally a point and more digits, optionally one space, optionally a unit, in
// any case. K M G T P E, alone or followed by i or iB, are powers of 1024; KB MB ... EB are powers
// of 1000, as with GNU's tools. A fraction of a byte is dropped, however many digits it has:
// "1.9" is 1, and "0.0009K" is 0.
//
// Refused: anything else, signs and surrounding blanks included, and what exceeds 2^64 - 1.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace fathom::base
