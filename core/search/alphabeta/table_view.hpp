#pragma once

// How alpha-beta finds a position in its transposition table: under which key, and through which symmetry.

#include <array>
#include <cstdint>

#include "../../base/random.hpp"
#include "../../table.hpp"
#include "values.hpp"

namespace joute {

template <Playable S>
class TableView {
public:
    // `past_draws` stands for the positions that the game's past makes draws (line_keys.hpp); 0 for none.
    TableView(const AlphaBetaOptions& options, Player root_player, std::uint64_t past_draws)
        : salt_(of_player[static_cast<std::size_t>(root_player)] ^ past_draws),
          turns_(options.symmetries && past_draws == 0) {}

    struct Seen {
        std::uint64_t key;
        int symmetry;  // that turns the position into the one that the table knows
    };
    // Evaluations are made for the root player, so what the table keeps is of use to this player alone.
    // Mixed, because the table takes its place from the high bits and a game's keys may have few.
    // To look through all symmetries takes longer than to search a position to a low depth.
    Seen see(const S& state, int depth) const {
        if constexpr (HasSharedSymmetries<S>)
            if (turns_ && depth >= least_symmetric_depth && state.ply() < S::symmetric_plies) {
                const auto [key, symmetry] = state.canonical();
                return {mix64(key ^ salt_), symmetry};
            }
        return {mix64(state.key() ^ salt_), 0};
    }

    // The code of a move in the table, and back.
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
    bool turns_;  // whether symmetric positions share an entry
};

}  // namespace joute
