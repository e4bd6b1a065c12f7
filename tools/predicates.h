#pragma once

#include <memory>
#include <string>
#include <vector>

#include "models/diagnostic.h"
#include "models/model.h"

namespace comback::tools {

// Reads expressions of an option into `predicates`; returns the problems of all that cannot be
// read. Messages call the text "<WHERE>".
Diagnostics read_predicates(const Model& model, const std::vector<std::string>& texts,
                            const std::string& where,
                            std::vector<std::shared_ptr<const Predicate>>& predicates);

}  // namespace comback::tools
