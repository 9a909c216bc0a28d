// The flags and the manual of `fathom serve`.

#include "flags/serve_flags.h"

#include <arpa/inet.h>

#include <array>

#include "flags/arguments.h"
#include "flags/common_flags.h"
#include "flags/help.h"
#include "flags/select_flags.h"
#include "term/exit_code.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

// ---- The flags

constexpr FlagOf<ServeRequest> kPortFlag = {{.name = "port",
                                             .arg = Arg::number,
                                             .metavar = "N",
                                             .help = "listen on port N (default: a free port)",
                                             .brief = "listen on port N",
                                             .group = FlagGroup::act,
                                             .common = true,
                                             .range = {0, 65'535}},
                                            set_number<&ServeRequest::port>};

void set_address(ServeRequest& request, const Flag& flag, std::string_view text) {
  request.address = text;
  request.has_address = true;
  in6_addr parsed{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, request.address.c_str(), &parsed) == 1) return;
  }
  refuse(flag, text);
}

constexpr FlagOf<ServeRequest> kBindFlag = {
    {.name = "bind",
     .arg = Arg::text,
     .metavar = "ADDRESS",
     .help = "listen on ADDRESS (default: 127.0.0.1). A non-loopback address such as 0.0.0.0 lets "
             "other machines connect. They need the token, and traffic is unencrypted",
     .brief = "listen on ADDRESS",
     .group = FlagGroup::act,
     .common = true,
     .takes = "a numeric address such as 127.0.0.1, ::1, or 0.0.0.0 for all networks"},
    set_address};

constexpr FlagOf<ServeRequest> kUnixFlag = {
    {.name = "unix",
     .arg = Arg::file,
     .metavar = "SOCKET",
     .help = "listen on a Unix domain socket instead (a file to which only you can connect), for "
             "ssh -L and proxies",
     .brief = "listen on a Unix domain socket instead",
     .group = FlagGroup::act,
     .common = true,
     .takes = "the name of the socket to create"},
    set_file<&ServeRequest::unix_socket>};

constexpr FlagOf<ServeRequest> kNoOpenFlag = {
    {.name = "no-open",
     .help = "do not open a browser, only print the address",
     .brief = "do not open a browser",
     .group = FlagGroup::act,
     .common = true},
    turn_off<&ServeRequest::open>};

constexpr FlagOf<ServeRequest> kAllowApplyFlag = {
    {.name = "allow-apply",
     .help =
         "let the page move files to the quarantine or trash, and back. For each plan, the page "
         "needs a code that the command prints. Only on a loopback address or with --unix",
     .brief = "let the page move files to the quarantine",
     .group = FlagGroup::act},
    turn_on<&ServeRequest::allow_apply>};

constexpr FlagOf<ServeRequest> kLiveFlag = {
    {.name = "live",
     .help = "follow the filesystems, and show changes within seconds, without another scan (root "
             "only; Linux 5.17 or newer)",
     .brief = "follow the filesystems, and show changes",
     .group = FlagGroup::act,
     .common = true,
     .needs_scan = true},
    turn_on<&ServeRequest::live>};

constexpr FlagOf<ServeRequest> in_serve_group(FlagOf<ServeRequest> flag) {
  flag.flag.group = FlagGroup::act;
  return flag;
}

using Request = ServeRequest;

constexpr std::array kFlags = {
    kPortFlag,
    kBindFlag,
    kUnixFlag,
    kNoOpenFlag,
    kLiveFlag,
    kAllowApplyFlag,
    in_serve_group(with_help(kFromFlag<Request>,
                             "show a saved scan from FILE: an export of fathom scan --format ncdu, "
                             "ncdu or gdu, - for standard input; or a snapshot: @latest, @~1, "
                             "@2026-11-20, @7d, @TAG, @ID, or its directory",
                             "show a saved scan from FILE, or a snapshot")),
    in_serve_group(with_help(kStoreFlag<Request>,
                             "show the snapshots in DIR, of --from @NAME and by /api/1/snapshots "
                             "(default: as `fathom snapshot --help` says)",
                             "show the snapshots in DIR")),
    in_serve_group(
        with_help(kApparentSizeFlag<Request>, "start with apparent size instead of disk usage")),

    kExcludeFlag<Request>,
    kExcludeFromFlag<Request>,
    kExcludeCachesFlag<Request>,
    kExcludeKernfsFlag<Request>,
    kNoHiddenFlag<Request>,
    kOnlyFlag<Request>,
    kMinSizeFlag<Request>,
    kNewerFlag<Request>,
    kOlderFlag<Request>,
    kTypeFlag<Request>,
    kExtFlag<Request>,

    kOneFileSystemFlag<Request>,
    kThreadsFlag<Request>,
    kNiceFlag<Request>,
    kMaxOpsFlag<Request>,
    kTraceFlag<Request>,

    kBacktraceFlag<Request>,
    kBriefHelpFlag<Request>,
    kHelpFlag<Request>,
};

void check_together(const ServeRequest& request) {
  check_selection(request.select);
  if (request.allow_apply && request.from) {
    throw UsageError("option '--allow-apply' excludes '--from'");
  }
  if (request.unix_socket.empty()) return;
  if (request.port != 0 || request.has_address) {
    throw UsageError("option '--unix' excludes '--bind' and '--port'");
  }
}

// ---- The manual

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::act, "Serve"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::display, "Display"},
};

constexpr HelpSection kSections[] = {
    {"Access",
     "Access requires the token in the address, which changes with each run. Without --bind, "
     "nobody outside this machine can connect. The server only reads. It serves what it has "
     "scanned, and the snapshots in the store. It reads the contents of files only if you start, "
     "in the page, a search for duplicates or for what can be cleaned up. With --allow-apply, it "
     "moves the files of a plan when somebody types into the page the code that the command prints "
     "for this plan; it never deletes anything. From another machine: ssh -L 8000:127.0.0.1:PORT "
     "HOST, then open the address with 8000 instead of PORT."},
    {"Live",
     "--live follows filesystems by fanotify, as root: ext2, ext3, ext4, XFS, btrfs, F2FS, tmpfs, "
     "devtmpfs, ISO 9660, SquashFS and EROFS. The page names the others. It looks only at what has "
     "changed. If reports are lost, or something is mounted, it scans everything again, and the "
     "page says so."},
    {"Environment", "If DISPLAY or WAYLAND_DISPLAY is set, xdg-open opens the page."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "stopped by Ctrl-C, SIGTERM or SIGHUP"},
    {kIncomplete,
     "the address or the trace could not be written, or work in progress did not end (the "
     "filesystem may be hung)"},
    {kWrongUsage,
     "wrong usage, or a PATH, FILE, address or port is not available; nothing was served"},
    {kInterrupted, "interrupted again while stopping"},
};

}  // namespace

const Manual& serve_manual() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  static const Manual manual = {
      .command = "serve",
      .purpose = "Shows in a browser what fills a filesystem.",
      .name_line = "show in a browser what fills a filesystem",
      .in_short = "Scans each PATH and shows in a browser what fills it, while the scan runs.",
      .introduction =
          "Scans each PATH (default: the current directory) and everything below it, and shows in "
          "a browser what fills it: a map of the directories, tables of their entries, types, "
          "ages, owners, the largest files, duplicates, and entries that could not be read. The "
          "command prints the address, which contains a token; on a desktop, it opens a browser. "
          "The page shows results while the scan runs, and can start another scan; with --live, it "
          "follows what changes. Press Ctrl-C to stop. After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = flags,
      .examples =
          "  fathom serve                      this directory\n"
          "  fathom serve -x /                 the root filesystem\n"
          "  fathom serve --no-open --port 8000 /srv\n"
          "  fathom serve --live /srv          and follow what changes\n"
          "  fathom scan --format ncdu -o FILE /srv     save a scan; then, anywhere,\n"
          "  fathom serve --from FILE                   view it\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

ServeRequest parse_serve(const std::vector<std::string>& arguments) {
  const Manual& manual = serve_manual();
  const Arguments found = split_arguments(manual.command, manual.flags, arguments);
  ServeRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  request.selection = selection_words(manual.flags, found);
  check_from(request, manual.flags, found);
  check_together(request);
  return request;
}

}  // namespace fathom::cli
