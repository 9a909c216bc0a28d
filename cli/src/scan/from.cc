// From: checks for --from, and reading the export.

#include "scan/from.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include "descriptor.h"
#include "message.h"
#include "scan/flags.h"
#include "term/label.h"

namespace fathom::cli {

namespace {

// Flags outside the scan group that need information which an export does not contain.
constexpr std::array<std::string_view, 3> kUntold = {"exclude-caches", "exclude-kernfs", "explain"};

bool is_about_scanning(const Flag& flag) {
  return flag.group == FlagGroup::scan ||
         std::find(kUntold.begin(), kUntold.end(), flag.name) != kUntold.end();
}

[[noreturn]] void cannot_read(const std::string& name, const std::string& why) {
  throw UsageError("cannot read " + name + ": " + why);
}

}  // namespace

void check_from(const ScanRequest& request, const Arguments& given) {
  if (!request.from) return;
  if (!given.paths.empty()) {
    throw UsageError("option '--from' replaces the scan; remove '" + escaped(given.paths.front()) +
                     "'");
  }
  for (const Arguments::Given& one : given.flags) {
    const Flag& flag = scan_flags()[one.flag];
    if (!is_about_scanning(flag)) continue;
    throw UsageError("option '--" + std::string(flag.name) +
                     "' applies to a scan, but '--from' reads a saved one");
  }
  if (request.progress == When::always) {
    throw UsageError("options '--progress always' and '--from' exclude each other");
  }
}

fs::NcduImport read_from(const std::string& file, const fs::SelectionAt& selection) {
  const std::string name = file == "-" ? "standard input" : escaped(file);
  const Descriptor input(file == "-" ? ::dup(STDIN_FILENO)
                                     : ::open(file.c_str(), O_RDONLY | O_CLOEXEC));
  if (input.get() < 0) cannot_read(name, std::generic_category().message(errno));
  try {
    return fs::read_ncdu(fs::descriptor_source(input.get()), selection);
  } catch (const base::SystemError& error) {
    cannot_read(name, std::generic_category().message(error.code()));
  } catch (const base::Error& error) {
    cannot_read(name, error.what());
  }
}

}  // namespace fathom::cli
