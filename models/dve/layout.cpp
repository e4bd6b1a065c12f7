#include "models/dve/layout.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace comback::dve {
namespace {

class Layout {
 public:
  Layout(Program& program, Report& report) : program_(program), report_(report) {}

  void run() {
    std::vector<std::vector<Variable*>> locals(program_.processes.size());
    std::vector<Component> globals;
    for (Variable& variable : program_.variables) {
      if (variable.constant) continue;
      if (variable.process == kGlobal) {
        globals.push_back({&variable, nullptr, variable.where});
      } else {
        locals[variable.process].push_back(&variable);
      }
    }
    for (Channel& channel : program_.channels) {
      for (const Type type : channel.items) channel.message_bytes += bytes_of(type);
      if (channel.capacity != 0) globals.push_back({nullptr, &channel, channel.where});
    }
    std::sort(globals.begin(), globals.end(),
              [](const Component& a, const Component& b) { return a.where.begin < b.where.begin; });

    for (const Component& global : globals) {
      if (global.variable != nullptr) {
        place(*global.variable);
      } else {
        const Channel& channel = *global.channel;
        global.channel->offset =
            take(1 + channel.capacity * channel.message_bytes, channel.where, channel.name);
      }
    }
    for (std::size_t p = 0; p < program_.processes.size(); ++p) {
      Process& process = program_.processes[p];
      process.location_bytes = process.locations.size() <= 255 ? 1 : 2;
      process.offset = take(process.location_bytes, process.where, process.name);
      for (Variable* variable : locals[p]) place(*variable);
    }
    program_.width = width_;
  }

 private:
  struct Component {
    Variable* variable;
    Channel* channel;
    SourceRange where;
  };

  void place(Variable& variable) {
    const std::size_t elements = std::max<std::size_t>(1, variable.length);
    variable.offset = take(elements * bytes_of(variable.type), variable.where, variable.name);
  }

  std::size_t take(std::size_t bytes, SourceRange where, const std::string& name) {
    const std::size_t offset = width_;
    width_ += bytes;
    if (offset <= kMaxWidth && width_ > kMaxWidth) {
      report_.error(where, fmt::format("with '{}' a state takes {} bytes; the most is {}", name,
                                       width_, kMaxWidth));
    }
    return offset;
  }

  Program& program_;
  Report& report_;
  std::size_t width_ = 0;
};

}  // namespace

void lay_out(Program& program, Report& report) { Layout(program, report).run(); }

}  // namespace comback::dve
