// Extras: what only some screens need to know about a scan: sums of sets, and the reports. Made in
// another thread once somebody asks for it.

#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "fathom/fs/exclusive.h"
#include "fathom/fs/freed.h"
#include "fathom/fs/measure.h"
#include "fathom/fs/table.h"
#include "model/facts.h"
#include "model/found.h"

namespace fathom::tui {

struct ReportRow {
  std::string label;  // bytes
  std::uint64_t entries = 0;
  std::uint64_t bytes = 0;
  Query query;  // finds the entries of the row
};

struct Extras {
  Extras(std::shared_ptr<const Facts> facts, fs::Measure measure);

  const std::shared_ptr<const Facts> facts;
  const fs::Measure measure;
  const fs::Exclusive exclusive;
  const fs::Freed freed;
  std::vector<fs::NodeId> largest;  // entries that are not directories, each inode once
  std::vector<ReportRow> types;
  std::vector<ReportRow> ages;
  std::vector<ReportRow> owners;
};

}  // namespace fathom::tui
