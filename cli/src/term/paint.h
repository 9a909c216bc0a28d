// Paint: colours by meaning.

#pragma once

#include <string>
#include <string_view>

namespace fathom::cli {

enum class Tone {
  plain,
  strong,   // important
  faint,    // unimportant
  heading,  // the title of a report
  directory,
  symlink,
  other,  // a special file
  bar,
  warning,
};

class Paint {
 public:
  explicit Paint(bool color) : color_(color) {}

  // The text enclosed in the escape sequences of the tone; without colour, the text itself.
  [[nodiscard]] std::string operator()(Tone tone, std::string_view text) const;

 private:
  bool color_;
};

}  // namespace fathom::cli
