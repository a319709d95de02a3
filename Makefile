# `make run` and `make test` do everything on a new machine that has a Swift toolchain. The others are for working on Holdfast.

# Apart from the rest: code that counts its lines is slower, and changing the flag would build everything again.
COUNTING := --enable-code-coverage --scratch-path .build/coverage
# The packages beside this one share its scratch folder: what all of them depend on is built once. A plan that was kept for one of them
# would be taken for another's, and an old program would stay.
PLANNED := --disable-build-manifest-caching
SHARED := --scratch-path .build $(PLANNED)
# The command with Swift's libraries inside, which Foundation's data for all languages makes large. The flag would build everything again.
INSTALLED := -c release --scratch-path .build/install $(if $(filter Linux,$(shell uname -s)),--static-swift-stdlib)
FORMATTED := Sources Tests Fuzz/Sources Fuzz/Tests Fuzz/Package.swift Benchmarks/Sources Benchmarks/Package.swift Torture/Sources Torture/Package.swift Mutants/Package.swift Mutants/Sync.swift Mutants/Libraries.swift Mutants/Tool.swift Mutants/Harness DocC/Package.swift DocC/Sources Metrics Server/Package.swift Server/Sources Server/Tests Package.swift $(wildcard Examples)
SECONDS ?= 600
SEED ?= 1
PREFIX ?= $(HOME)/.local
TEST_SECONDS ?= 2000
# All tests at once would need 2 GB and be slower.
export SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH ?= 8
DOCUMENTED := Holdfast HoldfastTransfer HoldfastGRDB HoldfastHTTP HoldfastSync HoldfastSyncServer HoldfastTesting HoldfastTool HoldfastAudiobooks HoldfastMusic HoldfastWorkouts HoldfastInference
# Only for the tests, not for the build: the compiler uses SQLite, too.
ENCRYPTING := HOLDFAST_ENCRYPTS=1 LD_LIBRARY_PATH="$(CURDIR)/.build/encrypting"
MUTANTS_SCRATCH ?= $(or $(TMPDIR),/tmp)/holdfast-mutants

.DEFAULT_GOAL := help
.PHONY: help run install test coverage format lint release bench bench-encryption bench-build fuzz torture torture-short salvage-gates mutants mutants-ci proof proof-short encryption encryption-short telemetry docs command-page metrics server serve faults cluster faults-cluster sync-bench load simulate docc system system-server system-cluster

help: ## what can be made
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

run: system ## import the example libraries into new stores under run/, verify them, print the reports, and show how a lost library comes back
	swift build $(PLANNED) --product holdfast
	@rm -rf run/library.* run/Library.* run/music.* run/strong.* run/workouts.* run/runanywhere.* run/inference.* && mkdir -p run && \
	cp Examples/library.json Examples/Library.xml Examples/strong.csv Examples/runanywhere.db run/
	@bin="$$(swift build --show-bin-path)" && export PATH="$$bin:$$PATH" && set -ex && \
	holdfast import run/library.json --into run/library.sqlite && \
	holdfast check run/library.sqlite && \
	holdfast list run/library.sqlite && \
	holdfast import run/Library.xml --into run/music.sqlite && \
	holdfast check run/music.sqlite && \
	holdfast list run/music.sqlite && \
	holdfast import run/strong.csv --into run/workouts.sqlite --unit kg && \
	holdfast check run/workouts.sqlite && \
	holdfast list run/workouts.sqlite && \
	holdfast import run/runanywhere.db --into run/inference.sqlite && \
	holdfast check run/inference.sqlite && \
	holdfast stats run/inference.sqlite && \
	holdfast demo

# Apple's systems have Swift's libraries. Nothing is installed that would need them elsewhere.
install: system ## put the command `holdfast` into PREFIX/bin (~/.local), as one file that needs no Swift where it runs; print its size
	swift build $(INSTALLED) --product holdfast
	install -d "$(PREFIX)/bin"
	strip -o "$(PREFIX)/bin/holdfast.new" "$$(swift build $(INSTALLED) --show-bin-path)/holdfast"
	@! ldd "$(PREFIX)/bin/holdfast.new" 2> /dev/null | grep -E 'not found|libswift|lib_?Foundation|libdispatch|libBlocksRuntime' || \
	{ echo "the command would need the libraries above" >&2; rm "$(PREFIX)/bin/holdfast.new"; exit 1; }
	"$(PREFIX)/bin/holdfast.new" --version
	install -m 755 "$(PREFIX)/bin/holdfast.new" "$(PREFIX)/bin/holdfast" && rm "$(PREFIX)/bin/holdfast.new"
	@echo "$(PREFIX)/bin/holdfast: $$(($$(wc -c < "$(PREFIX)/bin/holdfast") / 1000000)) MB"

test: system ## all tests; fails and names what did not end after TEST_SECONDS (2000)
	swift build $(PLANNED) --build-tests
	.ci/test-within $(TEST_SECONDS) --parallel

coverage: system ## line coverage of the kit and the libraries; fails under 95 %
	swift build $(COUNTING) --build-tests
	.ci/test-within $(TEST_SECONDS) $(COUNTING) --parallel
	@.ci/coverage "$$(swift test $(COUNTING) --show-codecov-path)" 95 Holdfast HoldfastTransfer HoldfastAudiobooks HoldfastMusic HoldfastWorkouts HoldfastInference

format: ## format every Swift file
	swift format -i -r $(FORMATTED)

lint: ## fail where a file is not formatted
	swift format lint --strict -r $(FORMATTED)

release: system ## build everything for release
	swift build $(PLANNED) -c release

simulate: system ## SEEDS (300) random histories of devices, network and server, from FIRST (0); STRIDE ends a process at every such statement instead
	swift run $(PLANNED) -c release holdfast-simulate $(or $(SEEDS),300) $(or $(FIRST),0) $(STRIDE)

bench: system ## measure; results go to Benchmarks/RESULTS.md
	swift run -c release --package-path Benchmarks $(SHARED) Benchmarks --write Benchmarks/RESULTS.md

bench-encryption: system ## the same for encrypted stores beside others, of loading and saving, with a SQLite that encrypts
	.ci/encrypting-sqlite .build/encrypting
	swift build -c release --package-path Benchmarks $(SHARED)
	$(ENCRYPTING) .build/release/Benchmarks --only W1,W3

bench-build: system ## build the benchmarks for debugging, and run one round of one of them: the figures mean nothing
	swift build --package-path Benchmarks $(SHARED)
	.build/debug/Benchmarks --rounds 1 --only W3 > /dev/null

fuzz: system ## import mutated sources for SECONDS (600), which all formats share, beginning with SEED (1)
	swift build -c release --package-path Fuzz $(SHARED)
	.build/release/holdfast-fuzz --seconds $(SECONDS) --seed $(SEED)

torture: system ## attack stores with power loss, kills, faults, full disks, processes and damage for SECONDS (600), beginning with SEED (1)
	swift build -c release --package-path Torture $(SHARED)
	.build/release/torture all --seconds $(SECONDS) --seed $(SEED)

torture-short: system ## the same with fixed numbers, in a few minutes: for every change
	swift build -c release --package-path Torture $(SHARED)
	timeout 900 .build/release/torture short --seed $(SEED)

salvage-gates: system ## compare the salvage with SQLite's .recover on the same damaged files, 200 of each kind and schema
	.ci/recovering-sqlite .build/recovering
	swift build -c release --package-path Torture $(SHARED)
	.build/release/torture salvage --number 200 --seed $(SEED)

mutants: system ## plant each fault of Mutants/mutants.txt in a scratch copy; fails unless a test kills every one
	timeout 7200 Mutants/run --scratch $(MUTANTS_SCRATCH) --write Mutants/KILLED.md

mutants-ci: system ## the same with five of them
	Mutants/run --ci --seconds 400 --scratch $(MUTANTS_SCRATCH)

proof: system ## kills of whole programs, self-tests of the fuzzer, and the long forms of all tests that have one: hours
	swift build --package-path Fuzz $(SHARED) --build-tests
	HOLDFAST_PROOF=long .ci/test-within 7200 --package-path Fuzz $(SHARED)
	swift build $(PLANNED) --build-tests
	HOLDFAST_PROOF=long .ci/test-within 21600 --filter 'ArchiveProofTests|ManyTasks|ManyVerbs|AuditReplay|RandomDamage|RandomRun|TableDamage|TableVerification|CapabilityHostile|Conformance|DateCodec|JSONScannerFoundation|TypicalData|SalvageTests|HealTests|EncryptedHealing|SealedSpace|SpaceSeal|MergeLaw|SimulatorTests|ArchiveRetention|ImportPromises|PlaylistRuns|PlayerPayload|XSPF|ITunesSource|SyncFailure|SyncRefusal|TablePromises|WeightTests'

proof-short: system ## the same with few kills, and without the many tasks: for every change
	swift build --package-path Fuzz $(SHARED) --build-tests
	.ci/test-within $(TEST_SECONDS) --package-path Fuzz $(SHARED) --parallel

encryption: system-server ## build a SQLite that encrypts, and run all tests and the short torture with it
	.ci/encrypting-sqlite .build/encrypting
	swift build $(PLANNED) --build-tests
	$(ENCRYPTING) .ci/test-within $(TEST_SECONDS) --parallel
	swift build --package-path Server $(SHARED) --build-tests
	$(ENCRYPTING) timeout 300 swift test --package-path Server $(SHARED) --skip-build --disable-xctest --filter EncryptionTests
	swift build -c release --package-path Torture $(SHARED)
	$(ENCRYPTING) timeout 900 .build/release/torture short --seed $(SEED)
	$(ENCRYPTING) timeout 900 .build/release/torture encrypted --seed $(SEED) --seconds 120

encryption-short: system ## the same with the tests of encryption only: for every change
	.ci/encrypting-sqlite .build/encrypting
	swift build $(PLANNED) --build-tests
	$(ENCRYPTING) .ci/test-within 300 --parallel --filter 'Encr|KeyChange|EncryptCommand|ShelvesTests|StatementTests|SnapshotTests|RestoreTests|GoingBackTests'

telemetry: system ## take telemetry for SECONDS (600), print the memory after a tenth of them and at the end, and fail when it grows
	@mkdir -p run && rm -f run/telemetry.sqlite*
	swift build -c release --package-path Fuzz $(SHARED)
	.build/release/holdfast-fuzz --telemetry-into run/telemetry.sqlite --seconds $(SECONDS)

docs: system ## check that the documents' Swift is compiled code and that public symbols are documented
	swift test $(PLANNED) --disable-xctest --filter 'Snippet|HouseTests'

command-page: system ## write the commands' help into Documentation/CommandLine.md anew; what is written there by hand stays
	HOLDFAST_WRITE_PAGE=1 swift test $(PLANNED) --disable-xctest --filter CommandPageTests

# A link to a symbol that is not there is a warning of the plugin.
metrics: system ## test the package that feeds swift-metrics
	swift build --package-path Metrics $(SHARED) --build-tests
	timeout 300 swift test --package-path Metrics $(SHARED) --skip-build --disable-xctest

server: system-server ## build and test the package of the sync server
	swift build $(PLANNED) --product holdfast
	swift build --package-path Server $(SHARED) --build-tests
	timeout 300 swift test --package-path Server $(SHARED) --skip-build --disable-xctest

faults: system-server ## break real devices, their server and the network for SECONDS (600), beginning with SEED (1), and check what all saw
	swift build --package-path Server $(SHARED)
	timeout $$(($(SECONDS) + 900)) .build/debug/sync-faults run --seconds $(SECONDS) --seed $(SEED)
	timeout 900 .build/debug/sync-faults run --sabotage --seconds 2 --seed $(SEED) > .build/sabotage.txt || { cat .build/sabotage.txt; exit 1; }

cluster: system-cluster ## start PostgreSQL with two replicas, two nodes and nginx, sync four devices, kill each part, and print what was lost and how long it took
	swift build --package-path Server $(SHARED)
	@.build/debug/sync-faults show

faults-cluster: system-cluster ## break such a cluster for SECONDS (600), and one whose replicas lag for a quarter of that, and check what all saw
	swift build --package-path Server $(SHARED)
	timeout $$(($(SECONDS) + 900)) .build/debug/sync-faults cluster --seconds $(SECONDS) --seed $(SEED)
	timeout $$(($(SECONDS) + 900)) .build/debug/sync-faults cluster --lagging --seconds $$(($(SECONDS) / 4)) --seed $(SEED)
	timeout 900 .build/debug/sync-faults cluster --sabotage --seconds 2 --seed $(SEED) > .build/sabotage.txt || { cat .build/sabotage.txt; exit 1; }

serve: system-server ## start a sync server on a new store, and print a line for each of two devices to paste into two terminals
	swift build $(PLANNED) --product holdfast
	swift build --package-path Server $(SHARED) --product holdfast-server
	@.ci/serve .build/debug

sync-bench: system-server ## measure devices with a sync server over HTTP on this machine
	swift run -c release --package-path Server $(SHARED) sync-bench

load: system-server ## measure a sync server on PostgreSQL under load
	swift run -c release --package-path Server $(SHARED) sync-bench load

docc: system ## build the DocC archives under .build/plugins; fails where a link leads to no symbol
	@mkdir -p .build
	swift package --package-path DocC $(SHARED) generate-documentation $(addprefix --target ,$(DOCUMENTED)) > .build/docc.log 2>&1 || \
	{ cat .build/docc.log; exit 1; }
	@for library in $(DOCUMENTED); do find .build/plugins -name $$library.doccarchive | grep . || { echo "no archive of $$library"; exit 1; }; done
	@! grep -E -A 3 "doesn't exist at|is ambiguous at|No symbol matched|couldn't be resolved" .build/docc.log

system: # what the build needs from the system, installed where it is missing
	@.ci/system-packages

system-server: # the same for the package Server
	@.ci/system-packages server

system-cluster: # the same for a cluster of servers
	@.ci/system-packages cluster
