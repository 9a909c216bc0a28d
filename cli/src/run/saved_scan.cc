// SavedScan: reads the export, and translates its errors.

#include "run/saved_scan.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "fathom/base/fd.h"
#include "run/named_file.h"
#include "term/label.h"
#include "term/message.h"

namespace fathom::cli {

namespace {

[[noreturn]] void cannot_read(const std::string& name, const std::string& why) {
  throw UsageError("cannot read " + name + ": " + why);
}

}  // namespace

fs::NcduImport read_from(const std::string& file, const fs::SelectionAt& selection) {
  const std::string name = file == "-" ? "standard input" : escaped(file);
  const base::Fd input = file == "-" ? base::Fd(::dup(STDIN_FILENO)) : open_any(file, O_RDONLY);
  if (!input) cannot_read(name, std::generic_category().message(errno));
  try {
    return fs::read_ncdu(fs::descriptor_source(input.get()), selection);
  } catch (const base::SystemError& error) {
    cannot_read(name, std::generic_category().message(error.code()));
  } catch (const base::Error& error) {
    cannot_read(name, error.what());
  }
}

}  // namespace fathom::cli
