// written(): joins the blocks that a function writes into one text.

#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "fathom/fs/blocks.h"

namespace fathom::cli {

// Calls `write` with an fs::Blocks&, and returns the text.
template <class Write>
std::string written_by(Write&& write) {
  std::string text;
  const fs::Sink sink = [&text](std::string_view block) {
    text += block;
    return true;
  };
  fs::Blocks blocks(sink);
  std::forward<Write>(write)(blocks);
  blocks.flush();
  return text;
}

}  // namespace fathom::cli
