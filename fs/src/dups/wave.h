// Waves: reads of the next bytes of all files of a class, divided into pieces of work.

#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "dups/file_class.h"
#include "dups/reader.h"
#include "dups/work_slots.h"

namespace fathom::fs {

// Called by the thread that finishes the last piece of a wave, with the class after it and the
// labels of its files: equal ones have the same label, and files that could not be read kNotRead
// (same_content.h).
using WaveEnd = std::function<void(FileClass files, std::span<const std::uint32_t> labels)>;

// Compares a segment of every file in each buffer: one segment of the first bytes, or many of the
// others. The class has at most a file for each page of a buffer (buffer_size.h). The reader must
// outlive the work.
[[nodiscard]] WorkItems segment_wave(FileClass files, Reader& reader, WaveEnd end);

// Hashes a block of each file, one file after another in each buffer, for classes that do not fit
// one (fits_segments() in buffer_size.h). Equal hashes are equal labels.
[[nodiscard]] WorkItems hash_wave(FileClass files, Reader& reader, WaveEnd end);

}  // namespace fathom::fs
