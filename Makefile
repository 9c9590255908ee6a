# `make demo` and `make test` are all a newcomer needs: a missing .venv is made and filled first.

VENV ?= .venv
DATA ?= ../shared/data
# A smaller number makes a shorter demo.
DEMO_MAX_BLOCKS ?= 150
# Such as --domain ferry, or --force.
MODELS ?=
# Such as --kind pddl --count 100000 --seed 7; see tools/fuzz.py.
FUZZ ?=

# Exact versions of what is installed: constraints-oldest.txt for the lower bounds of
# pyproject.toml, /dev/null for whatever is newest.
CONSTRAINTS ?= constraints.txt

# The interpreter that .venv is made from; without a value, the newest usable one that is found.
PYTHON ?=

BIN = $(VENV)/bin
PIP = $(BIN)/python -m pip install --quiet --disable-pip-version-check -c $(CONSTRAINTS)
# The build directory belongs to the environment: two environments never share object files.
BUILD = --no-build-isolation --config-settings=build-dir=$(VENV)/native-build
NATIVE = $(shell find native -name '*.cpp' -o -name '*.h')
TIDY = $(filter-out native/bindings/% %_kernel.cpp, \
  $(filter %.cpp,$(NATIVE)))

# Tests run side by side: threads of linear algebra would only be in each other's way. They start
# hundreds of programs, which would all compile what nobody keeps.
test coverage test-slow fuzz sanitize: export OMP_NUM_THREADS = 1
test coverage test-slow: export PYTHONDONTWRITEBYTECODE =

.DEFAULT_GOAL = help
.PHONY: help demo neural ray up gym models test coverage test-slow fuzz sanitize lint format docs stubs \
  bench build clean

help: ## list these targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: $(VENV)/.report ## learn blocksworld, then plan in much larger tasks; table and plot
	@set -e; folder=examples/delivery; \
	for call in "inspect $$folder/domain.pddl $$folder/task.pddl" \
	            "solve $$folder/domain.pddl $$folder/task.pddl" \
	            "validate $$folder/domain.pddl $$folder/task.pddl $$folder/task.plan"; do \
	  echo "\$$ beeline $$call"; $(BIN)/beeline $$call; echo; \
	done
	@rm -rf build/demo
	@$(BIN)/python examples/learn_blocksworld/learn_and_compare.py -o build/demo \
	  --max-blocks $(DEMO_MAX_BLOCKS)

neural: $(VENV)/.neural ## install torch and TensorBoard into .venv: training networks

ray: $(VENV)/.ray ## install Ray into .venv: many machines

up: $(VENV)/.up ## install unified-planning into .venv: the engine for it

gym: $(VENV)/.gym ## install Gymnasium into .venv: environments for reinforcement learning

models: $(VENV)/.beeline ## learn the packaged models that are missing, try them out
	$(BIN)/python tools/make_models.py $(MODELS)

test: $(VENV)/.dev ## run all tests and the examples in docstrings
	$(BIN)/python -m pytest -n auto --maxprocesses 8

# Programs that tests start are not counted: some tests look at what these import.
coverage: $(VENV)/.dev ## run all tests, and write into build/coverage which lines they reach
	@rm -rf build/coverage; mkdir -p build/coverage
	$(BIN)/python -m pytest -n auto --maxprocesses 8 --cov=beeline --cov-report=html:build/coverage/html \
	  --cov-report=term > build/coverage/report.txt || { cat build/coverage/report.txt; exit 1; }
	@grep -E '^(TOTAL|=+ .* in )' build/coverage/report.txt

test-slow: $(VENV)/.dev ## run the tests that take longer
	$(BIN)/python -m pytest -n auto --maxprocesses 8 -m slow

fuzz: $(VENV)/.dev ## damaged and odd inputs; FUZZ="--kind pddl --count 100000 --seed 7"
	$(BIN)/python tools/fuzz.py $(FUZZ)

# The engine with AddressSanitizer and UndefinedBehaviorSanitizer: its own tests, then a fuzz of
# the extension. -S keeps the editable installation, which has another engine, out of the way.
SANITIZED = build/sanitize
sanitize: $(VENV)/.dev ## tests and a short fuzz of the engine with sanitizers; FUZZ as for fuzz
	@$(BIN)/cmake -G Ninja -S . -B $(SANITIZED) -DCMAKE_BUILD_TYPE=RelWithDebInfo \
	  -DCMAKE_MAKE_PROGRAM=$(abspath $(BIN))/ninja -DPython_EXECUTABLE=$(abspath $(BIN))/python \
	  -Dnanobind_DIR="$$($(BIN)/python -m nanobind --cmake_dir)" \
	  -DBEELINE_TESTS=ON -DBEELINE_SANITIZE=ON >/dev/null
	$(BIN)/cmake --build $(SANITIZED)
	$(BIN)/ctest --test-dir $(SANITIZED) --output-on-failure
	@rm -rf $(SANITIZED)/python; mkdir -p $(SANITIZED)/python/beeline
	@ln -s $(abspath src/beeline)/* $(abspath $(SANITIZED))/_native*.so $(SANITIZED)/python/beeline
	LD_PRELOAD="$$($${CXX:-c++} -print-file-name=libasan.so) $$($${CXX:-c++} -print-file-name=libstdc++.so)" \
	  ASAN_OPTIONS=detect_leaks=0 PYTHONPATH="$(abspath $(SANITIZED))/python:$$($(BIN)/python \
	  -c 'import sysconfig; print(sysconfig.get_path("purelib"))')" \
	  $(BIN)/python -S tools/fuzz.py --no-address-limit --timeout 60 $(or $(FUZZ),--count 2000)

lint: $(VENV)/.dev ## style, types, layering, stubs up to date
	$(BIN)/ruff check
	$(BIN)/ruff format --check
	$(BIN)/mypy
	$(BIN)/clang-format --dry-run --Werror $(NATIVE) $(wildcard tests/native/*)
	@printf '%s\n' $(TIDY) | xargs -P 2 -n 4 $(BIN)/clang-tidy -p $(VENV)/native-build --quiet
	$(BIN)/lint-imports
	$(BIN)/python tools/check_includes.py
	@$(BIN)/python -m nanobind.stubgen -q -m beeline._native -o $(VENV)/_native.pyi
	@diff -u src/beeline/_native.pyi $(VENV)/_native.pyi || { \
	  echo "src/beeline/_native.pyi is out of date: run 'make stubs'" >&2; exit 1; }

format: $(VENV)/.dev ## rewrite the sources in the house style
	$(BIN)/ruff check --fix
	$(BIN)/ruff format
	$(BIN)/clang-format -i $(NATIVE) $(wildcard tests/native/*)

docs: $(VENV)/.docs ## build the documentation's site in build/site; any warning is an error
	$(BIN)/python -m mkdocs --quiet build --strict --clean
	@echo "build/site/index.html"

stubs: $(VENV)/.dev ## regenerate the type stub of the extension
	$(BIN)/python -m nanobind.stubgen -q -m beeline._native -o src/beeline/_native.pyi

bench: $(VENV)/.baselines ## compare with peers on the tasks in DATA
	@test -d "$(DATA)" || { echo "no folder '$(DATA)': call 'make bench DATA=folder'" >&2; exit 2; }
	$(BIN)/python benchmarks/translator_equality.py $(DATA)/statespaces $(DATA)/ranking \
	  $(wildcard $(DATA)/ipc23lt/*/training) $(wildcard $(DATA)/ipc23lt/*/easy)
	$(BIN)/python benchmarks/grounding.py $(DATA)/ipc23lt
	$(BIN)/python benchmarks/statespace_tables.py $(DATA)/statespaces
	$(BIN)/python benchmarks/optimal_costs.py $(DATA)
	$(BIN)/python benchmarks/engine.py $(DATA)
	$(BIN)/python benchmarks/labelling.py
	$(BIN)/python benchmarks/wl.py $(DATA)

build: $(VENV)/.beeline ## compile the extension and install the package, editable

clean: ## remove what can be made again, the environment included
	rm -rf $(VENV) build dist .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find src tests benchmarks examples tools -name __pycache__ -type d -prune \
	  -exec rm -rf {} + 2>/dev/null || true

# The environment, in steps; each leaves a stamp and is repeated when its inputs change.

$(VENV)/.tools: $(CONSTRAINTS)
	@test -x $(BIN)/python || { \
	  for python in $(or $(PYTHON),python3.13 python3.12 python3.11 python3.10 python3 python); do \
	    if "$$python" -c "import ensurepip, os, sys, sysconfig, venv; \
	        header = os.path.join(sysconfig.get_path('include'), 'Python.h'); \
	        sys.exit(sys.version_info < (3, 10) or not os.path.exists(header))" 2>/dev/null; \
	    then found="$$python"; break; fi; \
	  done; \
	  test -n "$$found" || { echo "Beeline needs Python 3.10 or newer with its venv module and C headers" \
	    "(on Debian and Ubuntu: apt install python3-venv python3-dev);" \
	    "name one with 'make PYTHON=...'" >&2; exit 1; }; \
	  echo "making $(VENV) with $$("$$found" --version)"; "$$found" -m venv $(VENV); }
	$(PIP) --upgrade pip
	$(PIP) scikit-build-core nanobind cmake ninja
	@touch $@

$(VENV)/.beeline: $(VENV)/.tools pyproject.toml CMakeLists.txt src/beeline/_version.py $(NATIVE)
	@for compiler in $$CXX c++ g++ clang++; do command -v $$compiler >/dev/null && exit 0; done; \
	  echo "Beeline needs a C++20 compiler (on Debian and Ubuntu: apt install g++)" >&2; exit 1
	$(PIP) $(BUILD) -e .
	@$(BIN)/python -m compileall -q src/beeline  # start-up takes twice as long without, where Python keeps none
	@touch $@

$(VENV)/.baselines: | $(VENV)/.dev

EXTRAS = $(addprefix $(VENV)/.,baselines dev docs gym neural ray report up)
$(EXTRAS): $(VENV)/.%: pyproject.toml $(CONSTRAINTS) | $(VENV)/.beeline
	$(PIP) $(BUILD) -e '.[$*]'
	@touch $@
