# Three commands: `make preview`, `make figures` and `make test`. Each sets up its own environment
# first.

PYTHON ?= python3
VENV ?= .venv
ARGS ?=
# How it runs: names of folders in profiles. Without one Snakemake finds profiles/default by itself.
PROFILE ?=
SITE := $(wildcard profiles/site)
# Another config than config.yaml, or several; later ones override earlier ones. Snakemake does not report what is wrong with a file that is not YAML, and
# with `--quiet all` it prints nothing at all.
CONFIG ?=
HERE = $(if $(CONFIG),PYTHONPATH=src python -m repatlas.config.file $(CONFIG) && )
# The option after the files ends their list: a target may follow.
OPTIONS = $(if $(CONFIG),--configfile $(CONFIG) --nolock )$(WHERE)
WHERE = $(if $(PROFILE),$(PROFILE:%=--profile profiles/%) $(SITE:%=--profile %) --workflow-profile none)
SNAKEMAKE = $(HERE)python src/repatlas/command/start_snakemake.py $(OPTIONS)
FIGURE ?=
STUDY ?=
STUDIES = $(sort $(notdir $(wildcard src/repatlas/studies/[a-z]*)))
# A misspelt study has no tests, and pytest would run all.
$(if $(filter-out $(STUDIES),$(STUDY)),$(error STUDY: found $(STUDY), allowed: $(STUDIES)))
# What reads results and computes none of them starts no Snakemake.
COMMAND = PYTHONPATH=src python -m repatlas $@ $(CONFIG) $(FIGURE:%=--figure %) $(STUDY:%=--study %) $(ARGS)

export PATH := $(abspath $(VENV))/bin:$(PATH)
# One thread for each process: the products in tests and jobs are small, and threads wait for cores.
export OMP_NUM_THREADS := 1
# Another project's settings must not leak into the jobs. Hundreds of processes import the package:
# without bytecode each of them would compile it.
unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONWARNINGS PYTHONDONTWRITEBYTECODE

# All tests, or the tests of a study.
TESTS = $(wildcard $(STUDY:%=tests/unit/%) $(STUDY:%=tests/workflow/%))

.PHONY: help demo figures preview verify clean-unused why plan partial report publish test test-all bench lint format docs lock env development documentation

help:
	@echo "make demo       one figure of each study, and one of your own arrays, in half a minute"
	@echo "make preview    every figure from the first seeds of coarse grids, in 3 minutes"
	@echo "make figures    every figure at the paper's scale; FIGURE=structure/fig02: this one alone"
	@echo "make partial    the figures as far as a run has come, into results/partial"
	@echo "make verify     is every result what the config and the code imply?"
	@echo "make clean-unused   delete stored files that no config uses any more"
	@echo "make why FIGURE=structure/fig02   what would be computed for a figure, and why"
	@echo "make plan       what a run would cost"
	@echo "make publish    the claims as judged, and small figures, into docs and README"
	@echo "make report     results/structure/report.html: claims, figures, provenance, to open from disk"
	@echo "make test       the quick tests, in a process for each core"
	@echo "                make test-all: the slow ones too; ARGS='-n 0': in one process"
	@echo "make bench      the benchmarks, side by side; writes benchmarks/results.md (half an hour)"
	@echo "                ARGS=--smoke: do they run? In three minutes, and writes nothing"
	@echo "make lint       code style, types of the measures, rules, plain English, config schema"
	@echo "make docs       this documentation as a site with search: docs/_build/html/index.html"
	@echo "STUDY=structure    the figures, or the tests, of this study alone: make figures STUDY=structure"
	@echo "CONFIG=mine.yaml   in place of config.yaml, with results in results/own/mine"
	@echo "PROFILE=slurm   on a cluster: make figures PROFILE=slurm, see docs/guide/cluster.md"
	@echo "ARGS=...        goes to snakemake: make figures ARGS='--cores 2 -n'"

# One figure alone: the networks that it needs, and no others of their shards.
ONLY = $(FIGURE:%=only=%)

figures: env
	$(SNAKEMAKE) $(STUDY) $(ONLY:%=--config %) $(ARGS)

# A first look: the whole chain on one figure of each study, and on arrays as a user has them.
demo: env
	@$(MAKE) --no-print-directory preview CONFIG=docs/demo/demo.yaml

preview: env
	$(SNAKEMAKE) $(STUDY) --config preview=true $(ONLY) $(ARGS)

plan verify why publish partial: env
	@$(COMMAND)

# Snakemake's own report has its page, the code of the rules and the times of all jobs. It is written
# again each time: `verify` doesn't look at pages.
report: env
	$(HERE)PYTHONPATH=src python -m repatlas report $(OPTIONS) $(ARGS)

clean-unused: env
	@PYTHONPATH=src python -m repatlas clean_unused $(ARGS)

# One for each core; ARGS="-n 0" is one process, as a debugger wants it.
SEVERAL = -n auto --maxprocesses 8

test: development
	python -m pytest -m "not slow" $(SEVERAL) $(TESTS) $(ARGS)

test-all: development
	python -m pytest $(SEVERAL) $(TESTS) $(ARGS)

bench: env
	python benchmarks $(ARGS)

# What is written from the code: the schema of config files, the pages that describe every key, and how
# every claim is judged.
WRITE = PYTHONPATH=src python -m repatlas.config.schema
PLAN = PYTHONPATH=src python -m repatlas.claims.plan_page
SCHEMA = workflow/schemas/config.schema.json

lint: development
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint
	python tests/prose.py
	@$(WRITE) | diff $(SCHEMA) - || { echo "$(SCHEMA) is not what the config is: make format"; exit 1; }
	@$(WRITE) page | diff docs/reference/config.md - || { echo "docs/reference/config.md is not what the config is: make format"; exit 1; }
	@for study in $(STUDIES); do $(WRITE) page $$study | diff docs/reference/config-$$study.md - || \
	  { echo "docs/reference/config-$$study.md is not what the config is: make format"; exit 1; }; done
	@$(PLAN) | diff docs/studies/verdict-plan.md - || { echo "docs/studies/verdict-plan.md is not what the claims files say: make format"; exit 1; }

format: development
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow
	$(WRITE) > $(SCHEMA)
	$(WRITE) page > docs/reference/config.md
	for study in $(STUDIES); do $(WRITE) page $$study > docs/reference/config-$$study.md; done
	$(PLAN) > docs/studies/verdict-plan.md

# The site, in docs/_build/html. Warnings are errors; tutorials run; examples in docstrings and pages
# hold. It needs no network.
SPHINX = sphinx-build -W --keep-going -q -d docs/_build/doctrees docs
docs: documentation
	$(SPHINX) docs/_build/html $(ARGS)
	$(SPHINX) -b doctest docs/_build/doctest $(ARGS)
	@echo "The site is docs/_build/html/index.html."

# uv and Snakemake want a folder in the user's cache, also where that cannot be written.
CACHE := $(shell at="$${XDG_CACHE_HOME:-$${HOME:+$$HOME/.cache}}"; mkdir -p "$$at" 2> /dev/null && test -w "$$at" || echo "$$PWD/.snakemake/cache")
ifneq ($(CACHE),)
export XDG_CACHE_HOME := $(CACHE)
endif

# A run needs the first of these alone. Each is named twice if the user typed it. Python starts faster
# without `site`, where Ctrl-C prints a traceback.
env development documentation:
	@VENV="$(VENV)" $(PYTHON) -S envs/make_env.py $@ $(filter $@,$(MAKECMDGOALS))

# The locks have no packages of CUDA: which of them a machine needs is for its torch wheel to say.
COMPILE = uv pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest --no-header --no-annotate --quiet \
  --extra own --extra workflow --extra fast --extra slurm --extra files
lock: env
	mkdir -p $(VENV)-lock
	{ sed -nE '/^(#|torch=|pip=|uv=)/p' envs/requirements.lock; \
	  $(COMPILE) | grep -vE '^(torch|triton|cuda-|nvidia-)'; } > $(VENV)-lock/run
	{ sed -n '/^#/p' envs/development.lock; \
	  $(COMPILE) --extra dev --constraint $(VENV)-lock/run | grep -vE '^(triton|cuda-|nvidia-)' \
	    | awk -F== 'NR == FNR { run[$$1]; next } !($$1 in run)' $(VENV)-lock/run -; } > $(VENV)-lock/development
	cat $(VENV)-lock/run $(VENV)-lock/development > $(VENV)-lock/both
	{ sed -n '/^#/p' envs/docs.lock; \
	  $(COMPILE) --extra dev --extra docs --constraint $(VENV)-lock/both | grep -vE '^(triton|cuda-|nvidia-)' \
	    | awk -F== 'NR == FNR { both[$$1]; next } !($$1 in both)' $(VENV)-lock/both -; } > $(VENV)-lock/docs
	cp $(VENV)-lock/run envs/requirements.lock
	cp $(VENV)-lock/development envs/development.lock
	cp $(VENV)-lock/docs envs/docs.lock
	{ sed '/- pip:$$/q' envs/environment.yaml; \
	  sed -E '/^(#|pip=|uv=)/d; s/.*/      - "&"/' envs/requirements.lock; } > envs/environment.yaml.new
	mv envs/environment.yaml.new envs/environment.yaml
	rm -rf $(VENV)-lock
