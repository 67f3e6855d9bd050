#pragma once

// Connect Four's exact solver as a Search that respects limits, for agents that solve a position if time allows. At a
// limit the result contains the moves solved so far; the others are left open.

#include <algorithm>
#include <tuple>

#include "../../options.hpp"
#include "../../search/exact_solver.hpp"
#include "solver.hpp"

namespace joute {

struct Connect4EndingsOptions {
    int memory_mb;
    int lines;  // number of moves with a principal variation; all moves get a score

    static constexpr auto fields() {
        using O = Connect4EndingsOptions;
        return std::tuple{
            Option<&O::memory_mb>{"memory_mb"},
            Option<&O::lines>{"lines"},
        };
    }
};

// Values are scores for the mover, on the solver's scale. Nodes are counted in steps of the solver's polling interval.
class Connect4Endings : public Search<Connect4> {
public:
    explicit Connect4Endings(const Connect4EndingsOptions& options)
        : options_(checked_solver_options(options)),
          solver_({.memory_mb = static_cast<std::size_t>(options.memory_mb), .threads = 1, .book = nullptr}) {}

    SearchResult run(const Connect4& root, const Limits& limits, const Poll& poll, const Watch& watch) override {
        Watchdog watchdog(limits, poll);
        std::uint64_t nodes = 0;
        const Poll within_limits = [&] {
            nodes += Connect4Solver::nodes_between_polls;
            if (nodes >= limits.nodes || watchdog.look()) throw Stopped{};
        };
        SearchResult result = all_open(root);
        try {
            for (auto& found : result.moves) {
                Connect4 next = root;
                next.play(found.move);
                ++nodes;
                settle(found, root.ply(), -solver_.score(next, within_limits));
                if (watch) watch(ordered(result, nodes));
            }
            result = ordered(result, nodes);
            result.proven = true;
            const auto lines = std::min(result.moves.size(), static_cast<std::size_t>(options_.lines));
            for (std::size_t i = 0; i < lines; ++i) add_line(result.moves[i], root, within_limits);
        } catch (const Stopped&) {
        }
        return ordered(result, nodes);
    }
    void forget() override { solver_.clear(); }

private:
    // All moves, ordered from the centre outwards, none of them solved yet.
    static SearchResult all_open(const Connect4& root) {
        SearchResult result;
        for (const std::uint8_t column : {3, 2, 4, 1, 5, 0, 6}) {
            if (!root.is_legal({column})) continue;
            MoveResult<Connect4::Move> found;
            found.move = {column};
            found.is_exact = false;
            found.line = {found.move};
            result.moves.push_back(std::move(found));
        }
        return result;
    }

    static void settle(MoveResult<Connect4::Move>& found, int ply, int score) {
        found.value = score;
        found.is_exact = true;
        found.lower = found.upper = outcome_of(score);
        constexpr int after_last = connect4::cells / 2 + 1;  // as in score_of_win() and score_of_loss()
        found.end_in = score > 0   ? 2 * (after_last - ply / 2 - score) - 1
                       : score < 0 ? 2 * (after_last - (ply + 1) / 2 + score)
                                   : connect4::cells - ply;
    }

    void add_line(MoveResult<Connect4::Move>& found, const Connect4& root, const Poll& poll) {
        Connect4 next = root;
        next.play(found.move);
        if (next.is_terminal()) return;
        for (const auto move : solver_.line(next, poll)) found.line.push_back(move);
    }

    // Unsolved moves rank between draws and losses; ties are ordered from the centre outwards.
    static SearchResult ordered(SearchResult result, std::uint64_t nodes) {
        std::ranges::stable_sort(result.moves, [](const auto& a, const auto& b) {
            return std::tuple(a.lower + a.upper, a.lower, a.value) > std::tuple(b.lower + b.upper, b.lower, b.value);
        });
        result.value = result.moves[0].value;
        result.nodes = nodes;
        result.depth = std::max(result.moves[0].end_in, 0);
        return result;
    }

    Connect4EndingsOptions options_;
    Connect4Solver solver_;
};

}  // namespace joute
