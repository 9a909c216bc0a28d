// Opening the files that the user names.
//
// open(2) of a pipe waits until its other end is opened, and that of a device as long as the device
// likes. Open them only while a signal ends the process: see Interrupt.

#pragma once

#include <string>

#include "fathom/base/fd.h"

namespace fathom::cli {

// Opens whatever is there. No terminal becomes the controlling one. Sets errno on failure.
[[nodiscard]] base::Fd open_any(const std::string& path, int flags);

// Opens a regular file, and never waits. If something else is there, or if `flags` has O_NOFOLLOW
// and it is a symbolic link, sets errno to EISDIR, ELOOP or ENODEV.
[[nodiscard]] base::Fd open_regular_file(const std::string& path, int flags);

// Writes a file and its name to the disk, if its filesystem can do that. Throws base::SystemError.
void make_durable(const std::string& path);

// "it is not a regular file" for ENODEV, otherwise the system's message.
[[nodiscard]] std::string why_not_opened(int code);

}  // namespace fathom::cli
