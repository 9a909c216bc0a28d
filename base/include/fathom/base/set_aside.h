// SetAside: which paths lead to what is no longer among the files in use: to what Fathom keeps for
// itself, such as its quarantines and snapshots, and to what is in a trash of a desktop.
//
// By the names along a path alone, so that the quarantines and the trashes of other users, and on
// disks of other machines, are known too:
//
//   Fathom:  .fathom-*; and fathom in the directories of the XDG specification for data and states
//   trash:   .Trash and .Trash-UID; and Trash in the directory for data
//            (https://specifications.freedesktop.org/trash-spec/1.0/)
//
//   const SetAside set_aside = own_set_aside();
//   set_aside.why("/srv/.fathom-quarantine-0/run/srv/a");  // "belongs to Fathom"

#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace fathom::base {

class SetAside {
 public:
  // $XDG_DATA_HOME and $XDG_STATE_HOME, absolute and without links; empty: there is none. Those
  // that users have without these variables, .local/share and .local/state, are always known.
  SetAside(std::string data_home, std::string state_home)
      : data_home_(std::move(data_home)), state_home_(std::move(state_home)) {}

  // Of something at an absolute path without links, or inside such a thing, as the rest of a
  // sentence that begins with its path: "is in a trash", or kBelongsToFathom if both are true.
  // Nothing for all other paths.
  [[nodiscard]] std::optional<std::string_view> why(std::string_view path) const;

  // Whether why() can be anything for what has this name, if it is nothing for its directory.
  [[nodiscard]] static bool is_possible_name(std::string_view name);

 private:
  [[nodiscard]] std::optional<std::string_view> why_at(std::string_view path,
                                                       std::string_view name) const;

  std::string data_home_;
  std::string state_home_;
};

// SetAside::why() of what belongs to Fathom.
inline constexpr std::string_view kBelongsToFathom = "belongs to Fathom";

// With the directories of this process, from the environment.
[[nodiscard]] SetAside own_set_aside();

}  // namespace fathom::base
