#include <nanobind/stl/array.h>
#include <nanobind/stl/shared_ptr.h>

#include "../../bind/bind_game.hpp"
#include "solver.hpp"

namespace joute::connect4_room {

namespace {

std::vector<std::uint8_t> bytes_of(const nb::bytes& bytes) {
    const auto* data = static_cast<const std::uint8_t*>(bytes.data());
    return {data, data + bytes.size()};
}

// The construction of a book: its positions, which are solved in ranges.
class BookWork {
public:
    explicit BookWork(int plies) : plies_(plies) {
        constexpr int deepest = 13;  // ten million positions, one gigabyte
        if (plies < 1 || plies > deepest)
            throw TextError("the ply of a connect4 book must be 1 to " + std::to_string(deepest) + ", not " +
                            std::to_string(plies));
        const Poll poll = interrupt_poll();
        nb::gil_scoped_release release;
        positions_ = Connect4Book::positions_of_ply(plies, poll);
    }
    std::size_t size() const { return positions_.size(); }
    nb::bytes scores(Connect4Solver& solver, std::size_t begin, std::size_t end) const {
        if (begin > end || end > size()) throw nb::index_error("the range of positions is outside the book");
        const Poll poll = interrupt_poll();
        std::vector<std::int8_t> scores;
        {
            nb::gil_scoped_release release;
            scores = solver.scores(std::span(positions_).subspan(begin, end - begin), poll);
        }
        return nb::bytes(scores.data(), scores.size());
    }
    nb::bytes pack(const nb::bytes& scores) const {
        const auto* data = static_cast<const std::int8_t*>(scores.data());
        std::vector<std::uint8_t> bytes;
        {
            nb::gil_scoped_release release;
            bytes = Connect4Book::pack(plies_, positions_, {data, scores.size()});
        }
        return nb::bytes(bytes.data(), bytes.size());
    }

private:
    int plies_;
    std::vector<connect4::Position> positions_;
};

void bind_book(nb::module_& module) {
    nb::class_<Connect4Book>(module, "Connect4Book", "The exact scores of every Connect Four position of one ply.")
        .def(
            "__init__", [](Connect4Book* self, const nb::bytes& bytes) { new (self) Connect4Book(bytes_of(bytes)); },
            nb::arg("bytes"))
        .def_prop_ro("plies", &Connect4Book::plies)
        .def_prop_ro("positions", &Connect4Book::positions, "The number of scores in the book.");
    nb::class_<BookWork>(module, "Connect4BookWork", "The positions of a book under construction, in a fixed order.")
        .def(nb::init<int>(), nb::arg("plies"))
        .def("__len__", &BookWork::size)
        .def("scores", &BookWork::scores, nb::arg("solver"), nb::arg("begin"), nb::arg("end"),
             "The scores of the positions in range(begin, end), one signed byte each.")
        .def("pack", &BookWork::pack, nb::arg("scores"), "Builds the book from the scores of all positions.");
}

// Wraps a function of the solver for Python: it releases the GIL, and Ctrl-C ends it.
template <class Value>
auto without_gil(Value (Connect4Solver::*function)(const Connect4&, const Poll&)) {
    return [function](Connect4Solver& solver, const Connect4& state) {
        const Poll poll = interrupt_poll();
        nb::gil_scoped_release release;
        return (solver.*function)(state, poll);
    };
}

void bind_solver(nb::module_& module) {
    nb::class_<Connect4Solver>(
        module, "Connect4Solver",
        "Solves Connect Four exactly. Scores are from the mover's view: 1 for a win with the mover's last "
        "disc, plus 1 for each disc left in hand, negative for losses, 0 for a draw.")
        .def(
            "__init__",
            [](Connect4Solver* self, std::size_t memory_mb, int threads, std::shared_ptr<const Connect4Book> book) {
                if (threads < 1 || threads > 1024) throw nb::value_error("threads must be 1 to 1024");
                if (memory_mb < 1 || memory_mb > std::size_t{1} << 20)
                    throw nb::value_error("memory_mb must be 1 to 1048576");
                new (self) Connect4Solver({.memory_mb = memory_mb, .threads = threads, .book = std::move(book)});
            },
            nb::kw_only(), nb::arg("memory_mb") = 128, nb::arg("threads") = 1, nb::arg("book").none() = nb::none(),
            nb::sig(
                "def __init__(self, *, memory_mb: int = 128, threads: int = 1, book: Connect4Book | None = None) -> "
                "None"))
        .def("score", without_gil(&Connect4Solver::score), nb::arg("state"), "The exact score.")
        .def("outcome", without_gil(&Connect4Solver::outcome), nb::arg("state"),
             "The exact outcome for the mover: 1 win, 0 draw, -1 loss. Faster than the score.")
        .def(
            "move_scores",
            [](Connect4Solver& solver, const Connect4& state) {
                const auto scores = without_gil(&Connect4Solver::move_scores)(solver, state);
                nb::dict by_move;
                for (std::uint8_t column = 0; column < connect4::columns; ++column)
                    if (scores[column]) by_move[MoveObjects<Connect4::Move>::of({column})] = *scores[column];
                return by_move;
            },
            nb::arg("state"), nb::sig("def move_scores(self, state: Connect4) -> dict[Connect4Move, int]"),
            "The exact score of every legal move, from the mover's view.")
        .def(
            "line",
            [](Connect4Solver& solver, const Connect4& state) {
                nb::list line;
                for (const auto move : without_gil (&Connect4Solver::line)(solver, state))
                    line.append(MoveObjects<Connect4::Move>::of(move));
                return line;
            },
            nb::arg("state"), nb::sig("def line(self, state: Connect4) -> list[Connect4Move]"),
            "The principal variation to the end of the game.")
        .def("clear", &Connect4Solver::clear, nb::call_guard<nb::gil_scoped_release>(),
             "Clears the table. Scores never depend on its contents.")
        .def_prop_ro("nodes", &Connect4Solver::nodes, nb::call_guard<nb::gil_scoped_release>(),
                     "Positions entered since the last clear.");
}

}  // namespace

void bind_book_and_solver(nb::module_& module) {
    bind_book(module);
    bind_solver(module);
}

}  // namespace joute::connect4_room
