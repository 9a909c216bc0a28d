// CommonFlags: rows that the tables of several commands share.
//
//   constexpr FlagOf<ScanRequest> kFlags[] = {kOutputFlag<ScanRequest>, ...};
//
// Request must derive from CommonRequest.

#pragma once

#include "flag/flag.h"
#include "flag/values.h"
#include "select/select_flags.h"

namespace fathom::cli {

// Adapts a function on a SelectRequest to a flag of a command.
template <class Request, void (*Apply)(SelectRequest&, std::string_view)>
void select(Request& request, std::string_view argument) {
  Apply(request.select, argument);
}

template <class Request>
inline constexpr FlagOf<Request> kOutputFlag = {
    {"output", 'o', "FILE", "write the results to FILE, atomically; - is standard output",
     FlagGroup::output},
    [](Request& request, std::string_view argument) { request.output = parse_output(argument); }};

template <class Request>
inline constexpr FlagOf<Request> kSiFlag = {
    {"si", '\0', "", "show sizes in powers of 1000 (kB, MB) instead of 1024 (KiB, MiB)",
     FlagGroup::output},
    [](Request& request, std::string_view) { request.units = base::Units::si; }};

template <class Request>
inline constexpr FlagOf<Request> kTopFlag = {
    {"top", '\0', "N", "show at most N lines of each list", FlagGroup::output},
    [](Request& request, std::string_view argument) {
      request.top = parse_number("top", argument, kMaxCount);
    }};

template <class Request>
inline constexpr FlagOf<Request> kExcludeFlag = {
    {"exclude", '\0', "GLOB",
     "exclude what matches GLOB, as in .gitignore: *.o, build/ (directories only), /tmp (directly "
     "in the PATH), !keep.o (include again); repeatable, and the last match decides",
     FlagGroup::select},
    select<Request, exclude>};

template <class Request>
inline constexpr FlagOf<Request> kExcludeFromFlag = {
    {"exclude-from", '\0', "FILE", "exclude by the rules in FILE, one per line", FlagGroup::select},
    select<Request, exclude_from>};

template <class Request>
inline constexpr FlagOf<Request> kExcludeCachesFlag = {
    {"exclude-caches", '\0', "", "exclude directories that contain a valid CACHEDIR.TAG",
     FlagGroup::select},
    [](Request& request, std::string_view) { request.select.selection.caches = false; }};

template <class Request>
inline constexpr FlagOf<Request> kExcludeKernfsFlag = {
    {"exclude-kernfs", '\0', "",
     "exclude /proc, /sys and other kernel filesystems, wherever they are mounted",
     FlagGroup::select},
    [](Request& request, std::string_view) {
      request.select.selection.kernel_filesystems = false;
    }};

template <class Request>
inline constexpr FlagOf<Request> kNoHiddenFlag = {
    {"no-hidden", '\0', "", "exclude names that begin with a dot", FlagGroup::select},
    [](Request& request, std::string_view) { request.select.selection.hidden = false; }};

template <class Request>
inline constexpr FlagOf<Request> kNewerFlag = {
    {"newer", '\0', "WHEN",
     "count only entries modified at or after WHEN: 12h or 7d (ago); 2026-01-31, 2026-01-31T08:00 "
     "or 2026-01-31T08:00:00 (local time); @1767225600 (seconds since 1970)",
     FlagGroup::select},
    select<Request, set_newer>};

template <class Request>
inline constexpr FlagOf<Request> kOlderFlag = {
    {"older", '\0', "WHEN", "count only entries modified before WHEN", FlagGroup::select},
    select<Request, set_older>};

template <class Request>
inline constexpr FlagOf<Request> kExtFlag = {
    {"ext", '\0', "EXTS",
     "count only entries with one of these extensions (the part after the last dot): log,gz; "
     "repeatable",
     FlagGroup::select},
    select<Request, add_extensions>};

template <class Request>
inline constexpr FlagOf<Request> kOneFileSystemFlag = {
    {"one-file-system", 'x', "", "stay on the filesystem of each PATH", FlagGroup::scan},
    [](Request& request, std::string_view) { request.one_file_system = true; }};

template <class Request>
inline constexpr FlagOf<Request> kThreadsFlag = {
    {"threads", 'j', "N", "use N threads, 1 to 1024 (default: by the number of processors)",
     FlagGroup::scan},
    [](Request& request, std::string_view argument) {
      request.threads = static_cast<unsigned>(parse_number("threads", argument, kMaxThreads));
    }};

template <class Request>
inline constexpr FlagOf<Request> kNiceFlag = {
    {"nice", '\0', "", "run at low CPU and I/O priority", FlagGroup::scan},
    [](Request& request, std::string_view) { request.nice = true; }};

template <class Request>
inline constexpr FlagOf<Request> kTraceFlag = {
    {"trace", '\0', "FILE",
     "write a timeline of all threads to FILE, for ui.perfetto.dev or chrome://tracing; at most "
     "64 MiB",
     FlagGroup::scan},
    [](Request& request, std::string_view argument) { request.trace = parse_trace(argument); }};

template <class Request>
inline constexpr FlagOf<Request> kPlainFlag = {
    {"plain", '\0', "",
     "use words instead of columns and symbols, one fact per line, for screen readers",
     FlagGroup::display},
    [](Request& request, std::string_view) { request.plain = true; }};

template <class Request>
inline constexpr FlagOf<Request> kProgressFlag = {
    {"progress", '\0', "WHEN", "show progress: auto (default: on a terminal), always or never",
     FlagGroup::display, "auto always never"},
    [](Request& request, std::string_view argument) {
      request.progress = parse_when("progress", argument);
    }};

template <class Request>
inline constexpr FlagOf<Request> kColorFlag = {
    {"color", '\0', "WHEN",
     "use colours: auto (default: on a terminal, unless NO_COLOR is set), always or never",
     FlagGroup::display, "auto always never"},
    [](Request& request, std::string_view argument) {
      request.color = parse_when("color", argument);
    }};

template <class Request>
inline constexpr FlagOf<Request> kMemoryFlag = {
    {"memory", '\0', "",
     "at the end, report on standard error how much memory was allocated, for what, and by which "
     "calls",
     FlagGroup::scan},
    [](Request& request, std::string_view) { request.memory = true; }};

template <class Request>
inline constexpr FlagOf<Request> kThreadStatsFlag = {
    {"thread-stats", '\0', "",
     "at the end, report on standard error how much CPU time each thread used, and how often it "
     "waited",
     FlagGroup::scan},
    [](Request& request, std::string_view) { request.thread_stats = true; }};

// Does nothing: main() has handled it already, so that errors in other arguments show a backtrace
// too.
template <class Request>
inline constexpr FlagOf<Request> kBacktraceFlag = {
    {"backtrace", '\0', "",
     "with an error message, show where in the program the error occurred, and the calls that led "
     "there; FATHOM_BACKTRACE=1 does so for every command",
     FlagGroup::display},
    [](Request&, std::string_view) {}};

template <class Request>
inline constexpr FlagOf<Request> kBriefHelpFlag = {
    {"", 'h', "", "show the most common options", FlagGroup::display},
    [](Request& request, std::string_view) { request.help = Help::brief; }};

template <class Request>
inline constexpr FlagOf<Request> kHelpFlag = {
    {"help", '\0', "", "show this help", FlagGroup::display},
    [](Request& request, std::string_view) { request.help = Help::full; }};

}  // namespace fathom::cli
