#pragma once

// The result of a search as Python sees it.
//
// Numbers are copied. Moves and lines become Python objects only on first access, because most callers read one move of
// a hundred. They are created and kept while the GIL is held.

#include <nanobind/nanobind.h>

#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "../search/search.hpp"

namespace joute {

namespace nb = nanobind;

// The numbers of a MoveResult, independent of the type of its move.
struct MoveFigures {
    double value;
    bool is_exact;
    std::uint64_t visits;
    int lower, upper, end_in;
};

// The moves of one search result. The Python objects created from it keep it alive.
class RootMoves {
public:
    virtual ~RootMoves() = default;
    virtual std::size_t size() const = 0;
    virtual MoveFigures figures(std::size_t i) const = 0;
    virtual nb::object move(std::size_t i) const = 0;
    virtual nb::list line(std::size_t i) const = 0;
};

// `box(move)` creates the Python object of a move; `shown(line)` returns the part of a line to show.
template <class Move, class Box, class Shown>
class RootMovesOf final : public RootMoves {
public:
    RootMovesOf(std::vector<MoveResult<Move>> moves, Box box, Shown shown)
        : moves_(std::move(moves)), box_(std::move(box)), shown_(std::move(shown)) {}
    std::size_t size() const override { return moves_.size(); }
    MoveFigures figures(std::size_t i) const override {
        const MoveResult<Move>& found = moves_[i];
        return {found.value, found.is_exact, found.visits, found.lower, found.upper, found.end_in};
    }
    nb::object move(std::size_t i) const override { return box_(moves_[i].move); }
    nb::list line(std::size_t i) const override {
        nb::list boxed;
        const std::span<const Move> line = shown_(std::span<const Move>(moves_[i].line));
        for (const Move& move : line) boxed.append(box_(move));
        return boxed;
    }

private:
    std::vector<MoveResult<Move>> moves_;
    Box box_;
    Shown shown_;
};

// A Python object that is created on first access.
class Lazy {
public:
    template <class Make>
    const nb::object& get(const Make& make) {
        if (!made_.is_valid()) {
            // make() may run other Python code, which may fill made_ first.
            nb::object made = make();
            if (!made_.is_valid()) made_ = std::move(made);
        }
        return made_;
    }

private:
    nb::object made_;
};

class BoundMoveResult : public MoveFigures {
public:
    BoundMoveResult(std::shared_ptr<const RootMoves> moves, std::size_t index)
        : MoveFigures(moves->figures(index)), moves_(std::move(moves)), index_(index) {}
    nb::object move() {
        return move_.get([&] { return moves_->move(index_); });
    }
    nb::object line() {
        return line_.get([&] { return moves_->line(index_); });
    }

private:
    std::shared_ptr<const RootMoves> moves_;
    std::size_t index_;
    Lazy move_, line_;
};

class BoundResult {
public:
    template <class Move>
    BoundResult(const SearchResult<Move>& result, std::shared_ptr<const RootMoves> moves)
        : value(result.value),
          proven(result.proven),
          depth(result.depth),
          nodes(result.nodes),
          iterations(result.iterations),
          memory_full(result.memory_full),
          table_looks(result.table_looks),
          table_hits(result.table_hits),
          root_moves_(std::move(moves)) {}

    nb::object best() {
        if (root_moves_->size() == 0) throw nb::index_error("the search found no move");
        return best_.get([&] { return nb::cast(BoundMoveResult(root_moves_, 0)); });
    }
    nb::object moves() {
        return moves_.get([&] {
            nb::list list;
            for (std::size_t i = 0; i < root_moves_->size(); ++i)
                list.append(i == 0 ? best() : nb::cast(BoundMoveResult(root_moves_, i)));
            return list;
        });
    }

    double value;
    bool proven;
    int depth;
    std::uint64_t nodes, iterations;
    bool memory_full;
    std::uint64_t table_looks, table_hits;

private:
    std::shared_ptr<const RootMoves> root_moves_;
    Lazy best_, moves_;
};

template <class Move, class Box, class Shown>
BoundResult bound_result(SearchResult<Move> result, Box box, Shown shown) {
    auto moves =
        std::make_shared<RootMovesOf<Move, Box, Shown>>(std::move(result.moves), std::move(box), std::move(shown));
    return BoundResult(result, std::move(moves));
}

}  // namespace joute
