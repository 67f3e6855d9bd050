#include "prover.hpp"

namespace joute::divercite_live {

namespace {

constexpr int least_kept = 4;  // the table is used for positions with at least this many plies left

constexpr int no_move = 255;
static_assert(Divercite::codes <= no_move);

// Move ordering: the table's move first, then by ordering score in parts of a point, then by history.
constexpr int one_part = 1 << 16;
constexpr std::uint32_t most_history = 8 * one_part;
constexpr int table_move = 1 << 30;

// The rungs below points never sum to half a point.
constexpr int two_points = 2 * ladder::point - ladder::point / 2;

std::uint64_t folded(std::uint64_t a, std::uint64_t b) {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Do>
void each(std::uint32_t set, Do action) {
    for (; set; set &= set - 1) action(std::countr_zero(set));
}

// The colours of a set that matter, plus one of the others, which are equivalent.
int distinct(int set, int cares) {
    const int others = set & ~cares;
    return (set & cares) | (others & -others);
}

}  // namespace

Prover::Prover(Proofs& table, Aim aim)
    : table_(table), aim_(aim), cities_(Cities::of(aim == Aim::points ? Measure::points : Measure::ladder)) {}

int Prover::worth(const Position& position, int need, Effort& effort) {
    effort_ = &effort;
    return search(position, need);
}

std::vector<Divercite::Move> Prover::in_order(const Position& position) const {
    Moves moves;
    list_moves(position, {colour_sets - 1, colour_sets - 1}, position.empty_resources, no_move, moves);
    const auto end = moves.list.begin() + moves.count;
    std::stable_sort(moves.list.begin(), end,
                     [](const Move& a, const Move& b) { return a.ordering_score > b.ordering_score; });
    std::vector<Divercite::Move> ordered;
    for (auto move = moves.list.begin(); move != end; ++move) ordered.push_back(move->move);
    return ordered;
}

int Prover::guess(Position position) const {
    while (position.left > 0) position.play(in_order(position)[0], cities_);
    return position.worth;
}

int Prover::final(int worth) const {
    return aim_ == Aim::twos_or_two ? worth >= two_points || (worth > 0 && worth <= ladder::most_twos) : worth;
}
int Prover::final_upper(int worth) const { return aim_ == Aim::twos_or_two ? worth > 0 : worth; }
int Prover::final_lower(int worth) const { return aim_ == Aim::twos_or_two ? worth >= two_points : worth; }

int Prover::search(const Position& position, int need) {
    if (position.left <= 1) return position.left == 0 ? final(position.worth) : last_ply(position);
    const Cares cares = this->cares(position);
    const std::uint32_t live = live_cells(position);
    const int offset = aim_ == Aim::twos_or_two ? 0 : position.worth;
    const bool is_kept = position.left >= least_kept;
    Bounds bounds{far_below, -far_below};
    Proof proof;
    int best_known = no_move;
    if (is_kept) {
        proof.key = key(position, cares, live);
        proof.size = static_cast<std::uint8_t>(position.left);
        if (const Proof* known = table_.find(proof.key)) {
            bounds = {known->lower + offset, known->upper + offset};
            if (bounds.lower >= need) return bounds.lower;
            if (bounds.upper < need) return bounds.upper;
            best_known = known->move;
        }
    }
    bounds.upper = std::min(bounds.upper, final_upper(most_for(position, cities_, 0)));
    if (bounds.upper < need) return bounds.upper;
    bounds.lower = std::max(bounds.lower, final_lower(-most_for(position, cities_, 1)));
    if (bounds.lower >= need) return bounds.lower;

    Moves moves;
    list_moves(position, cares, live, best_known, moves);
    proof.move = static_cast<std::uint8_t>(best_known);
    const int found = search_moves(position, moves, need, proof);
    if (!is_kept) return found;
    (found >= need ? bounds.lower : bounds.upper) = found;
    proof.lower = bounds.lower - offset;
    proof.upper = bounds.upper - offset;
    table_.store(proof);
    return found;
}

int Prover::search_moves(const Position& position, Moves& moves, int need, Proof& proof) {
    const bool is_white = position.mover == 0;
    int best = is_white ? far_below : -far_below;
    for (int i = 0; i < moves.count; ++i) {
        int pick = i;
        for (int j = i + 1; j < moves.count; ++j)
            if (moves.list[j].ordering_score > moves.list[pick].ordering_score) pick = j;
        std::swap(moves.list[i], moves.list[pick]);
        const Divercite::Move move = moves.list[i].move;
        effort_->enter();
        Position next = position;
        next.play(move, cities_);
        const int found = search(next, need);
        best = is_white ? std::max(best, found) : std::min(best, found);
        if ((best >= need) != is_white) continue;
        proof.move = move.code;
        reward(position, move);
        break;
    }
    return best;
}

int Prover::last_ply(const Position& position) const {
    const Hand& hand = position.hands[position.mover];
    if (position.empty_cities) {
        const int city = std::countr_zero(position.empty_cities);
        const int colour = std::countr_zero(static_cast<unsigned>(hand.cities()));
        return final(position.worth + position.sign() * cities_[position.cities[city]].founding[colour]);
    }
    const int colour = std::countr_zero(static_cast<unsigned>(hand.resources()));
    int best = far_below;
    each(position.empty_resources, [&](int resource) {
        const int gain = position.around(resource, cities_, &CityFacts::gain)[colour];
        best = std::max(best, position.sign() * final(position.worth + gain));
    });
    return position.sign() * best;
}

Prover::Cares Prover::cares(const Position& position) const {
    const int in_hands = position.hands[0].cities() | position.hands[1].cities();
    const int left = position.resource_colours();
    Cares cares{0, 0};
    for (const CityId city : position.cities) {
        const CityFacts& facts = cities_[city];
        cares.resources |= facts.cares;
        if (!facts.is_open) continue;
        cares.cities |= facts.around;
        if (!facts.has_free) continue;
        cares.cities |= left;
        cares.resources |= in_hands;
    }
    return cares;
}

std::uint32_t Prover::live_cells(const Position& position) const {
    std::uint32_t live = 0;
    for (int city = 0; city < R::city_cells; ++city)
        if (position.cities[city] != settled) live |= tables.resource_mask_of[city];
    return live & position.empty_resources;
}

std::uint64_t Prover::key(const Position& position, const Cares& cares, std::uint32_t live) const {
    const auto words = std::bit_cast<std::array<std::uint64_t, 4>>(position.cities);
    std::uint64_t rest = live | std::uint64_t(position.mover) << 32 | std::uint64_t(aim_) << 33;
    if (aim_ == Aim::twos_or_two) rest ^= static_cast<std::uint64_t>(position.worth) << 36;
    const std::uint64_t white = position.hands[0].regardless(cares.cities, cares.resources);
    const std::uint64_t black = position.hands[1].regardless(cares.cities, cares.resources);
    const std::uint64_t sum = folded(words[0] ^ 0x9e3779b97f4a7c15, words[1] ^ 0xc2b2ae3d27d4eb4f) +
                              folded(words[2] ^ 0x165667b19e3779f9, words[3] ^ 0xd6e8feb86659fd93) +
                              folded(white ^ 0xa0761d6478bd642f, black ^ 0xe7037ed1a0b428db);
    return mix64(sum ^ mix64(rest + 0x8ebc6af09c88c6e3)) | 1;
}

void Prover::list_moves(const Position& position, const Cares& cares, std::uint32_t live, int best,
                        Moves& moves) const {
    const int sign = position.sign();
    const auto& history = history_[position.mover];
    const Hand &own = position.hands[position.mover], &others = position.hands[1 - position.mover];
    const int hand = distinct(own.resources(), cares.resources);
    const Four of_others = only_of_set[others.resources()];
    const auto add = [&](Divercite::Move move, int ordering_score) {
        moves.list[moves.count++] = {move, ordering_score * one_part + static_cast<int>(history[move.code]) +
                                               (move.code == best ? table_move : 0)};
    };
    if (hand) {
        const std::uint32_t dead = position.empty_resources & ~live;
        each(live | (dead & -dead), [&](int resource) {
            const Four ordering_score = sign * position.around(resource, cities_, &CityFacts::ordering_score);
            const int denied = std::max(0, max_of(of_others - ordering_score));
            each(static_cast<std::uint32_t>(hand), [&](int colour) {
                add(Divercite::place_resource(colour, resource), ordering_score[colour] + denied);
            });
        });
    }
    const int city_hand = distinct(own.cities(), cares.cities);
    if (!city_hand) return;
    each(position.empty_cities, [&](int city) {
        const CityFacts& facts = cities_[position.cities[city]];
        int denied = 0;
        each(static_cast<std::uint32_t>(others.cities()),
             [&](int colour) { denied = std::max(denied, facts.founding_ordering_score[colour]); });
        each(static_cast<std::uint32_t>(city_hand), [&](int colour) {
            add(Divercite::place_city(colour, city), facts.founding_ordering_score[colour] + denied);
        });
    });
}

void Prover::reward(const Position& position, Divercite::Move move) {
    std::uint32_t& refuted = history_[position.mover][move.code];
    refuted += static_cast<std::uint32_t>(position.left * position.left);
    if (refuted < most_history) return;
    for (auto& of_player : history_)
        for (auto& count : of_player) count /= 2;
}

}  // namespace joute::divercite_live
