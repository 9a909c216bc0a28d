// ActionWords: the table of words.

#include "run/action_words.h"

#include <cstddef>

namespace fathom::cli {

ActionWords words_of(act::DupAction action) {
  static constexpr ActionWords kWords[] = {{"hard-link", "hard-linked"},
                                           {"reflink", "reflinked"},
                                           {"remove", "removed"},
                                           {"move", "moved"}};
  return kWords[static_cast<std::size_t>(action)];
}

}  // namespace fathom::cli
