# `make help` lists what there is. Build output goes to build/, downloads and cached binaries to the
# user's cache folder; nothing else is touched.
SHELL := /bin/bash
.DEFAULT_GOAL := help
JOBS ?= $(shell nproc)
PRESET ?= dev
PAGE_STAGE = $(CURDIR)/build/$(PRESET)/tests/page/page_stage
SOURCES = $(shell git ls-files '*.cpp' '*.h')

help: ## show this list
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sort | awk -F ':.*## ' '{printf "  %-14s %s\n", $$1, $$2}'

setup: ## install what building needs (Debian packages)
	@scripts/setup build

setup-image: ## install what making and checking the container image needs
	@scripts/setup image

setup-cluster: setup setup-image ## install what the test cluster needs as well
	@scripts/setup cluster

build: setup ## build everything with PRESET (dev)
	@cmake --preset $(PRESET) > /dev/null
	@cmake --build build/$(PRESET) -j $(JOBS)

release: setup ## build build/release/scaledcache, optimised and hardened
	@cmake --preset release > /dev/null
	@cmake --build build/release -j $(JOBS) --target scaledcache

format: setup ## format the sources in place
	@clang-format-14 -i $(SOURCES)

check-format: setup
	@clang-format-14 --dry-run --Werror $(SOURCES)

lint: setup ## clang, clang-tidy and thread-safety analysis over lib/ and controller/
	@cmake --preset tidy > /dev/null
	@cmake --build build/tidy -j $(JOBS)

check: check-format build ## the quick loop: format, lint of what changed, layers, unit and loopback tests
	@scripts/lint build/$(PRESET)
	@scripts/run-tests ctest:build/$(PRESET)

asan: ## unit and loopback tests under address and undefined-behaviour sanitizers
	@$(MAKE) --no-print-directory build PRESET=asan
	@scripts/run-tests ctest:build/asan

tsan: ## unit and loopback tests under the thread sanitizer
	@$(MAKE) --no-print-directory build PRESET=tsan
	@scripts/run-tests ctest:build/tsan

test: setup-cluster build ## every test: unit, loopback and a real cluster
	@SCALEDCACHE_PAGE_STAGE=$(PAGE_STAGE) SCALEDCACHE_CALLS=$(CURDIR)/build/$(PRESET)/tests/loopback/calls-of-all-tests \
	  scripts/run-tests ctest:build/$(PRESET) chart page cluster

test-chart: setup-cluster ## only the tests of the chart, the manifests and the documents
	@scripts/run-tests chart

generate: setup-cluster ## write what is made from the custom resource: docs/reference.md, the chart's copy
	@scripts/generate

manual: build ## write docs/scaledcache.1 from the tables of the commands
	@build/$(PRESET)/scaledcache man > docs/scaledcache.1

test-page: setup-cluster build ## only the status page in a browser; pictures of it go to build/page/
	@SCALEDCACHE_PAGE_STAGE=$(PAGE_STAGE) scripts/run-tests page

test-cluster: setup-cluster ## only the tests on a real cluster
	@scripts/run-tests cluster

demo: setup-cluster ## play the founding story on a real cluster made for it
	@tests/cluster/demo.py

bench-spike: setup-cluster ## five spikes on a real cluster: seconds to each patch, memory, start-up
	@tests/cluster/bench_spike.py

RUNS ?= 5
bench-warm: setup-cluster ## growing and shrinking with warm-up and draining, and without: hit ratio, origin rate, failures
	@tests/cluster/bench_warm.py --runs $(RUNS) $(if $(ONLY),--only $(ONLY))

bench-page: setup-cluster ## how soon the status page of 500 ScaledCaches is painted
	@cmake --preset release > /dev/null
	@cmake --build build/release -j $(JOBS) --target page_stage
	@tests/page/bench_page.py build/release/tests/page/page_stage

bench: setup ## how long samples, rates and a decision take, and a simulated day, against their bars
	@cmake --preset release > /dev/null
	@cmake --build build/release -j $(JOBS) --target bench
	@build/release/tests/bench/bench

mutate: build ## take each rule of the decision out in turn: a test must notice
	@tests/mutate/mutate.py build/$(PRESET)

FUZZ_SECONDS ?= 60
FUZZ_TARGETS = $(basename $(notdir $(wildcard tests/fuzz/*_fuzz.cpp)))
fuzz: setup ## any bytes into the decision, the decoders, the parsers of what pods send and the webhook, FUZZ_SECONDS each
	@cmake --preset tidy -B build/fuzz -DSCALEDCACHE_TIDY=OFF -DSCALEDCACHE_FUZZ=ON \
	  -DSCALEDCACHE_SANITIZERS=address,undefined > /dev/null
	@cmake --build build/fuzz -j $(JOBS) --target fuzz_targets
	@set -e; for target in $(FUZZ_TARGETS); do \
	  mkdir -p build/fuzz/corpus/$$target; \
	  build/fuzz/tests/fuzz/$$target -max_total_time=$(FUZZ_SECONDS) -max_len=4096 -timeout=10 \
	    build/fuzz/corpus/$$target $$(ls -d tests/fuzz/seeds/$$target 2> /dev/null); \
	done

ARCH ?=
image: setup-image ## build the container image, for ARCH (amd64 or arm64; by default this machine's)
	@scripts/image $(ARCH)

test-image: setup-image ## build the image for ARCH and check its rules: libraries, user, size, labels, materials
	@image=$$(scripts/image $(ARCH)) && SCALEDCACHE_IMAGE=$$image scripts/run-tests image

clean: ## remove build output
	@rm -rf build

.PHONY: help setup setup-image setup-cluster build release format check-format lint check asan tsan test test-chart test-page generate manual test-cluster demo bench-spike bench-warm bench-page bench mutate fuzz image test-image clean
