#!/bin/sh
# Says in one sentence what a machine lacks to build Joute; prints the Python to use if it lacks nothing.
set -u

fail() {
    echo "joute: $1" >&2
    exit 1
}

for candidate in "${PYTHON:-python3}" python3 python3.14 python3.13 python3.12 python3.11; do
    if "$candidate" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
        python=$candidate
        break
    fi
done
[ -n "${python:-}" ] || fail "Python 3.11 or newer is needed; install it (Debian, Ubuntu: apt install python3 python3-venv) or name it: make PYTHON=/path/to/python3"

"$python" -c 'import ensurepip, venv' 2>/dev/null ||
    fail "this Python cannot make virtual environments; install its venv package (Debian, Ubuntu: apt install python3-venv)"

"$python" -c 'import os, sys, sysconfig; sys.exit(not os.path.exists(os.path.join(sysconfig.get_path("include"), "Python.h")))' ||
    fail "Python.h of $python is missing; install Python's development files (Debian, Ubuntu: apt install python3-dev; Fedora: dnf install python3-devel)"

# The first that exists is the one that CMake takes.
for candidate in "${CXX:-c++}" g++ clang++; do
    if command -v "$candidate" >/dev/null 2>&1; then
        compiler=$candidate
        break
    fi
done
[ -n "${compiler:-}" ] || fail "a C++20 compiler is needed; install one (Debian, Ubuntu: apt install g++; macOS: xcode-select --install)"

printf '#include <bit>\n#include <concepts>\ntemplate <std::integral T> int f(T x) { return std::has_single_bit(x); }\nint main() { return f(3u); }\n' |
    "$compiler" -std=c++20 -fsyntax-only -x c++ - 2>/dev/null ||
    fail "the compiler $compiler does not accept C++20; install g++ 11 or newer, or name another: make CXX=/path/to/compiler"

echo "$python"
