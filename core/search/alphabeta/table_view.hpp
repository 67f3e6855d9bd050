#pragma once

// The key of a position in the transposition table, and the symmetry that maps the position to the stored one.

#include <array>
#include <cstdint>

#include "../../base/random.hpp"
#include "../../table.hpp"
#include "values.hpp"

namespace joute {

template <Playable S>
class TableView {
public:
    // `past_draws` is LineKeys::past_draws(), a hash of the positions whose next occurrence is a draw because of the
    // game's history; 0 for none.
    TableView(const AlphaBetaOptions& options, Player root_player, std::uint64_t past_draws)
        : salt_(of_player[static_cast<std::size_t>(root_player)] ^ past_draws),
          shares_symmetric_(options.symmetries && past_draws == 0) {}

    struct Seen {
        std::uint64_t key;
        int symmetry;  // maps the position to the one that the table stores
    };
    // The key includes the root player, because evaluations are computed from that player's view. It is mixed, because
    // the table indexes buckets by the high bits and a game's keys may have few of them. At low depth symmetries are
    // not used: computing the canonical key takes longer than searching the position.
    Seen see(const S& state, int depth) const {
        if constexpr (HasSharedSymmetries<S>)
            if (shares_symmetric_ && depth >= least_symmetric_depth && state.ply() < S::symmetric_plies) {
                const auto [key, symmetry] = state.canonical();
                return {mix64(key ^ salt_), symmetry};
            }
        return {mix64(state.key() ^ salt_), 0};
    }

    // Maps the code of a move from the position to the stored one (to_table), and back (from_table).
    static std::uint32_t to_table(std::uint32_t code, int symmetry) {
        if constexpr (HasSharedSymmetries<S>)
            if (symmetry != 0 && code != TableEntry::no_code) return S::turned_code(code, symmetry);
        return code;
    }
    static std::uint32_t from_table(std::uint32_t code, int symmetry) {
        if constexpr (HasSharedSymmetries<S>)
            if (symmetry != 0 && code != TableEntry::no_code) return S::turned_code(code, S::inverse(symmetry));
        return code;
    }

private:
    static constexpr std::array<std::uint64_t, 2> of_player{0x5bd1e995c6a4a793, 0xa3b195354a39b70d};
    static constexpr int least_symmetric_depth = 2;

    std::uint64_t salt_;
    bool shares_symmetric_;  // whether symmetric positions share an entry
};

}  // namespace joute
