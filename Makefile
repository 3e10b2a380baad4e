.PHONY: bench real-model real-coder real-experiment constraints check types

check: ## what the gate checks, in the present environment
	ruff check . && ruff format --check . && $(MAKE) types && pytest

types: ## both type checkers, strict
	mypy && basedpyright

bench: ## all benchmarks in their long form, one JSON line a figure
	python benchmarks/all.py

real-coder: ## QuixBugs as coder jobs with a model behind OPENAI_BASE_URL, graded
	python benchmarks/real_coder.py --tasks ../shared/data/quixbugs

real-experiment: ## QuixBugs in four arms (one prompt, one agent, the hierarchy, without QA) with a model behind OPENAI_BASE_URL
	python benchmarks/real_experiment.py --tasks ../shared/data/quixbugs

real-model: ## the creator, planner and plain jobs with a model behind OPENAI_BASE_URL, scored
	python benchmarks/real_model.py
	python benchmarks/real_planner.py
	python benchmarks/real_plain.py

constraints: ## pin every version with its hashes
	uv pip compile --quiet --python-version 3.11 --extra dev --generate-hashes --no-emit-index-url --no-annotate --no-header \
	  --output-file constraints.txt pyproject.toml
	uv pip compile --quiet --python-version 3.12 --extra server --extra files --generate-hashes --no-emit-index-url --no-annotate \
	  --no-header --python-platform linux --constraints constraints.txt --output-file deploy/requirements.txt pyproject.toml
