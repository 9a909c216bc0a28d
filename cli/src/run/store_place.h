// StorePlace: the store of snapshots that a command works on.

#pragma once

#include <string>

#include "fathom/base/error.h"
#include "fathom/store/store.h"
#include "flags/common_request.h"

namespace fathom::cli {

// The directory that --store names, or the default of the user. Throws UsageError if there is none.
[[nodiscard]] std::string store_path(const CommonRequest& request);

// Opens that store to read or remove, or to add; the latter creates it if necessary. Throw
// UsageError if that is not possible; nothing has been done then. A full disk is a SystemError.
[[nodiscard]] store::Store open_store(const CommonRequest& request);
[[nodiscard]] store::Store open_or_create_store(const CommonRequest& request);

// Throws UsageError if the second one would fail, as far as can be known without writing.
void require_writable_store(const CommonRequest& request);

// Whether an error means that there is no room to write.
[[nodiscard]] bool is_full(const base::SystemError& error);

// The name of this machine; empty if it is unknown.
[[nodiscard]] std::string host_name();

}  // namespace fathom::cli
