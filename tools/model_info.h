#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "models/model.h"

namespace comback::tools {

// What is printed beyond the overview.
struct InfoParts {
  bool events = false;
  bool control_graph = false;
};

// What a model is made of, for people and for programs.
std::string info_text(const Model& model, const std::string& name, const InfoParts& parts);
nlohmann::ordered_json info_json(const Model& model, const std::string& name);

}  // namespace comback::tools
