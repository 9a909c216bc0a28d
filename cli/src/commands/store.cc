// `fathom store`: lists, verifies and cleans up a store.

#include "commands/store.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "fathom/base/bytes.h"
#include "fathom/base/error.h"
#include "fathom/store/snapshot.h"
#include "flags/help.h"
#include "flags/store_flags.h"
#include "run/interrupt.h"
#include "run/named_snapshots.h"
#include "run/output.h"
#include "run/store_place.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"
#include "term/number.h"

namespace fathom::cli {

namespace {

int list(const StoreRequest& request, const store::Store& store) {
  const store::StoreContents contents = store.list();
  std::uint64_t bytes = 0;
  std::string text;
  for (const store::StoredSnapshot& snapshot : contents.snapshots) {
    constexpr std::size_t kColumns = 9;
    bytes += snapshot.bytes();
    text += snapshot.name + "  " +
            right(base::format_bytes(snapshot.bytes(), request.units), kColumns) + " ";
    for (const std::string& root : snapshot.meta.roots) text += ' ' + escaped(root);
    if (!snapshot.meta.tag.empty()) text += "  @" + escaped(snapshot.meta.tag);
    text += '\n';
  }
  print(text + counted(contents.snapshots.size(), "snapshot", "snapshots") + ", " +
        base::format_bytes(bytes, request.units) + ", in " + escaped(store.path()) + '\n');
  return tell_unreadable(store, contents);
}

// A fault, in a sentence; nothing if the snapshot is intact.
std::optional<std::string> fault_of(const std::string& path) {
  try {
    return store::Snapshot::open(path).verify();
  } catch (const base::Error& error) {
    return error.what();
  }
}

int verify(const store::Store& store) {
  const store::StoreContents contents = store.list();
  std::size_t damaged = 0;
  for (const store::StoredSnapshot& snapshot : contents.snapshots) {
    const auto fault = fault_of(store.path_of(snapshot.name));
    if (!fault) continue;
    ++damaged;
    print_message(*fault);
  }
  const std::size_t good = contents.snapshots.size() - damaged;
  print(counted(good, "snapshot is", "snapshots are") + " intact\n");
  const int code = tell_unreadable(store, contents);
  return damaged == 0 ? code : kIncomplete;
}

int collect(const StoreRequest& request, store::Store& store) {
  const store::LeftOvers found = store.collect();
  print("removed " + counted(found.names.size(), "leftover", "leftovers") + ", " +
        base::format_bytes(found.bytes, request.units) + '\n');
  if (found.writing) print_message("another process adds a snapshot; what it writes stays");
  return kComplete;
}

}  // namespace

int store_command(const std::vector<std::string>& arguments) {
  const StoreRequest request = parse_store(arguments);
  if (request.help != Help::none) return print(help_text(store_manual(), request.help));
  const Interrupt interrupt;
  store::Store store = open_store(request);
  switch (request.act) {
    case StoreAct::list:
      return list(request, store);
    case StoreAct::verify:
      return verify(store);
    case StoreAct::collect:
      break;
  }
  return collect(request, store);
}

}  // namespace fathom::cli
