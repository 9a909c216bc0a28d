// Paint: colours, by what they mean rather than by their number.

#pragma once

#include <string>
#include <string_view>

namespace fathom::cli {

enum class Tone {
  plain,
  strong,   // what the eye should find first
  faint,    // what it may skip
  heading,  // of a report
  directory,
  symlink,
  other,  // neither of the two, nor a file
  bar,
  warning,
};

class Paint {
 public:
  explicit Paint(bool color) : color_(color) {}

  // The text between the sequences of the tone; the bare text without colour.
  [[nodiscard]] std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool color_;
};

}  // namespace fathom::cli
