// CommonRequest: the options that all commands that walk a filesystem have in common.

#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "fathom/base/bytes.h"
#include "fathom/base/moment.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/engine.h"
#include "fathom/fs/selection.h"
#include "fathom/fs/where.h"
#include "term/terminal.h"

namespace fathom::cli {

// A source of exclusion rules.
struct RuleSource {
  bool is_file = false;
  std::string text;  // the rule itself, or the name of a file of rules
};

// The entries to exclude from a scan, and those to count among the rest.
struct SelectRequest {
  std::vector<RuleSource> rules;  // in the order given
  std::vector<std::string> only;  // rules of what to count, in the order given
  fs::Selection selection;        // without the rules, the moments and the measure
  std::optional<base::Moment> newer;
  std::optional<base::Moment> older;
  std::optional<fs::Where> where;        // asked when all sums are known
  std::optional<fs::Where> entry_where;  // asked of each entry, while it is scanned
};

// Of the commands whose results are tables.
enum class TableFormat { text, json, csv };

enum class Help { none, brief, full };

struct CommonRequest {
  std::vector<std::string> paths;     // never empty: "." by default
  std::optional<std::string> output;  // none: standard output
  base::Units units = base::Units::iec;
  std::size_t top = 0;  // lines of each list; 0: the default of the view
  bool plain = false;
  fs::CsvTexts csv_texts = fs::CsvTexts::exact;

  SelectRequest select;
  bool one_file_system = false;
  std::optional<std::string> from;  // the file of a saved scan to read instead of scanning

  std::optional<std::string> store;  // the directory of snapshots; none: the default of the user

  unsigned threads = 0;  // 0: the library decides
  fs::Engine engine = fs::Engine::lockfree;
  bool frozen = false;               // read snapshots of subvolumes
  bool nice = false;                 // low CPU and I/O priority
  std::optional<std::string> trace;  // the file for the timeline of the threads
  bool memory = false;               // report allocations
  bool thread_stats = false;         // report what each thread used

  When progress = When::automatic;
  When color = When::automatic;
  Help help = Help::none;  // if not none: show help and do nothing else
};

}  // namespace fathom::cli
