// Duplicates: files of equal content, as Python sees them.

#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <string>
#include <vector>

#include "fathom/fs/dup_report.h"
#include "fathom/fs/duplicate_directories.h"
#include "fathom/fs/duplicates.h"
#include "fathom/fs/scan.h"
#include "rows.h"

namespace fathom::python {

namespace nb = nanobind;

class Duplicates : public std::enable_shared_from_this<Duplicates> {
 public:
  // Scans and compares. `arguments` are those of `fathom dups`. The progress function is called
  // with the files and bytes that were compared, those that there are, and the seconds; while the
  // tree is scanned, with the entries found and 0 bytes. Throws as Scan::make() does.
  static std::shared_ptr<Duplicates> find(const std::vector<std::string>& arguments,
                                          nb::object progress);

  [[nodiscard]] const fs::Duplicates& found() const { return same_; }
  [[nodiscard]] bool complete() const { return scan_.complete() && same_.complete(); }
  // A row for each name of a file in a group.
  [[nodiscard]] Rows names() const;
  // What could not be read, by the scan or the comparison, as dictionaries; and the paths of files
  // that changed meanwhile.
  [[nodiscard]] nb::list errors() const;
  [[nodiscard]] nb::list changed() const;

 private:
  Duplicates(fs::Scan scan, fs::Duplicates same);

  const fs::Scan scan_;
  const fs::Duplicates same_;
  const fs::DuplicateDirectories directories_;
};

}  // namespace fathom::python
