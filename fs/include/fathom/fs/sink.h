// Sink: the destination of a format's text, block by block, so that a result never has to be in
// memory a second time.
//
//   write_csv(table, [&](std::string_view block) { return output.write(block); });

#pragma once

#include <functional>
#include <string_view>

namespace fathom::fs {

// Takes the next block; returns false when no more text is needed. Writers then stop soon and do
// not call it again. An exception from it ends the writing.
using Sink = std::function<bool(std::string_view block)>;

}  // namespace fathom::fs
