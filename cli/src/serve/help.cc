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
    {"Who may look",
     "Who has the token in the address, which is made anew each time. Without --bind nobody "
     "outside this machine can connect. The server only reads, and only what it has scanned; the "
     "content of files only where the page is asked to look for duplicates. From another machine: "
     "ssh -L 8000:127.0.0.1:PORT HOST, and open the address with 8000 instead of PORT."},
    {"Environment",
     "DISPLAY or WAYLAND_DISPLAY say that there is a desktop, on which xdg-open opens the page."},
};

constexpr ExitMeaning kExits[] = {
    {kComplete, "stopped, by Ctrl-C, SIGTERM or SIGHUP"},
    {kIncomplete,
     "the address or the trace could not be written, or what was under way did not end, for a "
     "filesystem may not have answered"},
    {kWrongUsage,
     "wrong usage, or a PATH, a FILE, an address or a port that cannot be had; nothing was served"},
    {kInterrupted, "interrupted again while it was stopping"},
};

}  // namespace

const Manual& serve_manual() {
  static const Manual manual = {
      .command = "serve",
      .purpose = "Shows what fills a filesystem in a browser.",
      .name_line = "show what fills a filesystem in a browser",
      .in_short = "Scans each PATH, and shows in a browser what fills it, while the scan runs.",
      .introduction =
          "Scans each PATH (default: the current directory) with all below it, and shows in a "
          "browser what fills it: a map of the directories, tables of what is in them, types, "
          "ages, owners, the largest files, duplicates and what could not be read. The address is "
          "printed, with a token in it; on a desktop a browser opens. The page fills while the "
          "scan runs, and can ask for another one. Ctrl-C stops. After --, everything is a PATH.",
      .headings = kHeadings,
      .flags = serve_flags(),
      .common = kCommon,
      .examples =
          "  fathom serve                      this directory\n"
          "  fathom serve -x /                 the root filesystem\n"
          "  fathom serve --no-open --port 8000 /srv\n"
          "  fathom scan --format ncdu -o FILE /srv     save a scan; then, anywhere,\n"
          "  fathom serve --from FILE                   look at it\n",
      .sections = kSections,
      .exits = kExits,
  };
  return manual;
}

}  // namespace fathom::cli
