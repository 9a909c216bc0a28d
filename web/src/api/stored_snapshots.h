// StoredSnapshots: the snapshots of a store, for answers about them.
//
// Guarantees: thread-safe. The store is only read, and need not exist. Few snapshots are open at a
// time; one that is in use stays open, also after it was removed from the store.
//
//   StoredSnapshots stored("/var/lib/fathom/snapshots");
//   const auto contents = stored.contents();
//   const auto snapshot = stored.open(contents->snapshots.back().name);

#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "api/snapshot.h"
#include "fathom/base/mutex.h"
#include "fathom/rt/cancel.h"
#include "fathom/store/snapshot.h"
#include "fathom/store/store.h"

namespace fathom::web {

// What a comparison with the scan needs to know besides its entries.
struct ScanFacts {
  std::vector<std::string> selection = {};  // as in store::SnapshotMeta
  bool saved = false;                       // its filesystems may be those of another machine
};

class StoredSnapshots {
 public:
  // How many that are not in use stay open, with three descriptors each.
  static constexpr std::size_t kMostOpen = 4;
  // How many texts are kept, and how large each may be.
  static constexpr std::size_t kMostTexts = 16;
  static constexpr std::size_t kLargestText = std::size_t{1} << 20;

  using Contents = std::shared_ptr<const store::StoreContents>;
  using Opened = std::shared_ptr<const store::Snapshot>;

  // The path of the store; empty: there is none. The facts are those of all scans.
  explicit StoredSnapshots(std::string path, ScanFacts facts = {})
      : path_(std::move(path)), facts_(std::move(facts)) {}

  [[nodiscard]] const std::string& path() const { return path_; }

  // What is in the store now; nothing if it does not exist. Throws base::Error, with a sentence, if
  // it cannot be read.
  [[nodiscard]] Contents contents();

  // The snapshot of this name; open_once() does not keep it open for the next question. Throw
  // store::NotFound if it was removed, and base::Error, with a sentence, if it cannot be read.
  [[nodiscard]] Opened open(const std::string& name);
  [[nodiscard]] store::Snapshot open_once(const std::string& name);

  // The scan, to be compared with a snapshot of the store; made once for each scan. Throws
  // base::Error soon after it is cancelled.
  [[nodiscard]] Opened scanned(const Snapshot& scan, const rt::CancelToken& cancel) const;

  // What `make` returns, or has returned for the same key, which names all that it depends on:
  // snapshots, which are never modified, and options. The last texts are kept.
  [[nodiscard]] std::string text(const std::string& key, const std::function<std::string()>& make);

 private:
  struct Open {
    std::string name;
    Opened snapshot;
  };
  struct Text {
    std::string key;
    std::string text;
  };

  [[nodiscard]] Opened opened(const std::string& name);
  [[nodiscard]] bool has(const std::string& name);

  const std::string path_;
  const ScanFacts facts_;
  base::Mutex mutex_ = base::named_mutex("snapshots");                  // guards the others
  Contents contents_ = std::make_shared<const store::StoreContents>();  // as they were last
  std::list<Open> open_;                                                // the last used first
  std::list<Text> texts_;                                               // the same
};

}  // namespace fathom::web
