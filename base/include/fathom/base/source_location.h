// A place in the source: where something was asked for.
//
// Its own type because std::source_location is missing from Clang before 16 with libstdc++.
//
//   void check(bool ok, SourceLocation where = SourceLocation::current());  // the caller's place

#pragma once

#include <cstdint>

namespace fathom::base {

// A small value; what it points to lives as long as the program.
class SourceLocation {
 public:
  // The place of the call; as a default argument, that of the call to the enclosing function. Pass
  // no arguments.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) noexcept {
    return SourceLocation(file, line, function);
  }

  // The file as the compiler was given it.
  constexpr const char* file() const noexcept { return file_; }
  // Counts from 1.
  constexpr std::uint32_t line() const noexcept { return line_; }
  // The unqualified name.
  constexpr const char* function() const noexcept { return function_; }

 private:
  constexpr SourceLocation(const char* file, std::uint32_t line, const char* function) noexcept
      : file_(file), line_(line), function_(function) {}

  const char* file_;
  std::uint32_t line_;
  const char* function_;
};

}  // namespace fathom::base
