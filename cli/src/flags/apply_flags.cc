// The flags and the manuals of `fathom apply` and `fathom undo`.

#include "flags/apply_flags.h"

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "term/exit_code.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

using Request = ApplyRequest;

// ---- The flags

constexpr std::array kFormats = {
    ChoiceOf<ApplyFormat>{{"text", " (default)"}, ApplyFormat::text},
    ChoiceOf<ApplyFormat>{{"json"}, ApplyFormat::json},
};

constexpr FlagOf<Request> kExecuteFlag = {
    {.name = "execute",
     .help = "do it, instead of a dry run, which makes the same checks and changes nothing",
     .brief = "do it, instead of a dry run",
     .group = FlagGroup::act,
     .common = true},
    turn_on<&Request::execute>};

constexpr FlagOf<Request> kJournalFlag = {
    {.name = "journal",
     .arg = Arg::file,
     .metavar = "FILE",
     .help = "where the run records what it does, so that an interrupted run continues when it is "
             "started again, and `fathom undo` can move things back (default: the name of the plan "
             "plus .journal)",
     .brief = "where the run records what it does",
     .group = FlagGroup::act,
     .common = true},
    set_file<&Request::journal>};

constexpr FlagOf<Request> kQuarantineFlag = {
    {.name = "quarantine",
     .arg = Arg::directory,
     .metavar = "DIR",
     .help = "the directory to which a plan moves things, each to its full path below DIR; it must "
             "be on the same mount (default: .fathom-quarantine-UID at its top, or "
             "fathom/quarantine in $XDG_STATE_HOME or ~/.local/state, or "
             ".fathom-quarantine-UID beside the root of the plan: the first that you can use)",
     .brief = "the directory to which a plan moves things",
     .group = FlagGroup::act,
     .common = true},
    set_file<&Request::quarantine>};

constexpr FlagOf<Request> kFormatFlag = {{.name = "format",
                                          .arg = Arg::choice,
                                          .metavar = "FORMAT",
                                          .help = "{}; json contains all details",
                                          .brief = "text or json",
                                          .group = FlagGroup::output,
                                          .common = true,
                                          .choices = kChoices<kFormats>},
                                         choose<kFormats, &Request::format>};

constexpr std::array kApplyFlags = {
    kExecuteFlag,
    kJournalFlag,
    kQuarantineFlag,
    kFormatFlag,
    kOutputFlag<Request>,
    kSiFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

constexpr std::array kUndoFlags = {
    kExecuteFlag,
    kFormatFlag,
    kOutputFlag<Request>,
    kSiFlag<Request>,
    kColorFlag<Request>,
    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

// ---- The manuals

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::act, "Acts"},
    {FlagGroup::output, "Output"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kApplySections[] = {
    {"What is checked",
     "Each item is compared with the plan again. A directory is refused as a whole if it, or "
     "anything in it, was added, removed or changed since the plan was made, if another filesystem "
     "is mounted "
     "in it, or if a file that is evidence for its rule has changed. Mount points, home "
     "directories, system directories, and what is or contains a repository, keys, mail or a "
     "database are refused whatever the plan says. No symbolic link is followed and nothing is "
     "overwritten. The other items are done."},
    {"What can be undone",
     "\"delete\" is final. \"quarantine\" and \"trash\" move things on their own filesystem, which "
     "frees nothing until the quarantine or the trash is emptied; `fathom undo JOURNAL` moves them "
     "back. To do less, delete lines of the plan before you apply it."},
};

constexpr HelpSection kUndoSections[] = {
    {"What is checked",
     "An item is moved back only if it is the one that was moved, and if nothing has its name now. "
     "Contents that changed in the quarantine are moved back as they are."},
};

constexpr ExitMeaning kApplyExits[] = {
    {kComplete, "everything was done; in a dry run: everything could be done"},
    {kIncomplete,
     "something was refused or failed, and the rest was done; or the results could not be written"},
    {kWrongUsage, "wrong usage, or the plan or the journal cannot be used; nothing was done"},
    {kInterrupted, "interrupted; run the same command again to continue"},
};

constexpr ExitMeaning kUndoExits[] = {
    {kComplete, "everything that was moved is back; in a dry run: could be moved back"},
    {kIncomplete,
     "something was refused or failed, and the rest was moved back; or the results could not be "
     "written"},
    {kWrongUsage, "wrong usage, or the journal cannot be used; nothing was done"},
    {kInterrupted, "interrupted; run the same command again to continue"},
};

template <std::size_t count>
Request parse(const Manual& manual, const std::array<FlagOf<Request>, count>& flags,
              const std::vector<std::string>& arguments, const char* what) {
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  Request request = request_of(flags, found);
  if (request.help != Help::none) return request;
  if (found.paths.empty()) throw UsageError(std::string("say which ") + what);
  if (found.paths.size() > 1) {
    throw UsageError(std::string("one ") + what + " at a time; remove '" + escaped(found.paths[1]) +
                     "'");
  }
  request.file = found.paths.front();
  return request;
}

}  // namespace

const Manual& apply_manual() {
  static const std::vector<Flag> flags = flags_of(kApplyFlags);
  static const Manual manual = {
      .command = "apply",
      .operands = "PLAN",
      .purpose = "Carries out a plan: removes or moves what it names.",
      .name_line = "carry out a plan of fathom clean, browse or dups",
      .in_short = "Shows what carrying out a plan would do; with --execute, does it.",
      .introduction =
          "Carries out a PLAN that `fathom clean`, `find` or `dups` has written with --plan. "
          "Without --execute it makes all checks, shows what would be done, and changes nothing.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom clean ~ --plan plan\n"
          "  fathom apply plan\n"
          "  fathom apply plan --execute\n"
          "  fathom undo plan.journal --execute\n",
      .sections = kApplySections,
      .exits = kApplyExits,
  };
  return manual;
}

const Manual& undo_manual() {
  static const std::vector<Flag> flags = flags_of(kUndoFlags);
  static const Manual manual = {
      .command = "undo",
      .operands = "JOURNAL",
      .purpose = "Moves back what a plan has moved.",
      .name_line = "move back what a plan has moved to a quarantine or the trash",
      .in_short = "Shows what would be moved back; with --execute, does it.",
      .introduction =
          "Moves back everything that a run of `fathom apply` has moved to a quarantine or to the "
          "trash, according to its JOURNAL, the last item first. Nothing is overwritten, and "
          "directories that are missing are made again. What was deleted cannot be moved back.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom undo plan.journal\n"
          "  fathom undo plan.journal --execute\n",
      .sections = kUndoSections,
      .exits = kUndoExits,
  };
  return manual;
}

ApplyRequest parse_apply(const std::vector<std::string>& arguments) {
  return parse(apply_manual(), kApplyFlags, arguments, "plan");
}

ApplyRequest parse_undo(const std::vector<std::string>& arguments) {
  return parse(undo_manual(), kUndoFlags, arguments, "journal");
}

}  // namespace fathom::cli
