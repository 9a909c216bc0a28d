// Sink: where a format's text goes, block by block, so that no result need fit into memory twice.
//
//   write_csv(table, [&](std::string_view block) { return output.write(block); });

#pragma once

#include <functional>
#include <string_view>

namespace fathom::fs {

// Takes the next block; false when nobody wants what follows. Writers then stop soon, and call it
// no more. What it throws ends the writing.
using Sink = std::function<bool(std::string_view block)>;

}  // namespace fathom::fs
