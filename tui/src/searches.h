// Searches: what is found out about a whole scan, by the engines of other parts. Slow; any thread
// may call them.

#pragma once

#include <functional>
#include <memory>
#include <string>

#include "fathom/rt/cancel.h"
#include "fathom/tui/browse.h"
#include "model/findings.h"

namespace fathom::tui {

struct SearchJob {
  std::shared_ptr<const Facts> facts;
  rt::CancelToken cancel;
  std::function<void(std::string)> progress;  // what has been done so far, now and then
};

// What was found until it was cancelled. Throws base::Error and std::bad_alloc.
[[nodiscard]] Findings find_clean(const SearchJob& job);
[[nodiscard]] Findings find_equal(const SearchJob& job);
[[nodiscard]] Findings find_growth(const SearchJob& job, const FindGrowth& find,
                                   fs::Measure measure);

}  // namespace fathom::tui
