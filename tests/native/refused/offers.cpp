// Games that must not compile, because their list of offers and their members disagree. A macro selects each of them;
// without one, the file compiles.

#include "tictactoe.hpp"

namespace joute {

struct Noisy : TicTacToe {
#if defined(LISTED_BUT_MISSPELT)
    using Offers = OfferList<offer::NoisyMoves>;
    void noisy_move(FixedList<Move, max_moves>&) const {}
#elif defined(LISTED_BUT_MISTYPED)
    using Offers = OfferList<offer::MoveCount>;
    int move_count() const { return 9; }
#elif defined(NOT_LISTED)
    using Offers = OfferList<>;
    void noisy_moves(FixedList<Move, max_moves>&) const {}
#else
    using Offers = OfferList<offer::NoisyMoves, offer::MoveCount>;
    void noisy_moves(FixedList<Move, max_moves>&) const {}
    std::size_t move_count() const { return 9; }
#endif
};

static_assert(Playable<Noisy>);

}  // namespace joute
