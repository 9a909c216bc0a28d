// Module: look-up by _dl_find_object(), or by dladdr1() on older systems, or by dladdr().

#include "module.h"

#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <climits>

namespace fathom::base {

namespace {

struct Program {
  char path[PATH_MAX] = "(this program)";

  Program() noexcept {
    const ssize_t size = ::readlink("/proc/self/exe", path, sizeof path - 1);
    if (size > 0) path[size] = '\0';
  }
};

const char* program_path() noexcept {
  static const Program program;
  return program.path;
}

[[maybe_unused]] Module module_of(const link_map& map) noexcept {  // not by that of musl
  const bool is_program = map.l_name == nullptr || map.l_name[0] == '\0';
  return {is_program ? program_path() : map.l_name, static_cast<std::uintptr_t>(map.l_addr)};
}

}  // namespace

#ifdef DLFO_STRUCT_HAS_EH_DBASE  // comes with _dl_find_object()

Module module_of(std::uintptr_t address) noexcept {
  dl_find_object found;
  if (::_dl_find_object(reinterpret_cast<void*>(address), &found) != 0) return {};
  return module_of(*found.dlfo_link_map);
}

#elif !defined(RTLD_DL_LINKMAP)  // musl

Module module_of(std::uintptr_t address) noexcept {
  Dl_info info;
  if (::dladdr(reinterpret_cast<void*>(address), &info) == 0) return {};
  // Addresses in a program that is not relocatable are those of its file.
  const bool moves = static_cast<const ElfW(Ehdr)*>(info.dli_fbase)->e_type == ET_DYN;
  return {info.dli_fname, moves ? reinterpret_cast<std::uintptr_t>(info.dli_fbase) : 0};
}

#else

Module module_of(std::uintptr_t address) noexcept {
  Dl_info info;
  void* map = nullptr;
  if (::dladdr1(reinterpret_cast<void*>(address), &info, &map, RTLD_DL_LINKMAP) == 0) return {};
  return module_of(*static_cast<const link_map*>(map));
}

#endif

void find_program() noexcept {
  (void)program_path();
}

}  // namespace fathom::base
