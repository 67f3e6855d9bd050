#include "islands.hpp"

#include <algorithm>

#include "../../base/reserve.hpp"

namespace joute::avalam_live {

namespace {

constexpr std::int16_t far = 30000;  // larger than any gain

constexpr std::uint64_t pair_key(Games::Id a, Games::Id b) { return static_cast<std::uint64_t>(a) << 32 | b; }

constexpr std::int16_t narrow(int value) { return static_cast<std::int16_t>(value); }

}  // namespace

Games::Games(int tower, int five, std::size_t most_bytes) : tower_(tower), five_(five), most_bytes_(most_bytes) {
    reserve_space(games_, most_bytes / sizeof(Game));
    reserve_space(options_, most_bytes / sizeof(Option));
    games_.push_back({.first = 0,
                      .of_max = 0,
                      .of_min = 0,
                      .max_first = 0,
                      .least = 0,
                      .most = 0,
                      .grundy = 0,
                      .depth = 0,
                      .negative = nothing,
                      .hash = mixed(1)});
}

bool Games::beats(Id a, int handicap, Id b, Effort& effort) {
    if (a == b) return handicap >= 0;
    // The conditions on G and H alone, with Min first and with Max first, and on the Grundy values (islands.hpp).
    if (handicap < 0 || handicap < games_[b].max_first - games_[a].max_first) return false;
    if (games_[a].grundy != games_[b].grundy) return false;
    const std::uint64_t key = pair_key(a, b);
    if (const Handicap* known = handicaps_.find(key)) {
        if (handicap <= known->fails) return false;
        if (handicap >= known->holds) return true;
    }
    effort.look();
    const bool holds = can_match(a, handicap, b, effort);
    Handicap* known = handicaps_.find(key);
    if (!known) known = &handicaps_.insert(key, {.fails = -far, .holds = far});
    (holds ? known->holds : known->fails) = narrow(handicap);
    return holds;
}

bool Games::can_match(Id a, int handicap, Id b, Effort& effort) {
    const auto any = [](std::span<const Option> options, auto holds) { return std::ranges::any_of(options, holds); };
    for (const Option& move : min_options(a))
        if (!any(min_options(b),
                 [&](const Option& match) {
                     return beats(move.id, handicap + move.gain - match.gain, match.id, effort);
                 }) &&
            !any(max_options(move.id),
                 [&](const Option& answer) { return beats(answer.id, handicap + move.gain + answer.gain, b, effort); }))
            return false;
    for (const Option& move : max_options(b))
        if (!any(max_options(a),
                 [&](const Option& match) {
                     return beats(match.id, handicap + match.gain - move.gain, move.id, effort);
                 }) &&
            !any(min_options(move.id),
                 [&](const Option& answer) { return beats(a, handicap - move.gain - answer.gain, answer.id, effort); }))
            return false;
    return true;
}

void Games::drop_dominated(std::vector<Option>& options, bool for_max, Effort& effort) {
    std::ranges::sort(options);
    options.erase(std::unique(options.begin(), options.end()), options.end());
    if (for_max) std::ranges::reverse(options);  // strong options first: they are likely to dominate
    const auto better = [&](const Option& x, const Option& y) {
        return for_max ? beats(x.id, x.gain - y.gain, y.id, effort) : beats(y.id, y.gain - x.gain, x.id, effort);
    };
    std::vector<Option> kept;
    for (const Option& option : options) {
        if (std::ranges::any_of(kept, [&](const Option& other) { return better(other, option); })) continue;
        std::erase_if(kept, [&](const Option& other) { return better(option, other); });
        kept.push_back(option);
    }
    options = std::move(kept);
}

Games::Shifted Games::simplest(std::vector<Option> of_max, std::vector<Option> of_min, int grundy, Effort& effort) {
    if (of_max.empty()) return {};
    drop_dominated(of_max, true, effort);
    drop_dominated(of_min, false, effort);
    int min_first = far;
    for (const Option& option : of_min) min_first = std::min(min_first, option.gain + games_[option.id].max_first);
    std::uint64_t form = 1;
    for (auto* options : {&of_max, &of_min}) {
        for (Option& option : *options) option.gain = narrow(option.gain - min_first);
        std::ranges::sort(*options);
        for (const Option& option : *options)
            form = mixed(form ^ (std::uint64_t{option.id} << 16 | static_cast<std::uint16_t>(option.gain)));
        form = mixed(form + 1);
    }
    if (const Id* known = forms_.find(form)) return {min_first, *known};
    const Id id = after_two_moves(add(of_max, of_min, grundy), effort);
    forms_.insert(form, id);
    return {min_first, id};
}

Games::Id Games::add(const std::vector<Option>& of_max, const std::vector<Option>& of_min, int grundy) {
    const std::size_t bytes = games_.size() * sizeof(Game) + options_.size() * sizeof(Option) + islands_.bytes() +
                              sums_.bytes() + forms_.bytes() + handicaps_.bytes();
    if (bytes > most_bytes_) throw TooManyGames{};
    Game game{.first = static_cast<std::uint32_t>(options_.size()),
              .of_max = static_cast<std::uint16_t>(of_max.size()),
              .of_min = static_cast<std::uint16_t>(of_min.size()),
              .max_first = -far,
              .least = far,
              .most = -far,
              .grundy = static_cast<std::uint8_t>(grundy),
              .depth = 0,
              .negative = unknown,
              .hash = 0};
    for (const Option& option : of_max) game.max_first = std::max(game.max_first, option.gain);
    for (const auto* options : {&of_max, &of_min}) {
        std::uint64_t hash = 0;
        for (const Option& option : *options) {
            const Game& after = games_[option.id];
            game.least = std::min(game.least, narrow(option.gain + after.least));
            game.most = std::max(game.most, narrow(option.gain + after.most));
            game.depth = std::max<std::uint8_t>(game.depth, after.depth + 1);
            hash += mixed(after.hash + mixed(static_cast<std::uint16_t>(option.gain) + std::uint64_t{1}));
        }
        game.hash = mixed(game.hash + 1) ^ hash;
    }
    game.hash = mixed(game.hash);
    options_.insert(options_.end(), of_max.begin(), of_max.end());
    options_.insert(options_.end(), of_min.begin(), of_min.end());
    games_.push_back(game);
    return static_cast<Id>(games_.size() - 1);
}

Games::Id Games::after_two_moves(Id id, Effort& effort) {
    for (const Option& move : max_options(id))
        for (const Option& answer : min_options(move.id))
            if (move.gain + answer.gain == 0 && games_[answer.id].max_first == games_[id].max_first &&
                beats(id, 0, answer.id, effort) && beats(answer.id, 0, id, effort))
                return answer.id;
    return id;
}

Games::Shifted Games::sum(Id a, Id b, Effort& effort) {
    if (a > b) std::swap(a, b);
    if (a == nothing) return {0, b};
    const std::uint64_t key = pair_key(a, b);
    if (const Shifted* known = sums_.find(key)) return *known;
    const auto options_of = [&](auto options) {
        std::vector<Option> of_sum;
        for (const auto& [moved, other] : {std::pair(a, b), std::pair(b, a)})
            for (std::size_t i = 0; i < options(moved).size(); ++i) {
                const Option option = options(moved)[i];  // a copy, because sum() adds options
                const Shifted after = sum(option.id, other, effort);
                of_sum.push_back({narrow(option.gain + after.number), after.id});
            }
        return of_sum;
    };
    const Shifted result =
        simplest(options_of([this](Id id) { return max_options(id); }),
                 options_of([this](Id id) { return min_options(id); }), games_[a].grundy ^ games_[b].grundy, effort);
    sums_.insert(key, result);
    return result;
}

Games::Shifted Games::negative(Id id, Effort& effort) {
    const int number = -games_[id].max_first;
    if (games_[id].negative == unknown) {
        const auto negated = [&](auto options) {
            std::vector<Option> of_negative;
            for (std::size_t i = 0; i < options(id).size(); ++i) {
                const Option option = options(id)[i];
                const Shifted after = negative(option.id, effort);
                of_negative.push_back({narrow(after.number - option.gain), after.id});
            }
            return of_negative;
        };
        games_[id].negative =
            simplest(negated([this](Id game) { return min_options(game); }),
                     negated([this](Id game) { return max_options(game); }), games_[id].grundy, effort)
                .id;
    }
    return {number, games_[id].negative};
}

Games::Shifted Games::of_island(const Position& island, Effort& effort) {
    const std::uint64_t shape = island.shape();
    if (const Shifted* known = islands_.find(shape)) return *known;
    std::vector<Option> options;
    std::uint64_t grundies = 0;
    island.each_move([&](Cells from, Cells to) {
        effort.enter();
        Position next = island;
        const int towers = island.own & to ? -1 : 1, fives = next.play(from, to);
        Shifted after;
        next.each_island([&](const Position& part) {
            const Shifted of_part = of_island(part, effort);
            const Shifted both = sum(after.id, of_part.id, effort);
            after = {after.number + of_part.number + both.number, both.id};
        });
        options.push_back({narrow(tower_ * towers + five_ * fives + after.number), after.id});
        grundies |= std::uint64_t{1} << games_[after.id].grundy;
    });
    const Shifted result = simplest(options, options, std::countr_one(grundies), effort);
    islands_.insert(shape, result);
    return result;
}

}  // namespace joute::avalam_live
