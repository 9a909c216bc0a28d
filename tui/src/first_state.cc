// FirstState: settings, and an empty or a saved scan.

#include "first_state.h"

#include <cstdlib>
#include <memory>
#include <string>
#include <utility>

#include "fathom/base/clock.h"
#include "fathom/fs/owner_names.h"
#include "model/update.h"
#include "os/shell.h"

namespace fathom::tui {

namespace {

Settings settings_of(const BrowseOptions& options) {
  Settings settings;
  settings.units = options.units;
  settings.unicode = options.unicode;
  settings.saved = options.saved.has_value();
  settings.read_only = options.read_only;
  settings.can_apply = options.apply && !settings.saved && !settings.read_only;
  settings.sees_all = options.can_rescan;
  settings.can_plan = static_cast<bool>(options.write_plan);
  const char* const home = std::getenv("HOME");
  if (home != nullptr && !settings.saved) settings.home = home;
  while (settings.home.size() > 1 && settings.home.ends_with('/')) settings.home.pop_back();
  settings.note = options.note;
  const unsigned level = browser_level();
  if (level > 0) {
    settings.note += (settings.note.empty() ? "" : "  ") + ("level " + std::to_string(level + 1));
  }
  return settings;
}

}  // namespace

State first_state(BrowseOptions& options) {
  const std::int64_t now = options.saved ? options.taken : base::wall_now();
  const Settings settings = settings_of(options);
  fs::Scan scan;
  if (options.saved) {
    scan = std::move(*options.saved);
  } else {
    scan.roots = options.scan.roots;
    scan.running = true;
  }
  const fs::OwnerNames names = scan.owner_names();
  auto facts = std::make_shared<const Facts>(std::move(scan), now, names);
  return initial_state(settings, std::move(facts), options.measure);
}

}  // namespace fathom::tui
