// Paint: the escape sequences of the tones.

#include "term/paint.h"

namespace fathom::cli {

namespace {

// Uses only the 16 basic colours, which every terminal has and its user can configure.
std::string_view sequence(Tone tone) {
  switch (tone) {
    case Tone::plain:
      return "";
    case Tone::strong:
    case Tone::heading:
      return "\x1b[1m";
    case Tone::faint:
      return "\x1b[2m";
    case Tone::directory:
      return "\x1b[1;34m";
    case Tone::symlink:
      return "\x1b[35m";
    case Tone::other:
      return "\x1b[33m";
    case Tone::bar:
      return "\x1b[36m";
    case Tone::warning:
      return "\x1b[1;33m";
  }
  return "";
}

}  // namespace

std::string Paint::operator()(Tone tone, std::string_view text) const {
  if (!color_ || text.empty() || tone == Tone::plain) return std::string(text);
  std::string painted(sequence(tone));
  painted += text;
  painted += "\x1b[0m";
  return painted;
}

}  // namespace fathom::cli
