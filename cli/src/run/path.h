// Paths that the user names.

#pragma once

#include <optional>
#include <string>

namespace fathom::cli {

// The absolute path, without a trailing slash. Symbolic links stay, also the slash after one,
// because it means the target. The path itself if the current directory is unknown.
[[nodiscard]] std::string absolute_path(const std::string& path);

// The absolute path of the root of a scan without symbolic links above it. A root that is a
// symbolic link itself was not followed. As absolute_path(), if a directory above may not be
// searched.
[[nodiscard]] std::string path_of_root(const std::string& root);

// The absolute path without symbolic links at which the file is, or would be created. Nothing, with
// errno set, if its folder does not exist or cannot be searched.
[[nodiscard]] std::optional<std::string> path_of_file(const std::string& path);

// Why nothing can be found there, as an errno; 0 if something is there. A symbolic link is not
// followed.
[[nodiscard]] int why_missing(const std::string& path);

// Whether a path leads to a directory, through symbolic links if necessary.
[[nodiscard]] bool leads_to_directory(const std::string& path);

// The same for a directory, but without following a symbolic link that leads nowhere.
[[nodiscard]] std::optional<std::string> path_of_directory(std::string path);

// The same for a directory that a snapshot may have. If its folder is gone, too, as
// absolute_path().
[[nodiscard]] std::string path_in_snapshots(const std::string& path);

// Whether two paths lead to the same file, which need not exist.
[[nodiscard]] bool is_same_path(const std::string& a, const std::string& b);

}  // namespace fathom::cli
