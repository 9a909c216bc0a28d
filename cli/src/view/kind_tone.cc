// KindTone: one tone for each kind of entry.

#include "view/kind_tone.h"

namespace fathom::cli {

Tone kind_tone(fs::Kind kind) {
  switch (kind) {
    case fs::Kind::directory:
      return Tone::directory;
    case fs::Kind::symlink:
      return Tone::symlink;
    case fs::Kind::other:
      return Tone::other;
    case fs::Kind::file:
      break;
  }
  return Tone::plain;
}

}  // namespace fathom::cli
