# Three commands: `make preview`, `make figures` and `make test`. Each sets up its own environment first.
PYTHON ?= python3
VENV ?= .venv
STUDIES = $(sort $(notdir $(wildcard src/repatlas/studies/[a-z]*)))
# A misspelt study has no tests, and pytest would run all. For a missing file Snakemake prints a traceback.
$(if $(filter-out $(STUDIES),$(STUDY)),$(error STUDY: found $(STUDY), allowed: $(STUDIES)))
$(if $(and $(CONFIG),$(filter --configfile%,$(ARGS))),$(error ARGS: found --configfile beside CONFIG, allowed: CONFIG="one.yaml more.yaml"))
$(foreach file,$(CONFIG),$(if $(wildcard $(file)),,$(error CONFIG: found no file $(file))))

# A target may not follow --configfile, which takes several words.
WHERE = $(if $(PROFILE),$(PROFILE:%=--profile profiles/%) $(addprefix --profile ,$(wildcard profiles/site)) --workflow-profile none)
OPTIONS = $(ARGS) $(if $(CONFIG),--configfile $(CONFIG))
SNAKEMAKE = snakemake $(FIGURE) $(STUDY) $(WHERE) $(OPTIONS)
OWN = $(filter-out config.yaml,$(firstword $(CONFIG)))
RESULTS = results$(if $(OWN),/own/$(basename $(notdir $(OWN))))$(if $(filter preview=true preview=True,$(ARGS)),/preview)
REPATLAS = PYTHONPATH=src python -m repatlas $@

export PATH := $(abspath $(VENV))/bin:$(PATH)
# One thread for each process: the products in tests and jobs are small, and threads wait for cores.
export OMP_NUM_THREADS := 1
# Another project's settings must not leak into the jobs. Without bytecode each job would compile the package.
unexport PYTHONPATH PYTHONHOME PYTHONOPTIMIZE PYTHONWARNINGS PYTHONDONTWRITEBYTECODE

.PHONY: help env demo preview figures report plan why verify partial publish clean test test-all bench lint format docs lock development documentation

help:
	@echo "make demo       one figure of each study, and one of your own arrays, in half a minute"
	@echo "make preview    every figure from the first seeds of coarse grids, in 3 minutes"
	@echo "make figures    every figure at the paper's scale; FIGURE=structure/fig02: this one alone"
	@echo "make report     a page for each study, results/STUDY/report.html, and Snakemake's results/report.zip"
	@echo "make partial    the figures as far as a run has come, into results/partial"
	@echo "make plan       what a run would train and measure, and the core-minutes that this takes"
	@echo "make why        what would be made, and in what it differs from what is there"
	@echo "make verify     is every result what the config and the code imply?"
	@echo "make clean      delete what the config does not use; other configs: ARGS=other.yaml, a list: ARGS=-n"
	@echo "make publish    the claims as judged, and small figures, into docs and README"
	@echo "make test       the quick tests; make test-all: the slow ones too; ARGS='-n 0': in one process"
	@echo "make lint       code style, types, rules, plain English, generated pages; make format: writes them"
	@echo "make docs       this documentation as a site: docs/_build/html/index.html"
	@echo "make bench      the benchmarks, into benchmarks/results.md (half an hour); ARGS=--smoke: do they run?"
	@echo "make env, lock  the environment, and the list of its packages"
	@echo "STUDY=structure   one study; CONFIG=mine.yaml   in place of config.yaml, into results/own/mine"
	@echo "PROFILE=slurm     on a cluster; ARGS='--cores 2 -n'   goes to the command, here to Snakemake"

figures preview: env
	$(SNAKEMAKE) $(if $(filter preview,$@),--config preview=true)

# The whole chain on one figure of each study, and on arrays as a user has them.
demo: env
	@$(MAKE) --no-print-directory preview CONFIG=docs/demo/demo.yaml

report: env
	snakemake reports $(WHERE) $(OPTIONS)
	snakemake --report $(RESULTS)/report.zip $(WHERE) $(OPTIONS)

plan why verify partial publish: env
	@$(REPATLAS) $(CONFIG) $(FIGURE:%=--figure %) $(STUDY:%=--study %) $(ARGS)

# Each word is a config: commas join the files of one.
NONE :=
COMMA := ,
clean: env
	@$(REPATLAS) $(subst $(NONE) $(NONE),$(COMMA),$(strip $(CONFIG))) $(ARGS)

# All tests, or the tests of a study.
test test-all: development
	python -m pytest $(if $(filter test,$@),-m "not slow") -n auto --maxprocesses 8 $(wildcard $(STUDY:%=tests/unit/%) $(STUDY:%=tests/workflow/%)) $(ARGS)

bench: env
	python benchmarks $(ARGS)

# What is written from the code: each file, and the module with the words that print it.
EACH = $(call $1,workflow/schemas/config.schema.json,config.schema) && $(call $1,docs/reference/config.md,config.pages) && \
  $(call $1,docs/studies/verdict-plan.md,claims.plan_page) && for page in $(STUDIES) classification clusters drawn images items; do $(call $1,docs/reference/config-$$page.md,config.pages $$page) || exit 1; done
WRITE = PYTHONPATH=src python -m repatlas.$2 > $1
CHECK = PYTHONPATH=src python -m repatlas.$2 | diff $1 - || { echo "$1 is not what the code says: make format"; exit 1; }

lint: development
	ruff check .
	ruff format --check .
	mypy
	snakefmt --check Snakefile workflow
	snakemake --lint
	python tests/prose.py
	@$(call EACH,CHECK)

format: development
	ruff check --fix .
	ruff format .
	snakefmt Snakefile workflow
	@$(call EACH,WRITE)

# Warnings are errors; tutorials run; examples in docstrings and pages hold. It needs no network.
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

# A target is named twice if the user typed it. Python starts faster without `site`.
env development documentation:
	@VENV="$(VENV)" $(PYTHON) -S envs/make_env.py $@ $(filter $@,$(MAKECMDGOALS))

# The locks have no packages of CUDA: which of them a machine needs is for its torch wheel to say.
COMPILE = uv pip compile pyproject.toml --universal --python-version 3.11 --fork-strategy fewest --no-header --no-annotate --quiet \
  --extra own --extra workflow --extra fast --extra slurm --extra files
# What a lock adds to the packages that others have.
MORE = { sed -n '/^\#/p' envs/$1.lock; $(COMPILE) $2 --constraint $3 | grep -vE '^(triton|cuda-|nvidia-)' \
  | awk -F== 'NR == FNR { had[$$1]; next } !($$1 in had)' $3 -; } > $(VENV)-lock/$1
lock: env
	mkdir -p $(VENV)-lock
	{ sed -nE '/^(#|torch=|pip=|uv=)/p' envs/requirements.lock; $(COMPILE) | grep -vE '^(torch|triton|cuda-|nvidia-)'; } > $(VENV)-lock/requirements
	$(call MORE,development,--extra dev,$(VENV)-lock/requirements)
	cat $(VENV)-lock/requirements $(VENV)-lock/development > $(VENV)-lock/both
	$(call MORE,docs,--extra dev --extra docs,$(VENV)-lock/both)
	for name in requirements development docs; do cp $(VENV)-lock/$$name envs/$$name.lock; done
	{ sed '/- pip:$$/q' envs/environment.yaml; sed -E '/^(#|pip=|uv=)/d; s/.*/      - "&"/' envs/requirements.lock; } > envs/environment.yaml.new
	mv envs/environment.yaml.new envs/environment.yaml
	rm -rf $(VENV)-lock
