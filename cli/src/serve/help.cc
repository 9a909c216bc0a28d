// Help: the texts of the help and manual page of `fathom serve`.

#include "serve/help.h"

#include "exit_code.h"
#include "serve/flags.h"

namespace fathom::cli {

namespace {

constexpr FlagHeading kHeadings[] = {
    {FlagGroup::act, "Serve"},
    {FlagGroup::select, "Select"},
    {FlagGroup::scan, "Scan"},
    {FlagGroup::display, "Display"},
};

constexpr std::string_view kCommon[] = {"port", "bind",    "unix",           "no-open",
                                        "from", "exclude", "one-file-system"};

constexpr HelpSection kSections[] = {
    {"Access",
     "Access requires the token in the address, which changes with each run. Without --bind, "
     "nobody outside this machine can connect. The server only reads, and serves only what it "
     "has scanned; it reads the contents of files only if you start a search for duplicates in the "
     "page. From another machine: ssh -L 8000:127.0.0.1:PORT HOST, then open the address with 8000 "
     "instead of PORT."},
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
          "The page shows results while the scan runs, and can start another scan. Press Ctrl-C "
          "to stop. After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = serve_flags(),
      .common = kCommon,
      .examples =
          "  fathom serve                      this directory\n"
          "  fathom serve -x /                 the root filesystem\n"
          "  fathom serve --no-open --port 8000 /srv\n"
          "  fathom scan --format ncdu -o FILE /srv     save a scan; then, anywhere,\n"
          "  fathom serve --from FILE                   view it\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
