// FakeProc: the contents of the files.

#include "fake_proc.h"

#include <filesystem>

namespace fathom::diag {

namespace {

std::string folder_of(long process, long id) {
  return std::to_string(process) + "/task/" + std::to_string(id);
}

std::string stat_of(long id, const FakeThread& thread) {
  const auto text = [](std::uint64_t number) { return ' ' + std::to_string(number); };
  std::string stat = std::to_string(id) + " (" + thread.name + ") " + thread.state;
  stat += " 1 7 7 0 -1 4194304 85 0 3 0" + text(thread.user_ticks) + text(thread.system_ticks);
  stat += " 0 0 20 0 1 0" + text(thread.started_ticks);
  for (int field = 23; field < 42; ++field) stat += " 0";
  return stat + text(thread.disk_ticks) + " 0 0\n";
}

}  // namespace

FakeProc::FakeProc() {
  tree_.write("self/task/1/children", "");
}

void FakeProc::thread(long process, long id, const FakeThread& thread) {
  const std::string folder = folder_of(process, id) + '/';
  const auto text = [](std::uint64_t number) { return std::to_string(number); };
  tree_.write(folder + "stat", stat_of(id, thread));
  tree_.write(folder + "schedstat", text(thread.ran) + ' ' + text(thread.waited) + " 9\n");
  tree_.write(folder + "sched",
              thread.name + " (7, #threads: 1)\n---\n" +
                  "se.nr_migrations   :    " + text(thread.migrations) + "\nnr_switches  :  1" +
                  "\nnr_voluntary_switches  :   " + text(thread.voluntary) +
                  "\nnr_involuntary_switches :  " + text(thread.involuntary) + '\n');
  tree_.write(folder + "status", "Name:\tx\nvoluntary_ctxt_switches:\t" + text(thread.voluntary) +
                                     "\nnonvoluntary_ctxt_switches:\t" + text(thread.involuntary) +
                                     '\n');
}

void FakeProc::clear(long process, long id) {
  remove(process, id);
  tree_.dir(folder_of(process, id));
}

void FakeProc::remove(long process, long id) {
  std::filesystem::remove_all(tree_.path(folder_of(process, id)));
}

void FakeProc::process(long process, const FakeThread& all) {
  tree_.write(std::to_string(process) + "/stat", stat_of(process, all));
}

void FakeProc::children(long process, long id, const std::string& ids) {
  tree_.write(folder_of(process, id) + "/children", ids);
}

void FakeProc::without_children() const {
  std::filesystem::remove(tree_.path("self/task/1/children"));
}

void FakeProc::without_sched(long process, long id) const {
  std::filesystem::remove(tree_.path(folder_of(process, id) + "/sched"));
}

}  // namespace fathom::diag
