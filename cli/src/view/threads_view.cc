// ThreadsView: text, JSON (fathom.threads/1) and CSV.

#include "view/threads_view.h"

#include <cstddef>
#include <limits>
#include <variant>
#include <vector>

#include "fathom/base/clock.h"
#include "fathom/fs/blocks.h"
#include "fathom/fs/csv.h"
#include "fathom/fs/json.h"
#include "fathom/fs/json_writer.h"
#include "term/label.h"
#include "term/number.h"
#include "term/paint.h"
#include "term/wrapped.h"
#include "view/one_table.h"
#include "view/plain_table.h"
#include "view/text_table.h"
#include "view/threads_rows.h"
#include "view/view.h"

namespace fathom::cli {

namespace {

class ThreadsText {
 public:
  ThreadsText(const ThreadsRequest& request, const diag::CommandRecording& recording,
              const View& view, const fs::Sink& sink)
      : request_(request),
        recording_(recording),
        threads_(recording.threads),
        view_(view),
        paint_(view.terminal.color),
        text_(sink) {}

  void write() {
    put_line(headline());
    for (const ThreadsSlice& slice : slices_of(threads_, request_)) {
      text_.put('\n');
      add(slice, "Threads from " + base::format_duration(slice.from) + " to " +
                     base::format_duration(slice.to));
    }
    text_.put('\n');
    add(whole_of(threads_, request_), request_.slices == 0 ? "Threads" : "Threads, whole time");
    text_.put('\n');
    notes();
    text_.flush();
  }

 private:
  void add(const ThreadsSlice& slice, const std::string& title) {
    const fs::Table table = short_table(slice, request_.by, title);
    if (view_.plain) {
      write_plain_table(table, view_, text_);
    } else {
      left_out_ = std::max(left_out_, write_text_table(table, view_, text_));
    }
  }

  [[nodiscard]] std::string headline() const {
    const std::string time = base::format_duration(threads_.elapsed);
    if (request_.process) return "Process " + std::to_string(*request_.process) + " for " + time;
    const std::string command = escaped(request_.command.front(), view_.terminal.unicode);
    if (recording_.signal != 0) {
      return command + " was ended by signal " + std::to_string(recording_.signal) + " after " +
             time;
    }
    return command + " ended with exit code " + std::to_string(recording_.code) + " after " + time;
  }

  void notes() {
    put_line(source_note());
    if (threads_.lost_records > 0) {
      put_line(counted(threads_.lost_records, "record", "records") +
               " of the kernel did not fit into its buffers: some switches are only in the row "
               "(rest).");
    }
    if (threads_.records_ended) {
      put_line(
          "The kernel ended its records early, as it does for programs that run as another "
          "user: what followed comes from samples.");
    }
    if (!threads_.lists_children) {
      put_line(
          "This kernel does not list the processes that others start; they are only in the "
          "row (rest).");
    }
    if (threads_.still_running > 0 && !request_.process) {
      put_line(counted(threads_.still_running, "process", "processes") + " started by it still " +
               (threads_.still_running == 1 ? "runs." : "run."));
    }
    if (left_out_ > 0) {
      put_line(hidden_columns_note(left_out_, "csv"));
    }
  }

  [[nodiscard]] std::string source_note() const {
    const std::string samples = counted(threads_.rounds, "sample", "samples");
    if (threads_.has_records) {
      return "From the kernel's records of all context switches, and " + samples + " of /proc.";
    }
    std::string note = "From " + samples + " of /proc";
    const bool is_news = !request_.process && request_.source == diag::SwitchSource::automatic;
    if (is_news) {
      note += "; the kernel refused its records of context switches: " + threads_.why_no_records;
    }
    return note +
           ". The row (rest) has what threads did after their last samples, and those that " +
           "no sample saw.";
  }

  // Wrapped to the width of the terminal, except in a plain view.
  void put_line(const std::string& sentence) {
    const bool ends = view_.terminal.person && !view_.plain;
    text_.put(wrapped(sentence, 0, ends ? view_.terminal.width : Wrapped::kEndless) + '\n');
  }

  const ThreadsRequest& request_;
  const diag::CommandRecording& recording_;
  const diag::ThreadRecording& threads_;
  const View& view_;
  const Paint paint_;
  fs::Blocks text_;
  std::size_t left_out_ = 0;  // columns that did not fit
};

// ---- JSON

void write_cells(fs::JsonWriter& json, const diag::ThreadFigures& figures,
                 const std::optional<std::chrono::nanoseconds>& asleep) {
  std::vector<fs::Cell> cells;
  add_figures(cells, figures, asleep);
  const std::vector<fs::Column>& columns = figure_columns();
  for (std::size_t i = 0; i < cells.size(); ++i) {
    if (const auto* const count = std::get_if<std::uint64_t>(&cells[i])) {
      json.number(columns[i].key, *count);
    } else if (const auto* const seconds = std::get_if<double>(&cells[i])) {
      json.decimal(columns[i].key, *seconds);
    } else {
      json.null(columns[i].key);
    }
  }
}

double seconds_of(std::chrono::nanoseconds time) {
  return std::chrono::duration<double>(time).count();
}

void write_thread(fs::JsonWriter& json, const diag::RecordedThread& thread) {
  json.begin_object();
  json.number("process", thread.process);
  json.number("thread", thread.id);
  json.bytes("name", thread.name);
  json.decimal("began", seconds_of(thread.began));
  json.decimal("until", seconds_of(thread.until));
  json.flag("ended", thread.ended);
  write_cells(json, thread, thread.asleep());
  json.begin_array("samples");
  for (const diag::ThreadSample& sample : thread.samples) {
    json.begin_object();
    json.decimal("at", seconds_of(sample.at));
    // As for the thread until then.
    diag::RecordedThread until;
    static_cast<diag::ThreadFigures&>(until) = sample.figures;
    until.began = thread.began;
    until.until = std::min(sample.at, thread.until);
    write_cells(json, sample.figures, until.asleep());
    json.end_object();
  }
  json.end_array();
  json.end_object();
}

void write_end(fs::JsonWriter& json, const ThreadsRequest& request,
               const diag::CommandRecording& recording) {
  json.number("process", recording.process);
  if (request.process) return;
  json.bytes_of_each("command", request.command);
  if (recording.signal == 0) {
    json.number("exit_code", recording.code);
    json.null("signal");
  } else {
    json.null("exit_code");
    json.number("signal", recording.signal);
  }
}

void write_threads_json(const ThreadsRequest& request, const diag::CommandRecording& recording,
                        const fs::Sink& sink) {
  const diag::ThreadRecording& threads = recording.threads;
  fs::JsonWriter json(sink);
  json.begin_object();
  json.string("schema", "fathom.threads/1");
  write_end(json, request, recording);
  json.decimal("seconds", seconds_of(threads.elapsed));
  json.number("samples", threads.rounds);
  json.flag("records", threads.has_records);
  if (threads.has_records) {
    json.null("why_no_records");
  } else {
    json.string("why_no_records", threads.why_no_records);
  }
  json.number("lost_records", threads.lost_records);
  json.flag("records_ended", threads.records_ended);
  json.number("still_running", threads.still_running);
  json.flag("lists_children", threads.lists_children);
  json.key("rows");
  const std::vector<ThreadsSlice> whole = {whole_of(threads, request)};
  fs::write_json_rows(json, full_table(whole, request.by, false), 0,
                      std::numeric_limits<std::size_t>::max());
  json.begin_array("threads");
  for (const diag::RecordedThread& thread : threads.threads) {
    if (!json.wanted()) break;
    write_thread(json, thread);
  }
  json.end_array();
  json.end_object();
  json.end_line();
  json.flush();
}

void write_threads_csv(const ThreadsRequest& request, const diag::ThreadRecording& threads,
                       const fs::Sink& sink) {
  std::vector<ThreadsSlice> slices = slices_of(threads, request);
  slices.push_back(whole_of(threads, request));
  fs::write_csv(full_table(slices, request.by, slices.size() > 1), sink, request.csv_texts);
}

View view_of(const ThreadsRequest& request, int descriptor) {
  View view;
  view.plain = request.plain;
  view.terminal = terminal_of(descriptor, request.plain ? When::never : request.color);
  return view;
}

}  // namespace

void write_threads(const ThreadsRequest& request, const diag::CommandRecording& recording,
                   Output& output) {
  const fs::Sink sink = output.sink();
  switch (request.format) {
    case TableFormat::text: {
      const View view = view_of(request, output.descriptor());
      ThreadsText(request, recording, view, sink).write();
      break;
    }
    case TableFormat::json:
      write_threads_json(request, recording, sink);
      break;
    case TableFormat::csv:
      write_threads_csv(request, recording.threads, sink);
      break;
  }
  output.finish();
}

}  // namespace fathom::cli
