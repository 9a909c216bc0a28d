// SourceLocation: a file, a line and a function of the source code.
//
// std::source_location is not available with Clang before 16 and libstdc++.
//
//   // By default, `where` is the location of the call.
//   void check(bool ok, SourceLocation where = SourceLocation::current());

#pragma once

#include <cstdint>

namespace fathom::base {

// A small value; the strings it points to live as long as the program.
class SourceLocation {
 public:
  // The location of the call; as a default argument, the location where the enclosing function is
  // called. Do not pass arguments.
  static constexpr SourceLocation current(const char* file = __builtin_FILE(),
                                          std::uint32_t line = __builtin_LINE(),
                                          const char* function = __builtin_FUNCTION()) noexcept {
    return SourceLocation(file, line, function);
  }

  // The file name as it was passed to the compiler.
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
