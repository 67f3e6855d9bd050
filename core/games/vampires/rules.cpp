#include "rules.hpp"

#include <array>
#include <charconv>

#include "../../base/quote.hpp"
#include "maps.hpp"

namespace joute {

namespace {

constexpr std::array<std::string_view, 5> profiles{"official", "official-2019", "text-strict", "twilight-succo",
                                                   "twilight-langorou"};
constexpr std::array<std::string_view, 3> equal_humans{"profile", "converted", "battle"};
constexpr int most_plies = 9999;
constexpr std::string_view default_map = vampires_maps[0].name;

std::string text_of(const VampiresBoard& board) {
    return vampires_text(board.rows, board.columns, board.cells.data(), board.cells.data() + board.cells.size(),
                         board.attacking, board.ply);
}

VampiresBoard start_of(std::string_view map) {
    for (const auto& known : vampires_maps)
        if (known.name == map) return VampiresBoard::parse(known.text);
    if (map.find('/') == std::string_view::npos) {
        std::string names;
        for (const auto& known : vampires_maps) names += (names.empty() ? "" : ", ") + std::string(known.name);
        throw TextError(quoted(map) + " is neither the name nor the text of a map; the maps are: " + names);
    }
    const VampiresBoard board = VampiresBoard::parse(map);
    for (const auto kind : {VampiresKind::vampires, VampiresKind::werewolves})
        if (std::count_if(board.cells.begin(), board.cells.end(), [&](auto cell) { return cell.kind() == kind; }) != 1)
            throw TextError("a map has exactly one cell of vampires and one of werewolves; " + quoted(map) +
                            " does not");
    if (board.ply > 0 || board.cells.back().kind() == VampiresKind::attackers)
        throw TextError("a map must be at ply 0 and without a battle; " + quoted(map) + " is not");
    return board;
}

}  // namespace

const VampiresRules* VampiresRules::find(std::string_view text) {
    VampiresRules rules;
    std::string_view map = default_map;
    parse_options(text, [&](std::string_view key, std::string_view value) {
        if (key == "rules") {
            const auto* found = std::find(profiles.begin(), profiles.end(), value);
            if (found == profiles.end())
                throw TextError("vampires has no rules " + quoted(value) +
                                "; it has official, official-2019, text-strict, twilight-succo and twilight-langorou");
            rules.profile = static_cast<Profile>(found - profiles.begin());
        } else if (key == "map") {
            map = value;
        } else if (key == "plies") {
            const auto parsed = std::from_chars(value.data(), value.data() + value.size(), rules.plies);
            if (parsed.ptr != value.data() + value.size() || parsed.ec != std::errc{} || rules.plies < 0 ||
                rules.plies > most_plies)
                throw TextError("plies must be a whole number from 0 to " + std::to_string(most_plies) + ", not " +
                                quoted(value));
        } else if (key == "equal_humans") {
            const auto* found = std::find(equal_humans.begin(), equal_humans.end(), value);
            if (found == equal_humans.end())
                throw TextError("equal_humans must be profile, converted or battle, not " + quoted(value));
            if (found != equal_humans.begin()) rules.equal_humans_fight = value == "battle";
        } else if (key == "limit") {
            if (value != "units" && value != "groups")
                throw TextError("limit must be units or groups, not " + quoted(value));
            rules.counts_groups = value == "groups";
        } else {
            throw TextError("vampires has no rules option " + quoted(key));
        }
    });
    rules.start = start_of(map);
    rules.map = text_of(rules.start);
    for (const auto& known : vampires_maps)
        if (known.text == rules.map) rules.map = known.name;
    if (rules.plies == rules.usual_plies()) rules.plies = 0;
    const bool succo = rules.profile == Profile::twilight_succo;
    if (rules.equal_humans_fight == succo) rules.equal_humans_fight.reset();
    rules.battles = {.equal_humans_fight = rules.equal_humans_fight.value_or(succo),
                     .outnumbering_is_even = succo,
                     .hopeless_dies = rules.profile == Profile::text_strict,
                     .repelling_by_p = rules.profile == Profile::official_2019};
    rules.id_ = rules_id("vampires", rules.text());
    return intern(rules);
}

std::span<const RuleOption> VampiresRules::options() {
    static constexpr std::array<RuleOption, 5> all_options{
        RuleOption{
            "rules", "official", "official|official-2019|text-strict|twilight-succo|twilight-langorou",
            "the rule set: the course's server of 2020 or before, its statement, or one of the students' servers"},
        RuleOption{"map", default_map, "", "where the game begins: a built-in map, an XML file, or the text of a map"},
        RuleOption{"plies", "0", "0..9999", "the ply limit of the game; 0 for the default of the rules"},
        RuleOption{"equal_humans", "profile", "profile|converted|battle",
                   "what as many monsters as humans do: convert them, or fight with P = 1/2"},
        RuleOption{"limit", "units", "units|groups", "what decides at the ply limit: more units, or more groups"}};
    return all_options;
}

std::string VampiresRules::text() const {
    std::string text;
    const auto add = [&](std::string_view key, std::string_view value) {
        text += (text.empty() ? "" : ",") + std::string(key) + "=" + std::string(value);
    };
    if (profile != Profile::official) add("rules", profiles[static_cast<std::size_t>(profile)]);
    if (map != default_map) add("map", map);
    if (plies) add("plies", std::to_string(plies));
    if (equal_humans_fight) add("equal_humans", *equal_humans_fight ? "battle" : "converted");
    if (counts_groups) add("limit", "groups");
    return text;
}

}  // namespace joute
