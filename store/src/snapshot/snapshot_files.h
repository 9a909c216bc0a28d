// Snapshot::Files: the open files of a snapshot. Each is read when it is first needed.

#pragma once

#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <string>

#include "fathom/store/snapshot.h"
#include "parquet/file_reader.h"

namespace fathom::store {

// The names of the files in the directory.
inline constexpr std::string_view kEntriesName = "entries.parquet";
inline constexpr std::string_view kDirectoriesName = "dirs.parquet";
inline constexpr std::string_view kErrorsName = "errors.parquet";
inline constexpr std::string_view kMetaName = "meta.json";

// A Parquet file whose footer is read by the first call of get(). Any thread may call it.
class LazyTable {
 public:
  // `label` names the file in messages.
  LazyTable(RandomInput input, const Schema& schema, std::string label)
      : input_(std::move(input)), schema_(schema), label_(std::move(label)) {}

  // Throws base::Error with a sentence about the file.
  [[nodiscard]] const ParquetReader& get() const;
  [[nodiscard]] const RandomInput& input() const { return input_; }
  [[nodiscard]] const std::string& label() const { return label_; }

 private:
  const RandomInput input_;
  const Schema& schema_;
  const std::string label_;
  // Not a once_flag: what throws in call_once() ends a program with a static C++ library.
  mutable std::mutex mutex_;  // guards the next one
  mutable std::optional<ParquetReader> reader_;
};

struct Snapshot::Files {
  SnapshotMeta meta;
  std::string name;  // of the snapshot, in messages
  LazyTable entries;
  LazyTable directories;
  LazyTable errors;
  // Whether the id in meta.json is the hash of everything else there.
  bool id_matches = true;
};

// Calls a function that reads a file; its base::Error then names the file.
template <class Function>
auto reading(const std::string& label, const Function& function) {
  try {
    return function();
  } catch (const base::Error& error) {
    throw base::Error(label + " " + error.what());
  }
}

}  // namespace fathom::store
