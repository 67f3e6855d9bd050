#pragma once

// Solves Connect Four exactly.
//
// The search is alpha-beta with null windows: it asks "is the score more than v?" and narrows the range of scores with
// each answer. These techniques make it fast:
//
//   * The search plays only moves that do not lose at once, and passes the winning cells of both sides along, so that
//     they are never computed twice. If a move leaves the opponent no safe reply, its score is known without search.
//   * Move ordering: moves that make the most winning cells first, then moves near the centre.
//   * If all columns have an even number of empty cells, the opponent can answer every move in the same column and so
//     gets all even rows ("claimeven", Allis 1988). If the mover cannot make four from its discs and the odd rows
//     alone, it cannot win.
//   * All replies are looked up in the table before one is searched ("enhanced transposition cut-offs", Plaat 1996).
//   * Memory access is the bottleneck, not arithmetic: entries of replies are prefetched while their parent orders its
//     moves, deep positions use a small table that stays in the cache, and the large table starts small and grows, so
//     that an easy position touches little memory.
//
// Several threads may call one solver; the calls run one after another.
//
// Scores are on the published scale, from the mover's view: 1 for a win with the mover's last disc, plus 1 for each
// disc left in hand; negative for losses; 0 for a draw.

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
        std::size_t memory_mb = 128;  // the largest size of the shared table
        int threads = 1;
        std::shared_ptr<const Connect4Book> book;  // exact scores of an early ply; may be null
    };

    // The number of nodes between two polls of a thread; a power of two.
    static constexpr std::uint64_t nodes_between_polls = 4096;

    explicit Connect4Solver(Options options);
    ~Connect4Solver();

    int score(const Connect4& state, const Poll& poll = {});
    // The exact outcome: win (1), draw (0) or loss (-1). Faster than the score.
    int outcome(const Connect4& state, const Poll& poll = {});
    // The score of each column, from the mover's view; nullopt for columns that cannot be played.
    std::array<std::optional<int>, connect4::columns> move_scores(const Connect4& state, const Poll& poll = {});
    // The principal variation to the end: the fastest win, the slowest loss, nearest to the centre among equal moves.
    std::vector<Connect4::Move> line(const Connect4& state, const Poll& poll = {});
    // The scores of many positions. Each thread solves one position at a time.
    std::vector<std::int8_t> scores(std::span<const connect4::Position> positions, const Poll& poll = {});

    // Clears the table, for measurements. Scores never depend on its contents.
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
    std::vector<std::unique_ptr<Search>> searches_;  // one per thread
};

}  // namespace joute
