#include "tools/predicates.h"

#include <utility>
#include <variant>

namespace comback::tools {

Diagnostics read_predicates(const Model& model, const std::vector<std::string>& texts,
                            const std::string& where,
                            std::vector<std::shared_ptr<const Predicate>>& predicates) {
  Diagnostics problems;
  for (const std::string& text : texts) {
    PredicateResult result = model.predicate(text);
    if (auto* found = std::get_if<Diagnostics>(&result)) {
      for (Diagnostic& diagnostic : *found) {
        diagnostic.file = "<" + where + ">";
        problems.push_back(std::move(diagnostic));
      }
    } else {
      predicates.push_back(std::move(std::get<std::unique_ptr<Predicate>>(result)));
    }
  }
  return problems;
}

}  // namespace comback::tools
