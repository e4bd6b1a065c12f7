#pragma once

#include "tools/command.h"
#include "tools/model_info.h"
#include "tools/model_options.h"

namespace comback::tools {

// `comback info MODEL`: what a model is made of, without exploring it.
class InfoCommand : public Command {
 public:
  CLI::App* add_to(CLI::App& root) override;
  Status check() const override;
  ExitCode run(StandardOutput& out) override;

 private:
  ModelOptions model_;
  InfoParts parts_;
  bool covering_ = false;
  bool json_ = false;
};

}  // namespace comback::tools
