# make demo and make test need Python 3.11+, pip and a C++ compiler, and nothing else: the rest is
# installed into .venv.

VENV := .venv
BIN := $(VENV)/bin
CORE := $(shell find core tests/toys -name '*.[ch]pp' -o -name '*.txt')
OTHELLO := $(shell find examples/othello -type f -not -path '*/build/*' -not -path '*/tests/*')
SEAHORSE := $(VENV)/seahorse-1.1/.installed $(VENV)/seahorse-1.2/.installed
PACKAGES := import sysconfig; print(sysconfig.get_path("purelib"))
PIP := $(BIN)/python -m pip --disable-pip-version-check -q
# Every version is fixed: what is installed today is what was tested. `make upgrade` renews the file.
INSTALL := $(PIP) install -c constraints.txt
# Tests start a thousand Python processes: without compiled modules beside the sources, each would compile Joute anew.
unexport PYTHONDONTWRITEBYTECODE
CXX_FILES := find core tests tools benchmarks examples -name '*.[ch]pp' -not -path '*/build/*'

.PHONY: demo test test-slow coverage fuzz bench lint format reproduction sanitize refit fit-tools wheel-test wheels docs notebooks release-check upgrade clean

# The page opens where there is a desktop, until Ctrl-C.
demo: $(VENV)/.built
	$(BIN)/joute demo
	@if [ -n "$$DISPLAY$$WAYLAND_DISPLAY" ] || [ "$$(uname)" = Darwin ]; then $(BIN)/joute serve --port 0 --open; fi

# Some of the tests: make test ARGS="tests/games/quoridor", make test ARGS="-k swiss", make test-slow ARGS="-k swiss".
test: $(VENV)/.dev $(VENV)/.built $(VENV)/.othello $(SEAHORSE)
	$(BIN)/python -m pytest -n 2 --dist worksteal $(ARGS)

test-slow: $(VENV)/.dev $(VENV)/.ray $(VENV)/.notebooks $(VENV)/.built $(VENV)/.othello
	$(BIN)/python -m pytest -n 2 --dist worksteal -m slow $(ARGS)

# Which lines of src/joute the tests reach, in the processes that they start too: build/coverage/index.html.
coverage: $(VENV)/.dev $(VENV)/.built $(VENV)/.othello $(SEAHORSE)
	$(BIN)/python -m pytest -n 2 --dist worksteal --cov --cov-report=html --cov-report=term:skip-covered $(ARGS)

# Hostile input for every parser. SECONDS of processor time are shared by all targets; TARGETS="ugi database" chooses.
SECONDS ?= 60
fuzz: $(VENV)/.dev $(VENV)/.built
	$(BIN)/python tests/fuzz/run.py --seconds $(SECONDS) --targets "$(TARGETS)"

bench: $(VENV)/.dev $(VENV)/.bench $(VENV)/.ray $(VENV)/.built
	$(BIN)/python -m benchmarks

lint: $(VENV)/.dev $(VENV)/.built
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	@if [ -x $(BIN)/clang-format ]; then \
		$(CXX_FILES) | xargs $(BIN)/clang-format --dry-run -Werror; \
	else echo "clang-format is not installed: C++ layout not checked"; fi

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .
	$(CXX_FILES) | xargs $(BIN)/clang-format -i

# docs/reproduction.md and its figures, from docs/reproduction/results.json.
reproduction: $(VENV)/.built
	$(BIN)/python tools/reproduction_page.py

# All native checks. The longest, which takes as long as all others together, starts first and runs beside them.
LONGEST_CHECK := check_alphabeta
CHECKS := $(LONGEST_CHECK) $(filter-out $(LONGEST_CHECK),$(sort $(basename $(notdir \
	$(wildcard tests/native/check_*.cpp tests/games/*/check_*.cpp)))))

# The tools that fit evaluations to self-play, one a room that has one.
FIT ?= build/fit
FIT_FLAGS ?= -O1

# Balanced openings, win probabilities and levels that were fitted with earlier engines, made anew by those of today. It takes
# up to an hour a game on one core; after Ctrl-C, it goes on. `joute refit` alone tells which are stale; ARGS="--all" makes all.
refit: $(VENV)/.built
	$(BIN)/joute refit --run $(ARGS)

fit-tools: $(patsubst core/games/%/fit/fit.cpp,$(FIT)/fit_%,$(wildcard core/games/*/fit/fit.cpp))

$(FIT)/fit_%: core/games/%/fit/fit.cpp tools/self_play.hpp $(CORE)
	@mkdir -p $(@D)
	$(CXX) -std=c++20 $(FIT_FLAGS) -ffp-contract=off -Wall -Icore -Itools $< $(filter-out \
		$(wildcard core/games/$*/bind*.cpp core/games/$*/fit/*.cpp),$(wildcard core/games/$*/*.cpp core/games/$*/*/*.cpp)) -pthread -o $@

sanitize: $(VENV)/.tools
	@mkdir -p build
	$(BIN)/cmake -S . -B build/sanitize -G Ninja -DCMAKE_MAKE_PROGRAM=$(CURDIR)/$(BIN)/ninja \
		-DJOUTE_PYTHON=OFF -DJOUTE_SANITIZE=ON -DCMAKE_BUILD_TYPE=None > build/sanitize.log 2>&1 \
		|| (cat build/sanitize.log; false)
	$(BIN)/cmake --build build/sanitize --target $(CHECKS)
	printf '%s\n' $(CHECKS) | xargs -n 1 -P 2 sh -c 'exec build/sanitize/$$0'

# The wheel as a user gets it, installed into an empty environment and tried from there. It takes the objects that the
# editable build compiled, and not the tests' games.
wheel-test: $(VENV)/.built
	rm -rf build/wheel build/wheel-test
	PATH="$(CURDIR)/$(BIN):$$PATH" $(PIP) wheel --no-build-isolation --no-deps -C cmake.define.JOUTE_TOYS=OFF -w build/wheel .
	$(BIN)/python -m venv --without-pip build/wheel-test
	$(PIP) --python build/wheel-test/bin/python install -c constraints.txt build/wheel/joute-*.whl
	tools/smoke_test.sh build/wheel-test

# A wheel for each Python that is here, in dist/, each tried in an empty environment.
PYTHONS ?= $(foreach version,3.11 3.12 3.13 3.14,$(shell command -v python$(version)))
wheels:
	for python in $(PYTHONS); do tools/wheel.sh $$python || exit 1; done

# The documentation as a site, which opens from the file system: build/docs/index.html. Any broken link fails.
docs: $(VENV)/.docs $(VENV)/.built
	$(BIN)/python tools/site/build.py

# The notebooks run from top to bottom, and are kept with what they print and draw. Minutes.
notebooks: $(VENV)/.dev $(VENV)/.notebooks $(VENV)/.built
	$(BIN)/python tools/notebooks.py $(ARGS)

# Whether this tree, with the wheels in dist/, can be released. ARGS="version changelog" checks some.
release-check: $(VENV)/.docs $(VENV)/.built
	$(BIN)/python tools/release_check.py $(ARGS)

# constraints.txt anew: the newest versions that pyproject.toml allows.
upgrade: $(VENV)/.tools
	$(BIN)/python tools/constraints.py

clean:
	rm -rf $(VENV) build dist examples/othello/build src/joute/_core.pyi

# The virtual environment with the build tools.
$(VENV)/.tools: pyproject.toml constraints.txt
	@mkdir -p build
	@python=$$(tools/preflight.sh) && { [ -x $(BIN)/python ] || $$python -m venv $(VENV); }
	$(INSTALL) 'pip>=25.1'
	$(INSTALL) --group build
	@touch $@

# Joute itself, built from the sources here; Python files are used in place.
$(VENV)/.built: $(VENV)/.tools CMakeLists.txt pyproject.toml src/joute/version.py $(CORE) $(wildcard cmake/* cmake/units/*)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INSTALL) --no-build-isolation -C cmake.define.JOUTE_TOYS=ON -e '.[web]'
	@touch $@

# The plug-in in C++ that the tests find through its entry point, built against the headers that Joute installs.
$(VENV)/.othello: $(VENV)/.built $(OTHELLO)
	PATH="$(CURDIR)/$(BIN):$$PATH" $(INSTALL) --no-build-isolation --no-deps ./examples/othello
	@touch $@

# What benchmarks measure beside us and tests do not need.
$(VENV)/.bench: $(VENV)/.tools
	$(INSTALL) --group bench
	@touch $@

$(VENV)/.docs: $(VENV)/.tools
	$(INSTALL) --group docs
	@touch $@

# Ray, which only the slow tests and benchmarks of clusters need.
$(VENV)/.ray: $(VENV)/.tools
	$(INSTALL) --group ray
	@touch $@

# Jupyter without its pages, and what the notebooks use that Joute does not.
$(VENV)/.notebooks: $(VENV)/.tools
	$(INSTALL) --group notebooks
	@touch $@

# The framework of the Divercité course, as the dependency group of that name has it, with Joute as it is built here.
$(VENV)/seahorse-%/.installed: | $(VENV)/.tools
	$(BIN)/python -m venv --without-pip $(@D)
	$(PIP) --python $(@D)/bin/python install -c constraints.txt --group seahorse-$*
	@ours=$$($(BIN)/python -c '$(PACKAGES)') && theirs=$$($(@D)/bin/python -c '$(PACKAGES)') \
		&& echo "import site; site.addsitedir('$$ours')" > $$theirs/joute.pth
	@touch $@

# What tests and linters need, and the plug-in in Python that the tests find through its entry point.
$(VENV)/.dev: $(VENV)/.tools examples/tictactoe/pyproject.toml
	$(INSTALL) --group dev
	$(INSTALL) --no-deps -e examples/tictactoe
	@touch $@
