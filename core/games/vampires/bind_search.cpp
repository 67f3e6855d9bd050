#include "../../bind/bind_search.hpp"

#include <nanobind/stl/unique_ptr.h>

#include "../../bind/bind_options.hpp"
#include "evaluate.hpp"
#include "langorou/langorou.hpp"

namespace joute {

namespace {

void bind_langorou_options(nb::module_& module) {
    using O = LangorouOptions;
    OptionsBinder<O>(module, "LangorouOptions")
        .nested("counts", [](O& o) -> double& { return o.weights.counts; })
        .nested("battles", [](O& o) -> double& { return o.weights.battles; })
        .nested("neutral_battles", [](O& o) -> double& { return o.weights.neutral_battles; })
        .nested("groups", [](O& o) -> double& { return o.weights.groups; })
        .nested("pairs_twice", [](O& o) -> bool& { return o.weights.pairs_twice; })
        .field("cum_score", &O::cum_score)
        .field("win_score", &O::win_score)
        .field("lose_over_win_ratio", &O::lose_over_win_ratio)
        .field("win_threshold", &O::win_threshold)
        .field("max_groups", &O::max_groups)
        .choice(
            "chance", [](O& o) -> O::Chance& { return o.chance; }, O::chance_names)
        .field("bins", &O::bins)
        .choice(
            "windows", [](O& o) -> O::Windows& { return o.windows; }, O::windows_names)
        .choice(
            "scale", [](O& o) -> O::Scale& { return o.scale; }, O::scale_names)
        .field("softness", &O::softness)
        .choice(
            "quiescence", [](O& o) -> O::Quiescence& { return o.quiescence; }, O::quiescence_names)
        .choice(
            "merge", [](O& o) -> O::Merge& { return o.merge; }, O::merge_names)
        .field("wrap", &O::wrap)
        .choice(
            "splits", [](O& o) -> O::Splits& { return o.splits; }, O::splits_names)
        .choice(
            "ply_limit", [](O& o) -> O::PlyLimit& { return o.ply_limit; }, O::ply_limit_names)
        .field("table", &O::table)
        .field("lines", &O::lines);
}

}  // namespace

void bind_vampires_search(nb::module_& module, GameBinder<Vampires>& game) {
    bind_langorou_options(module);
    game.evaluations(vampires_evaluations);
    bind_searches<Vampires>(game.state_class(), vampires_evaluations).add<Langorou, LangorouOptions>("LangorouOptions");
}

}  // namespace joute
