// Planted names: files and links that another user has put where everybody may create names.
//
// In a sticky directory that everybody may write to, such as /tmp, any user can create a name that
// another one is about to use. Linux refuses to follow a symbolic link there, and to write to an
// existing file there, if it belongs to neither the user nor the owner of the directory
// (fs.protected_symlinks, fs.protected_regular, fs.protected_fifos; see proc_sys_fs(5)). But
// containers often run without these settings, and they do not apply to links that a program
// follows itself. This is the same rule, for programs.

#pragma once

#include <sys/stat.h>

#include <optional>
#include <string>

namespace fathom::base {

// Whether an entry of that directory is planted, by the status of both. The entry itself must not
// have been followed.
[[nodiscard]] bool is_planted(const struct stat& folder, const struct stat& entry);

// The same for a path and the status of what was opened there.
[[nodiscard]] bool is_planted(const std::string& path, const struct stat& entry);

// Whether the path names a planted entry. False if there is none.
[[nodiscard]] bool is_planted(const std::string& path);

// The end of a chain of symbolic links for a path that will be written to; a link in /proc ends the
// chain. Nothing if a link, or what is at the end, is planted.
[[nodiscard]] std::optional<std::string> trusted_link_target(std::string path);

}  // namespace fathom::base
