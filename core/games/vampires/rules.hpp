#pragma once

// The points of the rules of Vampires vs Werewolves on which the programs of the course and its imitations disagree.
//
// `official` is the course's server of 2020, `official-2019` its older builds, `text-strict` the literal text of the
// course's statement; `twilight-succo` and `twilight-langorou` are two servers written by students.

#include <optional>
#include <span>

#include "battle.hpp"
#include "board.hpp"

namespace joute {

struct VampiresRules {
    enum class Profile : std::uint8_t { official, official_2019, text_strict, twilight_succo, twilight_langorou };

    Profile profile = Profile::official;
    int plies = 0;  // 0 for the default of the profile
    // Errors in the simulation of the paper's learning player, which a network can be trained with: as many monsters as
    // humans fight a battle (if set, it overrides the profile), and at the ply limit the side with more groups wins.
    std::optional<bool> equal_humans_fight;
    bool counts_groups = false;
    std::string map;      // the name of a built-in map, or a map's text
    VampiresBoard start;  // the parsed map
    VampiresBattleRules battles;

    static const VampiresRules* find(std::string_view text);
    static std::span<const RuleOption> options();
    std::string text() const;
    std::uint64_t id() const { return id_; }

    bool is_twilight() const { return profile >= Profile::twilight_succo; }
    bool werewolves_first() const { return is_twilight(); }
    // Whether a turn without orders is legal.
    bool may_pass() const { return is_twilight(); }
    // Whether units are destroyed when they enter a cell that others leave in the same turn; otherwise such turns are
    // illegal.
    bool destroys_entering_units() const { return is_twilight(); }
    bool extinction_of_both_draws() const { return is_twilight() || profile == Profile::text_strict; }
    int ply_limit() const { return plies ? plies : usual_plies(); }
    int usual_plies() const { return is_twilight() ? 102 : 200; }
    // The number of units a cell holds after an arrival: servers count in a byte, which wraps; the statement has no
    // such limit, so here the count saturates.
    int held(int count) const {
        return profile == Profile::text_strict ? std::min(count, vampires_max_count) : count & vampires_max_count;
    }

    // The eight symmetries of a rectangle, including the exchange of rows and columns.
    static constexpr int symmetries = 8;
    int symmetry_count() const { return symmetries; }

private:
    std::uint64_t id_ = 0;
};

}  // namespace joute
