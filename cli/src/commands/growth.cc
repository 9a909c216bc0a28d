// `fathom growth`: finds the snapshots of a path, and writes how large its directories were.

#include "commands/growth.h"

#include <cstddef>

#include "fathom/base/clock.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "fathom/rt/executor.h"
#include "fathom/store/growth_report.h"
#include "fathom/store/series.h"
#include "flags/growth_flags.h"
#include "flags/help.h"
#include "run/interrupt.h"
#include "run/named_snapshots.h"
#include "run/output.h"
#include "run/path.h"
#include "run/store_place.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "view/growth_view.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

// A series of snapshots, and the directory in it.
struct Chosen {
  std::vector<std::size_t> snapshots;  // indexes, the oldest first
  std::string path;                    // empty: all roots
};

Chosen choose(const GrowthRequest& request, const store::StoreContents& contents) {
  const std::vector<store::StoredSnapshot>& all = contents.snapshots;
  if (request.path) {
    Chosen named{.snapshots = {}, .path = path_in_snapshots(*request.path)};
    named.snapshots = series_of_path(all, named.path);
    if (named.snapshots.empty()) {
      throw UsageError("no snapshot contains " + escaped(named.path) + unreadable_note(contents));
    }
    return named;
  }
  Chosen here{.snapshots = {}, .path = path_of_root(".")};
  here.snapshots = series_of_path(all, here.path);
  if (!here.snapshots.empty()) return here;
  const store::SnapshotMeta& newest = all.back().meta;
  return {.snapshots = series_of(all, newest),
          .path = newest.roots.size() == 1 ? newest.roots.front() : ""};
}

// Drops the snapshots before --since.
void keep_recent(const GrowthRequest& request, const std::vector<store::StoredSnapshot>& all,
                 Chosen& chosen) {
  if (!request.since) return;
  try {
    keep_since(all, request.since->before(base::wall_now()), chosen.snapshots);
  } catch (const store::NotFound& error) {
    throw UsageError(error.what());
  }
}

store::Growth measure(const store::Store& store, const std::vector<store::StoredSnapshot>& all,
                      const Chosen& chosen, const store::GrowthOptions& options) {
  rt::Executor executor({.name = "fathom-read"});
  const auto open = [&](std::size_t i) {
    return store.open_snapshot(all[chosen.snapshots[i]].name);
  };
  try {
    return measure_growth(chosen.snapshots.size(), open, options, executor);
  } catch (const base::Error& error) {
    throw UsageError(error.what());
  }
}

void write(const GrowthRequest& request, const store::Growth& growth,
           const store::GrowthOptions& options, Output& output) {
  const fs::Sink sink = output.sink();
  switch (request.format) {
    case TableFormat::text: {
      fs::Blocks text(sink);
      write_growth_view(growth, common_view(request, output.descriptor()), text);
      text.flush();
      break;
    }
    case TableFormat::json:
      write_growth_json(growth, options, sink);
      break;
    case TableFormat::csv:
      fs::write_csv(growth_table(growth, request.measure), sink, request.csv_texts);
      break;
  }
  output.finish();
}

bool is_complete(const store::Growth& growth) {
  if (!growth.unreadable.empty() || !growth.unread_roots.empty()) return false;
  for (const store::GrowthDirectory& directory : growth.directories) {
    for (const store::GrowthSize& size : directory.sizes) {
      if (size.lower_bound) return false;
    }
  }
  return true;
}

}  // namespace

int growth_command(const std::vector<std::string>& arguments) {
  const GrowthRequest request = parse_growth(arguments);
  if (request.help != Help::none) return print(help_text(growth_manual(), request.help));
  const Interrupt interrupt;
  const store::Store store = open_store(request);
  Output output = open_output(request);
  const store::StoreContents contents = store.list();
  if (contents.snapshots.empty()) {
    throw UsageError("there are no snapshots in " + escaped(store.path()) +
                     none_kept_note(contents));
  }
  Chosen chosen = choose(request, contents);
  keep_recent(request, contents.snapshots, chosen);
  const store::GrowthOptions options{
      .path = chosen.path, .depth = request.depth, .measure = request.measure};
  const store::Growth growth = measure(store, contents.snapshots, chosen, options);
  write(request, growth, options, output);
  for (const std::string& why : growth.unreadable) print_message(why);
  for (const std::string& root : growth.unread_roots) {
    print_message("no snapshot could read " + escaped(root) +
                  " as a directory, so it is not listed");
  }
  for (const std::string& path : growth.counted_elsewhere) {
    print_message("what is in " + escaped(path) +
                  " is counted at another path, by which a snapshot has reached it, too");
  }
  const int code = tell_unreadable(store, contents);
  return is_complete(growth) ? code : kIncomplete;
}

}  // namespace fathom::cli
