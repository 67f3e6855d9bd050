#pragma once

// The rules of Vampires vs Werewolves that the programs of the course, and those that imitate it, do not agree on.
//
// `official` is the course's server of 2020, `official-2019` its older builds, `text-strict` what the statement says
// word for word; `twilight-succo` and `twilight-langorou` are two servers written by students.

#include <span>

#include "battle.hpp"
#include "board.hpp"

namespace joute {

struct VampiresRules {
    enum class Profile : std::uint8_t { official, official_2019, text_strict, twilight_succo, twilight_langorou };

    Profile profile = Profile::official;
    int plies = 0;        // 0: as many as the profile has
    std::string map;      // the name of a built-in map, or a map's text
    VampiresBoard start;  // what it says
    VampiresBattleRules battles;

    static const VampiresRules* find(std::string_view text);
    static std::span<const RuleOption> options();
    std::string text() const;
    std::uint64_t id() const { return id_; }

    bool is_twilight() const { return profile >= Profile::twilight_succo; }
    bool werewolves_first() const { return is_twilight(); }
    // Whether a turn without an order is legal.
    bool may_pass() const { return is_twilight(); }
    // Whether units that enter a cell which others leave in the same turn are destroyed; otherwise it is forbidden.
    bool destroys_entering_units() const { return is_twilight(); }
    bool extinction_of_both_draws() const { return is_twilight() || profile == Profile::text_strict; }
    int ply_limit() const { return plies ? plies : usual_plies(); }
    int usual_plies() const { return is_twilight() ? 102 : 200; }
    // What a cell holds that should hold so many: servers count in a byte, which wraps; the statement knows no bytes.
    int held(int count) const {
        return profile == Profile::text_strict ? std::min(count, vampires_max_count) : count & vampires_max_count;
    }

    // Sight from all eight sides.
    static constexpr int symmetries = 8;
    int symmetry_count() const { return symmetries; }

private:
    std::uint64_t id_ = 0;
};

}  // namespace joute
