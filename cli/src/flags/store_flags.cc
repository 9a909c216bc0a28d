// The flags and the manual of `fathom store`.

#include "flags/store_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = StoreRequest;

constexpr std::array kActs = {
    ChoiceOf<StoreAct>{{"list"}, StoreAct::list},
    ChoiceOf<StoreAct>{{"verify"}, StoreAct::verify},
    ChoiceOf<StoreAct>{{"gc"}, StoreAct::collect},
};

constexpr std::array kFlags = {
    kStoreFlag<Request>,     kSiFlag<Request>,

    kBacktraceFlag<Request>, kBriefHelpFlag<Request>, kHelpFlag<Request>,
};

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::output, "Store"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Commands",
     "list prints the name of each snapshot, the space that it takes, and its paths, the oldest "
     "first. verify reads every value of every snapshot, and compares the files with their "
     "checksums. gc removes what was left by processes that were killed while they kept or removed "
     "a snapshot; it never removes a snapshot, and leaves what another process is writing."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "done; with verify, no fault was found"},
    {kIncomplete,
     "a snapshot is damaged or cannot be read, or something could not be removed, or the results "
     "could not be written"},
    {kWrongUsage, "wrong usage, or there is no store; nothing was done"},
    {kInterrupted, "interrupted by Ctrl-C, SIGTERM or SIGHUP"},
};

}  // namespace

const Manual& store_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "store",
      .operands = "list|verify|gc",
      .acts = kChoices<kActs>,
      .purpose = "Lists, verifies or cleans up the store of snapshots.",
      .name_line = "list, verify or clean up the store of snapshots",
      .in_short = "Lists, verifies or cleans up the store of snapshots.",
      .introduction =
          "Works on the store in which `fathom snapshot` keeps snapshots: lists what takes space "
          "in it, verifies its files, or removes what killed processes left there.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom store list\n"
          "  fathom store verify --store /backup/snapshots\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

StoreRequest parse_store(const std::vector<std::string>& arguments) {
  const Manual& manual = store_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  StoreRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  if (found.paths.empty()) throw UsageError("say what to do: fathom store list, verify or gc");
  if (found.paths.size() > 1) {
    throw UsageError("one act at a time; remove '" + escaped(found.paths[1]) + "'");
  }
  for (const auto& [choice, act] : kActs) {
    if (choice.name != found.paths.front()) continue;
    request.act = act;
    return request;
  }
  throw UsageError("fathom store takes list, verify or gc, not '" + escaped(found.paths.front()) +
                   "'");
}

}  // namespace fathom::cli
