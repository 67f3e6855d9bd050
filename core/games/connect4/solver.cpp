#include "solver.hpp"

#include <atomic>
#include <stdexcept>
#include <system_error>
#include <thread>

#include "../../base/growing_array.hpp"

namespace joute {

using namespace connect4;

namespace {

// Tuned on random positions of 8, 12 and 16 plies and, for the last one, on the empty board with two threads.
constexpr int last_shared_ply = 26;   // later positions use the small table of their thread,
constexpr int last_table_ply = 36;    // and positions after this ply use none
constexpr int reply_lookup_ply = 34;  // earlier positions look up all replies before searching one
constexpr int last_mirror_ply = 18;   // up to this ply, mirror images share an entry
constexpr int last_busy_ply = 20;     // up to this ply, threads mark the positions they search

// A table entry: bounds of the score of a position. One word: 49 bits of key, two bounds of 6 bits. Words are read and
// written atomically, so threads share entries safely.
struct Entry {
    static constexpr int offset = 22;  // scores are -21 to 21

    static std::uint64_t pack(Bits key, int lower, int upper) {
        return key << 15 | static_cast<std::uint64_t>(lower + offset) << 9 |
               static_cast<std::uint64_t>(upper + offset) << 3;
    }
    static Bits key(std::uint64_t entry) { return entry >> 15; }
    static int lower(std::uint64_t entry) { return static_cast<int>(entry >> 9 & 63) - offset; }
    static int upper(std::uint64_t entry) { return static_cast<int>(entry >> 3 & 63) - offset; }
};

constexpr std::uint64_t hash(Bits key) { return key * 0x9e3779b97f4a7c15ULL; }

Bits table_key(const Position& position) {
    return position.ply <= last_mirror_ply ? symmetric_key(position.own, position.occupied)
                                           : exact_key(position.own, position.occupied);
}

using Word = std::atomic<std::uint64_t>;

// The positions that some thread is searching, so that other threads search another move first and find the result in
// the table later (the idea of ABDADA, Weill 1996).
class BusyPositions {
public:
    bool contains(Bits key) const { return slot(key).load(std::memory_order_relaxed) == key; }

    class Mark {
    public:
        Mark(BusyPositions* busy, Bits key) : slot_(busy ? &busy->slot(key) : nullptr) {
            if (slot_) slot_->store(key, std::memory_order_relaxed);
        }
        ~Mark() {
            if (slot_) slot_->store(0, std::memory_order_relaxed);
        }
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

    private:
        std::atomic<Bits>* slot_;
    };

private:
    const std::atomic<Bits>& slot(Bits key) const { return slots_[hash(key) >> 52]; }
    std::atomic<Bits>& slot(Bits key) { return slots_[hash(key) >> 52]; }

    std::array<std::atomic<Bits>, 4096> slots_{};
};

// Finds the exact score by null-window questions. The first one asks for the sign; then the threshold moves away from
// 0, where the search takes longest, by thirds.
template <class Exceeds>
int narrow(int low, int high, Exceeds exceeds) {
    int threshold = std::clamp(0, low, high - 1);
    while (low < high) {
        const int bound = exceeds(threshold);
        (bound > threshold ? low : high) = bound;
        threshold = low >= 0 ? low + (high - low) / 3 : high - 1 - (high - low) / 3;
    }
    return low;
}

// The score if no search is needed: the game is over, or the next disc decides it.
std::optional<int> decided_score(const Position& position) {
    if (Connect4::has_four(position.other())) return score_of_loss(position.ply, 0);
    if (position.ply == cells) return 0;
    const Bits playable = position.playable();
    if (winning_cells(position.own, position.occupied) & playable) return score_of_win(position.ply, 1);
    if (!safe_moves(playable, winning_cells(position.other(), position.occupied)))
        return score_of_loss(position.ply, 1);
    if (position.ply >= cells - 2) return 0;  // each side has at most one disc left, which does not win
    return std::nullopt;
}

}  // namespace

// The shared table: direct-mapped, always-replace. Only one thread may grow it at a time.
class Connect4Solver::Table {
public:
    explicit Table(std::size_t memory_mb) : words_(first_words, most_words(memory_mb)) {}

    void clear() {
        words_.clear();
        stores_ = 0;
    }
    Word& word(Bits key) { return words_[hash(key)]; }

    void count_store() { grow(2 * ++stores_); }
    // Polls between steps: to touch all memory takes long.
    void grow_fully(const Poll& poll) {
        constexpr std::size_t steps_between_polls = 1 << 14;
        for (std::size_t steps = 1; grow(~std::size_t{0}); ++steps)
            if (steps % steps_between_polls == 0 && poll) poll();
    }

private:
    static constexpr std::size_t first_words = std::size_t{1} << 16;

    static std::size_t most_words(std::size_t memory_mb) {
        return std::max(first_words, std::bit_floor((memory_mb << 20) / sizeof(Word)));
    }
    bool grow(std::size_t wanted) {
        return words_.grow(wanted, [this](Word& word) {
            const std::uint64_t entry = word.exchange(0, std::memory_order_relaxed);
            if (entry) this->word(Entry::key(entry)).store(entry, std::memory_order_relaxed);
        });
    }

    GrowingArray<Word> words_;
    std::size_t stores_ = 0;
};

// The search of one thread.
class Connect4Solver::Search {
public:
    // How a search runs. Alone, it may grow the table and may have a node limit; with other threads, it stops when one
    // of them has the answer.
    struct Mode {
        bool alone = true;
        const Poll* poll = nullptr;
        std::uint64_t most_nodes = ~std::uint64_t{0};
        std::atomic<bool>* stop = nullptr;
        BusyPositions* busy = nullptr;
    };

    Search(Table& table, const Connect4Book* book) : table_(table), book_(book), deep_(deep_size) {}

    void clear() {
        for (std::size_t i = 0; i < deep_.size(); ++i) deep_[i].store(0, std::memory_order_relaxed);
        nodes_ = 0;
    }
    std::uint64_t nodes() const { return nodes_; }
    // Whether the last search stopped without an answer.
    bool gave_up() const { return gave_up_; }

    // A bound of the score: above the threshold if and only if the score is. The position must not be decided by its
    // next disc.
    int exceeds(const Position& position, int threshold, const Mode& mode) {
        mode_ = mode;
        gave_up_ = false;
        last_node_ = mode.most_nodes > ~nodes_ ? ~std::uint64_t{0} : nodes_ + mode.most_nodes;
        return search(position, winning_cells(position.other(), position.occupied), threshold);
    }

private:
    struct OrderedMove {
        Bits cell;
        Bits wins;  // the mover's winning cells after this move
        int ordering_score;
    };
    struct OrderedMoves {
        std::array<OrderedMove, columns> moves;
        int count = 0;

        void insert(const OrderedMove& move) {
            int i = count++;
            auto& list = moves;
            for (; i > 0 && list[static_cast<std::size_t>(i - 1)].ordering_score < move.ordering_score; --i)
                list[static_cast<std::size_t>(i)] = list[static_cast<std::size_t>(i - 1)];
            list[static_cast<std::size_t>(i)] = move;
        }
        const OrderedMove* begin() const { return moves.data(); }
        const OrderedMove* end() const { return moves.data() + count; }
    };

    // Null-window search: returns a lower bound > threshold (fail-high) or an upper bound <= threshold (fail-low).
    // `threats` are the opponent's winning cells. The mover must not have an immediate win. The result is meaningless
    // once gave_up_ is set.
    int search(const Position& position, Bits threats, int threshold) {
        if (++nodes_ % nodes_between_polls == 0) look_up_from_work();
        const int ply = position.ply;
        const Bits playable = position.playable();
        const Bits moves = safe_moves(playable, threats);
        if (!moves) return score_of_loss(ply, 1);
        if (ply >= cells - 2) return 0;
        const int least = score_of_loss(ply, 2);
        const int most = score_of_win(ply, 2);
        if (least > threshold) return least;
        if (most <= threshold) return most;
        if (book_ && ply == book_->plies()) return book_->score(position);
        const bool opponent_may_follow = !(playable & ~odd_rows);
        if (threshold >= 0 && opponent_may_follow &&
            !Connect4::has_four(position.own | (odd_rows & ~position.occupied)))
            return 0;

        for (Bits rest = moves; rest && ply < last_table_ply; rest &= rest - 1) {
            const Position next = position.after(rest & -rest);
            __builtin_prefetch(&word(table_key(next), next.ply));
        }
        // A position with a forced move is neither looked up nor stored: the position after it has its own entry.
        const bool in_table = ply <= last_table_ply && (moves & (moves - 1));
        const Bits key = in_table ? table_key(position) : 0;
        int lower = least, upper = most;
        if (in_table) {
            const std::uint64_t entry = word(key, ply).load(std::memory_order_relaxed);
            if (entry && Entry::key(entry) == key) {
                lower = Entry::lower(entry);
                upper = Entry::upper(entry);
                if (lower > threshold) return lower;
                if (upper <= threshold) return upper;
            }
        }

        OrderedMoves ordered;
        for (Bits rest = moves; rest; rest &= rest - 1) {
            const Bits cell = rest & -rest;
            const Bits wins = winning_cells(position.own | cell, position.occupied | cell);
            const Bits replies = ((position.occupied | cell) + bottom_row) & board;
            if (!safe_moves(replies, wins)) return most;
            const int near_centre = centrality[static_cast<std::size_t>(column_of(cell))];
            ordered.insert({cell, wins, 4 * std::popcount(wins) + near_centre});
        }
        // No move leaves the opponent without a safe reply, so a win takes at least three more discs of the mover.
        if (most - 1 <= threshold) return most - 1;

        if (in_table && ply < reply_lookup_ply)
            for (const OrderedMove& move : ordered) {
                const Position next = position.after(move.cell);
                const Bits next_key = table_key(next);
                const std::uint64_t entry = word(next_key, next.ply).load(std::memory_order_relaxed);
                if (entry && Entry::key(entry) == next_key && -Entry::upper(entry) > threshold)
                    return -Entry::upper(entry);
            }

        const int best = mode_.busy && ply <= last_busy_ply ? search_beside_others(position, ordered, threshold)
                                                            : search_moves(position, ordered, threshold);
        if (in_table && !gave_up_) {
            (best > threshold ? lower : upper) = best;
            word(key, ply).store(Entry::pack(key, lower, upper), std::memory_order_relaxed);
            if (mode_.alone && ply <= last_shared_ply) table_.count_store();
        }
        return best;
    }

    int search_moves(const Position& position, const OrderedMoves& ordered, int threshold) {
        int best = -cells;
        for (const OrderedMove& move : ordered) {
            best = std::max(best, -search(position.after(move.cell), move.wins, -threshold - 1));
            if (gave_up_ || best > threshold) break;
        }
        return best;
    }

    // Searches the first move at once, because its result decides whether the others matter; then the moves that no
    // other thread is searching, then the rest.
    int search_beside_others(const Position& position, const OrderedMoves& ordered, int threshold) {
        int best = -cells;
        std::array<bool, columns> done{};
        for (const bool wait : {true, false})
            for (std::size_t i = 0; i < static_cast<std::size_t>(ordered.count); ++i) {
                if (done[i]) continue;
                const OrderedMove& move = ordered.moves[i];
                const Position next = position.after(move.cell);
                const Bits key = table_key(next);
                if (wait && i > 0 && mode_.busy->contains(key)) continue;
                done[i] = true;
                const BusyPositions::Mark mark(mode_.busy, key);
                best = std::max(best, -search(next, move.wins, -threshold - 1));
                if (gave_up_ || best > threshold) return best;
            }
        return best;
    }

    void look_up_from_work() {
        if (mode_.poll && *mode_.poll) (*mode_.poll)();
        if (nodes_ > last_node_ || (mode_.stop && mode_.stop->load(std::memory_order_relaxed))) gave_up_ = true;
    }

    Word& word(Bits key, int ply) {
        return ply > last_shared_ply ? deep_[hash(key) >> (64 - deep_bits)] : table_.word(key);
    }

    static constexpr std::array<int, columns> centrality{0, 1, 2, 3, 2, 1, 0};
    static constexpr int deep_bits = 16;  // half a megabyte, which stays in the L2 cache
    static constexpr std::size_t deep_size = std::size_t{1} << deep_bits;

    Table& table_;
    const Connect4Book* book_;
    HugeArray<Word> deep_;
    std::uint64_t nodes_ = 0;
    std::uint64_t last_node_ = 0;
    Mode mode_;
    bool gave_up_ = false;
};

Connect4Solver::Connect4Solver(Options options)
    : options_(std::move(options)), table_(std::make_unique<Table>(options_.memory_mb)) {
    for (int thread = 0; thread < options_.threads; ++thread)
        searches_.push_back(std::make_unique<Search>(*table_, options_.book.get()));
}

Connect4Solver::~Connect4Solver() = default;

void Connect4Solver::clear() {
    const std::lock_guard lock(mutex_);
    table_->clear();
    for (auto& search : searches_) search->clear();
}

std::uint64_t Connect4Solver::nodes() const {
    const std::lock_guard lock(mutex_);
    std::uint64_t sum = 0;
    for (const auto& search : searches_) sum += search->nodes();
    return sum;
}

// Runs work(thread index) on `count` threads, including the calling one, and rethrows an exception of the calling
// thread; the other threads must not throw. If the system refuses a thread, the work runs on fewer.
template <class Work>
static void on_all_threads(std::size_t count, std::atomic<bool>& stop, Work work) {
    struct Joining {
        std::vector<std::thread> threads;
        ~Joining() {
            for (auto& thread : threads) thread.join();
        }
    } others;
    try {
        others.threads.reserve(count);
        try {
            for (std::size_t i = 1; i < count; ++i) others.threads.emplace_back([&work, i] { work(i); });
        } catch (const std::system_error&) {
        }
        work(0);
    } catch (...) {
        stop = true;
        throw;
    }
}

int Connect4Solver::exceeds(const Position& position, int threshold, const Poll& poll) {
    Search& first = *searches_.front();
    if (searches_.size() == 1) return first.exceeds(position, threshold, {.poll = &poll});

    // Most searches are so short that starting threads would take longer.
    constexpr std::uint64_t small_search = 200'000;
    const int bound = first.exceeds(position, threshold, {.poll = &poll, .most_nodes = small_search});
    if (!first.gave_up()) return bound;

    table_->grow_fully(poll);
    std::atomic<bool> stop = false;
    std::atomic<int> answer = 0;
    BusyPositions busy;
    on_all_threads(searches_.size(), stop, [&](std::size_t i) {
        Search& search = *searches_[i];
        const int found = search.exceeds(
            position, threshold, {.alone = false, .poll = i == 0 ? &poll : nullptr, .stop = &stop, .busy = &busy});
        if (!search.gave_up() && !stop.exchange(true)) answer = found;
    });
    return answer;
}

int Connect4Solver::score(const Connect4& state, const Poll& poll) {
    const std::lock_guard lock(mutex_);
    return exact_score(Position(state), poll);
}

int Connect4Solver::exact_score(const Position& position, const Poll& poll) {
    if (const auto decided = decided_score(position)) return *decided;
    return narrow(score_of_loss(position.ply, 2), score_of_win(position.ply, 2),
                  [&](int threshold) { return exceeds(position, threshold, poll); });
}

int Connect4Solver::outcome(const Connect4& state, const Poll& poll) {
    const std::lock_guard lock(mutex_);
    const Position position(state);
    const auto sign = [](int score) { return (score > 0) - (score < 0); };
    if (const auto decided = decided_score(position)) return sign(*decided);
    if (exceeds(position, 0, poll) > 0) return 1;
    return exceeds(position, -1, poll) > -1 ? 0 : -1;
}

std::array<std::optional<int>, columns> Connect4Solver::move_scores(const Connect4& state, const Poll& poll) {
    const std::lock_guard lock(mutex_);
    std::array<std::optional<int>, columns> scores;
    MoveList<Connect4> moves;
    if (!state.is_terminal()) state.generate(moves);
    for (const auto move : moves) {
        Connect4 next = state;
        next.play(move);
        scores[move.column] = -exact_score(Position(next), poll);
    }
    return scores;
}

std::vector<Connect4::Move> Connect4Solver::line(const Connect4& start, const Poll& poll) {
    const std::lock_guard lock(mutex_);
    std::vector<Connect4::Move> played;
    Connect4 state = start;
    for (int best = exact_score(Position(state), poll); !state.is_terminal(); best = -best) {
        played.push_back(move_that_keeps(state, best, poll));
        state.play(played.back());
    }
    return played;
}

// Returns a move with the score `best`, the highest of all moves.
Connect4::Move Connect4Solver::move_that_keeps(const Connect4& state, int best, const Poll& poll) {
    for (const std::uint8_t column : {3, 2, 4, 1, 5, 0, 6}) {
        if (!state.is_legal({column})) continue;
        Connect4 next = state;
        next.play({column});
        const Position position(next);
        const auto decided = decided_score(position);
        // No reply scores less than -best, so a reply that does not exceed -best scores exactly that.
        if (decided ? *decided == -best : exceeds(position, -best, poll) <= -best) return {column};
    }
    throw std::logic_error("connect4 solver: the book contradicts the search");
}

std::vector<std::int8_t> Connect4Solver::scores(std::span<const Position> positions, const Poll& poll) {
    const std::lock_guard lock(mutex_);
    std::vector<std::int8_t> scores(positions.size());
    table_->grow_fully(poll);
    std::atomic<bool> stop = false;
    std::atomic<std::size_t> next = 0;
    on_all_threads(searches_.size(), stop, [&](std::size_t i) {
        Search& search = *searches_[i];
        const Search::Mode mode{.alone = false, .poll = i == 0 ? &poll : nullptr, .stop = &stop};
        for (std::size_t index; !stop && (index = next++) < positions.size();) {
            const Position& position = positions[index];
            const auto decided = decided_score(position);
            const int score =
                decided ? *decided
                        : narrow(score_of_loss(position.ply, 2), score_of_win(position.ply, 2), [&](int threshold) {
                              const int bound = search.exceeds(position, threshold, mode);
                              // Any value ends narrow(); the scores are discarded.
                              return search.gave_up() ? threshold : bound;
                          });
            scores[index] = static_cast<std::int8_t>(score);
        }
    });
    return scores;
}

}  // namespace joute
