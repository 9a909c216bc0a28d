// The flags of `fathom serve`: the table, and checks of combinations.

#include "serve/flags.h"

#include <arpa/inet.h>

#include <array>

#include "flag/arguments.h"
#include "flag/common_flags.h"
#include "flag/refusal.h"
#include "flag/values.h"
#include "message.h"
#include "select/select_flags.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

constexpr std::size_t kMaxPort = 65'535;

// Returns the address in canonical form, as browsers write it.
std::string parse_address(std::string_view text) {
  const std::string address(text);
  in6_addr parsed{};
  std::array<char, INET6_ADDRSTRLEN> written{};
  for (const int family : {AF_INET, AF_INET6}) {
    if (::inet_pton(family, address.c_str(), &parsed) != 1) continue;
    return ::inet_ntop(family, &parsed, written.data(), written.size());
  }
  refuse("bind", text, "a numeric address such as 127.0.0.1, ::1, or 0.0.0.0 for all networks");
}

std::string parse_file(std::string_view flag, std::string_view text, std::string_view what) {
  if (text.empty()) refuse(flag, text, what);
  return std::string(text);
}

constexpr FlagOf<ServeRequest> kFlags[] = {
    {{"port", '\0', "N", "listen on port N (default: a free port)", FlagGroup::act},
     [](ServeRequest& request, std::string_view argument) {
       request.port = static_cast<std::uint16_t>(parse_number("port", argument, kMaxPort, 0));
     }},
    {{"bind", '\0', "ADDRESS",
      "listen on ADDRESS (default: 127.0.0.1). A non-loopback address such as 0.0.0.0 lets other "
      "machines connect. They need the token, and traffic is unencrypted",
      FlagGroup::act},
     [](ServeRequest& request, std::string_view argument) {
       request.address = parse_address(argument);
       request.has_address = true;
     }},
    {{"unix", '\0', "SOCKET",
      "listen on a Unix domain socket instead (a file to which only you can connect), for ssh -L "
      "and proxies",
      FlagGroup::act},
     [](ServeRequest& request, std::string_view argument) {
       request.unix_socket = parse_file("unix", argument, "the name of the socket to create");
     }},
    {{"no-open", '\0', "", "do not open a browser, only print the address", FlagGroup::act},
     [](ServeRequest& request, std::string_view) { request.open = false; }},
    {{"from", '\0', "FILE",
      "show a saved scan from FILE, an export of fathom scan --format ncdu, ncdu or gdu; - is "
      "standard input",
      FlagGroup::act},
     [](ServeRequest& request, std::string_view argument) {
       request.from = parse_file("from", argument, "a file name, or - for standard input");
     }},
    {{"apparent-size", '\0', "", "start with apparent size instead of disk usage", FlagGroup::act},
     [](ServeRequest& request, std::string_view) { request.measure = fs::Measure::apparent; }},

    kExcludeFlag<ServeRequest>,
    kExcludeFromFlag<ServeRequest>,
    kExcludeCachesFlag<ServeRequest>,
    kExcludeKernfsFlag<ServeRequest>,
    kNoHiddenFlag<ServeRequest>,
    {{"min-size", '\0', "SIZE",
      "count only entries that themselves take SIZE or more: 4k (4096), 1.5GiB, 2GB (2 times "
      "1000^3); on disk, or in apparent size with --apparent-size",
      FlagGroup::select},
     select<ServeRequest, set_min_size>},
    kNewerFlag<ServeRequest>,
    kOlderFlag<ServeRequest>,
    {{"type", '\0', "TYPES",
      "count only these types, separated by commas: f,d,l,o or file,dir,link,other",
      FlagGroup::select},
     select<ServeRequest, set_kinds>},
    kExtFlag<ServeRequest>,

    kOneFileSystemFlag<ServeRequest>,
    kThreadsFlag<ServeRequest>,
    kNiceFlag<ServeRequest>,
    {{"max-ops", '\0', "N", "limit to N filesystem operations per second, all threads together",
      FlagGroup::scan},
     [](ServeRequest& request, std::string_view argument) {
       request.max_operations = parse_number("max-ops", argument, kMaxCount);
     }},
    kTraceFlag<ServeRequest>,

    kBacktraceFlag<ServeRequest>,
    kBriefHelpFlag<ServeRequest>,
    kHelpFlag<ServeRequest>,
};

// Rejects flags that have no effect on a saved scan.
void check_from(const ServeRequest& request, const Arguments& given) {
  if (!request.from) return;
  if (!given.paths.empty()) {
    throw UsageError("option '--from' replaces the scan; remove '" + escaped(given.paths.front()) +
                     "'");
  }
  for (const Arguments::Given& one : given.flags) {
    const Flag& flag = serve_flags()[one.flag];
    const bool untold = flag.name == "exclude-caches" || flag.name == "exclude-kernfs";
    if (flag.group != FlagGroup::scan && !untold) continue;
    throw UsageError("option '--" + std::string(flag.name) +
                     "' applies to a scan, but '--from' shows a saved one");
  }
}

void check_together(const ServeRequest& request) {
  check_selection(request.select, request.from.has_value());
  if (request.unix_socket.empty()) return;
  if (request.port != 0 || request.has_address) {
    throw UsageError("option '--unix' excludes '--bind' and '--port'");
  }
}

}  // namespace

const std::vector<Flag>& serve_flags() {
  static const std::vector<Flag> flags = flags_of(kFlags);
  return flags;
}

ServeRequest parse_serve(const std::vector<std::string>& arguments) {
  const Arguments found = split_arguments("serve", serve_flags(), arguments);
  ServeRequest request = request_of(kFlags, found);
  if (request.help != Help::none) return request;
  check_from(request, found);
  check_together(request);
  return request;
}

}  // namespace fathom::cli
