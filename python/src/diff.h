// Diff: what changed between two scans, as Python sees it.

#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <optional>
#include <string>

#include "fathom/store/diff.h"
#include "fathom/store/diff_report.h"
#include "rows.h"
#include "scan.h"

namespace fathom::python {

namespace nb = nanobind;

class Diff : public std::enable_shared_from_this<Diff> {
 public:
  Diff(std::shared_ptr<const Scan> from, std::shared_ptr<const Scan> to,
       const store::DiffOptions& options);

  [[nodiscard]] const store::Diff& found() const { return diff_; }
  [[nodiscard]] nb::dict balance() const;
  [[nodiscard]] nb::list notes() const;
  [[nodiscard]] Rows by(store::DiffBy by) const;
  [[nodiscard]] Rows items(store::DiffItems items) const;

 private:
  const std::shared_ptr<const store::Snapshot> from_;
  const std::shared_ptr<const store::Snapshot> to_;
  const store::Diff diff_;
  const store::DiffReport report_;
};

}  // namespace fathom::python
