#pragma once

// Connect Four solved exactly.
//
// The search is alpha-beta with null windows: it asks "is the score more than v?" and narrows the range
// of scores with each answer. What makes it fast:
//
//   * A position is entered only by moves that do not lose at once, and the cells where each side would
//     win are carried along, never computed twice. If a move leaves the opponent no safe reply, the
//     score is known without searching on.
//   * Moves that make the most winning cells come first, then those near the centre.
//   * Where all columns have an even number of empty cells, the opponent can answer every move in the
//     same column and so own all even rows ("claimeven", Allis 1988). If the mover could not make four
//     from its discs and the odd rows alone, it cannot win.
//   * Before a move is searched, the table is asked about all of them ("enhanced transposition
//     cut-offs", Plaat 1996).
//   * Memory is the bottleneck, not arithmetic: entries of replies are prefetched while their parent
//     orders its moves, deep positions use a small table that stays in the cache, and the large table
//     starts small and grows, so that an easy position touches little memory.
//
// One solver may be called from several threads; calls wait for each other.
//
// Scores are on the public scale, from the mover's view: 1 for a win with the last own disc, one more
// for each own move earlier; negative for losses; 0 for a draw.

#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <vector>

#include "../../base/poll.hpp"
#include "book.hpp"
#include "solver_bits.hpp"

namespace joute {

class Connect4Solver {
public:
    struct Options {
        std::size_t memory_mb = 128;  // the most that the shared table may take
        int threads = 1;
        std::shared_ptr<const Connect4Book> book;  // exact scores of an early ply, or none
    };

    // How often a thread polls; a power of two.
    static constexpr std::uint64_t nodes_between_polls = 4096;

    explicit Connect4Solver(Options options);
    ~Connect4Solver();

    int score(const Connect4& state, const Poll& poll = {});
    // Only win (1), draw (0) or loss (-1), which is faster.
    int outcome(const Connect4& state, const Poll& poll = {});
    // The score of each column, from the mover's view; none for columns that cannot be played.
    std::array<std::optional<int>, connect4::columns> move_scores(const Connect4& state, const Poll& poll = {});
    // Best play for both sides to the end: the fastest win, the slowest loss, towards the centre
    // among equals.
    std::vector<Connect4::Move> line(const Connect4& state, const Poll& poll = {});
    // The scores of many positions, one thread a position at a time.
    std::vector<std::int8_t> scores(std::span<const connect4::Position> positions, const Poll& poll = {});

    // Forgets all positions. Scores never depend on what the table holds; this is for measurements.
    void clear();
    // Positions entered since the last clear().
    std::uint64_t nodes() const;

private:
    class Table;
    class Search;

    int exact_score(const connect4::Position& position, const Poll& poll);
    int exceeds(const connect4::Position& position, int threshold, const Poll& poll);
    Connect4::Move move_that_keeps(const Connect4& state, int best, const Poll& poll);

    mutable std::mutex mutex_;  // held by every public function
    Options options_;
    std::unique_ptr<Table> table_;
    std::vector<std::unique_ptr<Search>> searches_;  // one a thread
};

}  // namespace joute
