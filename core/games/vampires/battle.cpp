#include "battle.hpp"

#include <array>
#include <numeric>

namespace joute {

// Starts at the mode, computes each term from its neighbour by their ratio, and normalizes the sum to one. This avoids
// powers, which would underflow, and gives the same numbers on every machine.
void fill_binomial(std::span<double> probabilities, int parts, int whole) {
    const int n = static_cast<int>(probabilities.size()) - 1;
    const int likeliest = std::min(n, (n + 1) * parts / whole);
    const auto at = [&](int k) -> double& { return probabilities[static_cast<std::size_t>(k)]; };
    at(likeliest) = 1;
    const int others = whole - parts;
    for (int k = likeliest; k < n; ++k) at(k + 1) = at(k) * (n - k) * parts / ((k + 1.0) * others);
    for (int k = likeliest; k > 0; --k) at(k - 1) = at(k) * k * others / ((n - k + 1.0) * parts);
    const double sum = std::accumulate(probabilities.begin(), probabilities.end(), 0.0);
    for (double& probability : probabilities) probability /= sum;
}

void VampiresBattle::outcomes(FixedList<double, max_outcomes>& list) const {
    std::array<double, 2 * 255 + 1> won, lost;
    const auto after_win = std::span(won).first(static_cast<std::size_t>(possible_survivors()) + 1);
    const auto after_loss = std::span(lost).first(static_cast<std::size_t>(defenders) + 1);
    fill_binomial(after_win, win_parts(), whole());
    fill_binomial(after_loss, rules.repelling_by_p ? win_parts() : whole() - win_parts(), whole());
    const double win = win_probability(), loss = 1 - win;
    list.push_back(win * after_win[0] + loss * after_loss[0]);
    for (const double probability : after_loss.subspan(1)) list.push_back(loss * probability);
    for (const double probability : after_win.subspan(1)) list.push_back(win * probability);
}

namespace {

// Merges neighbouring outcomes into `most` of about equal probability; each stands at the rounded mean of those it
// replaces.
void gather(std::span<double> shares, int most) {
    if (shares.size() <= static_cast<std::size_t>(most)) return;
    double whole = 0;
    for (const double share : shares) whole += share;
    double before = 0;  // total probability of the outcomes merged so far
    std::size_t begin = 0;
    for (int part = 1; part <= most && begin < shares.size(); ++part) {
        const double until = part == most ? 2 * whole : whole * part / most;
        double weight = 0, sum = 0;
        std::size_t end = begin;
        while (end < shares.size() && (weight == 0 || before + weight + shares[end] / 2 <= until)) {
            weight += shares[end];
            sum += shares[end] * static_cast<double>(end);
            shares[end++] = 0;
        }
        if (weight > 0) shares[static_cast<std::size_t>(sum / weight + 0.5)] = weight;
        before += weight;
        begin = end;
    }
}

}  // namespace

void VampiresBattle::few_outcomes(FixedList<double, max_outcomes>& list, int most) const {
    const std::size_t begin = list.size();
    outcomes(list);
    const std::span all(list.begin() + begin, list.end());
    gather(all.subspan(1, static_cast<std::size_t>(defenders)), most);
    gather(all.subspan(1 + static_cast<std::size_t>(defenders)), most);
}

}  // namespace joute
