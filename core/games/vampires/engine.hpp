#pragma once

// The search of the engine of Vampires vs Werewolves: alpha-beta with the network, and contempt.
//
// The network estimates results between equal players. Against a weaker opponent a game that is still open is worth
// more than that, while a finished game is worth the same. With a contempt of c, a position with the value v for the
// root player is worth
//
//     v + c (1 - v^2),
//
// so that ±1 stay as they are and a level position is worth c. The mean of this over the outcomes of a random battle is
//
//     m + c (1 - m^2 - variance),
//
// where m is the mean of v: of two turns with the same mean, the one with less variance is better if c > 0, and the one
// with more variance if c < 0. A small c changes little but this.
//
// All values remain in [-1, 1], which the windows of Star1 need, and single positions keep their order. The values
// depend on the root player, and so do the keys of the transposition table (TableView). A search has a table of its
// own, so searches with different contempt share no entries.

#include <memory>
#include <tuple>

#include "../../search/alphabeta/values.hpp"
#include "../../search/search.hpp"
#include "vampires.hpp"

namespace joute {

struct VampiresEngineOptions : AlphaBetaOptions {
    // What a level position is worth, from -0.5 to 0.5: outside, a better position could be worth less. 0: plain
    // alpha-beta with the engine's evaluation.
    double contempt;

    static constexpr auto fields() {
        return std::tuple_cat(AlphaBetaOptions::fields(),
                              std::tuple{Option<&VampiresEngineOptions::contempt>{"contempt"}});
    }
};

class VampiresEngine : public Search<Vampires> {
public:
    explicit VampiresEngine(const VampiresEngineOptions& options);
    VampiresEngine(const VampiresEngine&) = delete;  // the search points to the contempt
    VampiresEngine& operator=(const VampiresEngine&) = delete;
    ~VampiresEngine() override;

    SearchResult run(const Vampires& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    void forget() override;

private:
    const double contempt_;
    std::unique_ptr<Search<Vampires>> search_;
};

}  // namespace joute
