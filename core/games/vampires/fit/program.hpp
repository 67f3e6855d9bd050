#pragma once

// A player that is another program, which answers positions line by line (answer.cpp).

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "games/vampires/vampires.hpp"
#include "search/search.hpp"

namespace joute {

class VampiresProgram : public Search<Vampires> {
public:
    explicit VampiresProgram(const std::string& path) : path_(path) {
        std::array<int, 2> asked, answered;
        if (pipe(asked.data()) != 0 || pipe(answered.data()) != 0) fail("no pipe");
        const pid_t child = fork();
        if (child < 0) fail("no process");
        if (child == 0) {
            dup2(asked[0], STDIN_FILENO);
            dup2(answered[1], STDOUT_FILENO);
            for (const int end : {asked[0], asked[1], answered[0], answered[1]}) close(end);
            execl(path.c_str(), path.c_str(), nullptr);
            _exit(127);
        }
        close(asked[0]);
        close(answered[1]);
        to_ = fdopen(asked[1], "w");
        from_ = fdopen(answered[0], "r");
    }
    // The program ends at the end of its input.
    ~VampiresProgram() override {
        std::fclose(to_);
        std::fclose(from_);
    }
    VampiresProgram(const VampiresProgram&) = delete;
    VampiresProgram& operator=(const VampiresProgram&) = delete;

    SearchResult run(const Vampires& root, const Limits& limits, const Poll&, const Watch&) override {
        const bool is_timed = limits.seconds < Limits{}.seconds, is_counted = limits.nodes < Limits{}.nodes;
        std::fprintf(to_, "turn %llu %.9g %s\n", is_counted ? static_cast<unsigned long long>(limits.nodes) : 0,
                     is_timed ? limits.seconds : 0.0, root.text().c_str());
        std::fflush(to_);
        std::array<char, 4096> turn;
        unsigned long long nodes = 0;
        int depth = 0;
        if (std::fscanf(from_, "%4095s %llu %d", turn.data(), &nodes, &depth) != 3) fail("no answer");
        SearchResult result{.moves = {}, .depth = depth, .nodes = nodes};
        result.moves.push_back({.move = root.parse_move(turn.data()), .line = {}});
        return result;
    }
    void forget() override {
        std::fputs("forget\n", to_);
        std::fflush(to_);
    }

private:
    [[noreturn]] void fail(const char* what) const {
        std::fprintf(stderr, "%s: %s\n", path_.c_str(), what);
        std::exit(1);
    }

    std::string path_;
    std::FILE *to_, *from_;
};

}  // namespace joute
