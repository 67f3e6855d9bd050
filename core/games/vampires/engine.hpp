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
// Two more terms have the same form, so the factor of (1 - v^2) is their sum, from -1/2 to 1/2. All values then remain
// in [-1, 1], which the windows of Star1 need, and of two positions with the same factor the better one stays better.
// The values depend on the root player, and so do the keys of the transposition table (TableView). A search has a table
// of its own, so searches with different terms share no entries.

#include <memory>
#include <tuple>

#include "../../search/alphabeta/values.hpp"
#include "../../search/search.hpp"
#include "vampires.hpp"

namespace joute {

// What an open position is worth to the root player beyond the value of the network, from -0.5 to 0.5 each.
struct VampiresTerms {
    // Above 0 the search prefers open games to even battles, below 0 even battles to open games.
    double contempt;
    // Once no house can be converted, contempt counts only for the player with more units: a game that is level then
    // is a draw, whatever the opponent's strength, and one behind is lost.
    bool only_open;
    // Taken away if the root player has no fewer units than the opponent, who is to move and may attack at 20 to 50%:
    // this times the share of units that the attack may cost times its odds.
    double caution;
    // Times the difference of the shares of units in groups that the opponent's largest group is certain to destroy.
    double cohesion;

    bool are_zero() const { return contempt == 0 && caution == 0 && cohesion == 0; }
};

struct VampiresEngineOptions : AlphaBetaOptions {
    VampiresTerms terms;

    static constexpr auto fields() {
        using O = VampiresEngineOptions;
        return std::tuple_cat(AlphaBetaOptions::fields(),
                              std::tuple{Option<&O::terms, &VampiresTerms::contempt>{"contempt"},
                                         Option<&O::terms, &VampiresTerms::only_open>{"only_open"},
                                         Option<&O::terms, &VampiresTerms::caution>{"caution"},
                                         Option<&O::terms, &VampiresTerms::cohesion>{"cohesion"}});
    }
};

class VampiresEngine : public Search<Vampires> {
public:
    explicit VampiresEngine(const VampiresEngineOptions& options);
    VampiresEngine(const VampiresEngine&) = delete;  // the search points to the terms
    VampiresEngine& operator=(const VampiresEngine&) = delete;
    ~VampiresEngine() override;

    SearchResult run(const Vampires& root, const Limits& limits, const Poll& poll, const Watch& watch) override;
    void forget() override;

private:
    const VampiresTerms terms_;
    std::unique_ptr<Search<Vampires>> search_;
};

}  // namespace joute
