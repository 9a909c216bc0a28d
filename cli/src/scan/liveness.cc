#include "scan/liveness.h"

#include "message.h"
#include "term/label.h"

namespace fathom::cli {

Liveness::Liveness(When progress, base::Units units, ProgressRequest& asked)
    : line_(progress, units), asked_(asked), somebody_looks_(line_.wanted()) {
  if (progress == When::always) line_.show({});
}

void Liveness::tell(const fs::Progress& known, std::chrono::milliseconds stuck_after) {
  const ProgressFigures figures{known.entries, known.disk_bytes, known.seconds, known.directory};
  if (asked_.take()) {
    somebody_looks_ = true;
    line_.tell(figures);
  }
  if (somebody_looks_) name_stuck(known.stuck, stuck_after);
  line_.show(figures);
}

void Liveness::name_stuck(const std::vector<std::string>& stuck, std::chrono::milliseconds after) {
  const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(after).count();
  for (const std::string& directory : stuck_.news(stuck)) {
    line_.clear();
    print_message("still reading " + escaped(directory) + " after " + std::to_string(seconds) +
                  " s");
  }
}

}  // namespace fathom::cli
