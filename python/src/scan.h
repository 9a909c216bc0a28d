// Scan: a scan as Python sees it: made now, read from an export, or from a snapshot, which is read
// when it is first needed.

#pragma once

#include <nanobind/nanobind.h>

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "fathom/fs/report.h"
#include "fathom/fs/scan.h"
#include "fathom/fs/totals.h"
#include "fathom/store/arrow.h"
#include "fathom/store/snapshot.h"
#include "flags/common_request.h"
#include "rows.h"

namespace fathom::python {

namespace nb = nanobind;

// Throws store::NotFound if none of the paths exists.
void require_existing(const cli::CommonRequest& request);

// What is asked of a scan, apart from the words.
struct ScanWish {
  bool read_links = false;
  bool explain = false;
};

// Once made, any number of threads may use it.
class Scan : public std::enable_shared_from_this<Scan> {
 public:
  // Scans. `arguments` are those of `fathom scan`; `selection`: those of them that decide what
  // counts. Throws store::NotFound if no path exists, and what the progress function throws.
  static std::shared_ptr<Scan> make(const std::vector<std::string>& arguments,
                                    const std::vector<std::string>& selection, ScanWish wish,
                                    nb::object progress);
  // Scans, and keeps the result as a snapshot. `arguments` are those of `fathom snapshot`.
  static std::shared_ptr<Scan> keep(const std::vector<std::string>& arguments, nb::object progress);
  // Reads an export. The arguments are those of `fathom scan`, with --from.
  static std::shared_ptr<Scan> import(const std::vector<std::string>& arguments);
  // Opens the directory of a snapshot.
  static std::shared_ptr<Scan> open(const std::string& folder);

  // The next functions read the snapshot if that has not been done.

  [[nodiscard]] std::shared_ptr<const fs::Scan> found() const;
  [[nodiscard]] const fs::Totals& totals() const;
  // Of stream(). More than the entries that count if a selection left directories out.
  [[nodiscard]] std::uint64_t rows() const;
  [[nodiscard]] Rows report(const fs::ReportRequest& request, fs::Measure measure) const;

  // The next functions do not.

  // Fills a stream with the entries; `columns` as for store::stream_entries().
  void stream(const std::vector<std::string>& columns, ArrowArrayStream& to) const;

  [[nodiscard]] std::vector<std::string> roots() const;
  [[nodiscard]] fs::Counts sums() const;
  [[nodiscard]] bool complete() const;
  // Null if it is not a snapshot.
  [[nodiscard]] const store::Snapshot* snapshot() const {
    return snapshot_ ? &*snapshot_ : nullptr;
  }
  [[nodiscard]] const std::string& folder() const { return folder_; }

  // As one side of a comparison.
  [[nodiscard]] std::shared_ptr<const store::Snapshot> side() const;

 private:
  Scan() = default;
  void take(fs::Scan scan, std::int64_t now);
  [[nodiscard]] std::shared_ptr<const store::EntryTable> entries() const;

  std::optional<store::Snapshot> snapshot_;
  std::string folder_;            // of the snapshot
  store::SnapshotOptions facts_;  // of a scan or an export
  mutable std::mutex mutex_;      // of what follows
  mutable std::shared_ptr<const fs::Scan> scan_;
  mutable std::int64_t now_ = 0;  // the time to which ages are relative
  mutable std::unique_ptr<const fs::Totals> totals_;
  mutable std::shared_ptr<const store::EntryTable> entries_;
  mutable std::array<std::shared_ptr<const fs::ReportInput>, 2> inputs_;  // by measure
};

}  // namespace fathom::python
