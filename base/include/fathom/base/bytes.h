// Bytes: formats and parses amounts of bytes in human-readable form.
//
// All results are exact integer arithmetic, the same on every machine and in every locale. Both
// functions are stateless and may be called from any thread.
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

// Formats the amount in the largest unit that fits into it at least once; at most eight characters.
//
// Below ten units the text has one decimal ("9.9 KiB"), from ten on none ("10 KiB"); plain bytes
// never have a decimal ("9 B"). The value is rounded once, to the nearest, halves up. A value that
// rounds up to one of the next unit is written in that unit: "1.0 MiB", never "1024 KiB", and
// "10 KiB", never "10.0 KiB". A larger amount therefore never reads as a smaller one.
std::string format_bytes(std::uint64_t bytes, Units units = Units::iec);

// Parses a text such as "10", "10B", "1.5K", "2 MiB" or "2MB"; nullopt if it is malformed.
//
// The text consists of digits, optionally a point and more digits, optionally one space, and
// optionally a unit in any case. K M G T P E, alone or followed by i or iB, are powers of 1024; KB
// MB ... EB are powers of 1000, as in the GNU tools. A fraction of a byte is dropped, however many
// digits it has: "1.9" is 1, and "0.0009K" is 0.
//
// Everything else is refused, including signs, surrounding blanks, and values above 2^64 - 1.
std::optional<std::uint64_t> parse_bytes(std::string_view text);

}  // namespace fathom::base
