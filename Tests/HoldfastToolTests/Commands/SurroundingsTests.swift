import Foundation
import Testing

/// What surrounds a store: it may not be written to, its disk is full, its name is odd.
@Suite("Surroundings of a store")
final class SurroundingsTests {
  let bench: Workbench

  init() throws { bench = try Workbench() }

  /// A store with an archive in the folder `shelf`, which everybody may read, and which belongs to somebody without root's rights.
  private func shelf(_ bench: borrowing Workbench) throws {
    let made = try bench.shell(
      #"""
      mkdir shelf && "$1" import library.json --into shelf/library.sqlite >/dev/null && "$1" archive begin shelf/library.sqlite >/dev/null
      chmod 777 . ; cp "$1" ./holdfast; chmod 755 holdfast
      if [ "$(id -u)" = 0 ]; then chown -R 65534 shelf; fi
      """#)
    #expect(made.status == 0, "\(made.errors)")
  }

  @Test("a sound store that may not be written to is sound for heal, and what would replace it says permission", arguments: [true, false])
  func writeProtected(isFolder: Bool) throws {
    try bench.fixture("library.json")
    try shelf(bench)
    _ = try bench.shell(isFolder ? "chmod 555 shelf" : "chmod 444 shelf/library.sqlite")
    defer { _ = try? bench.shell("chmod 755 shelf") }
    let before = try bench.content()
    for command in ["heal shelf/library.sqlite", "heal shelf/library.sqlite --dry-run"] {
      let healed = try bench.asNobody(command)
      #expect(healed.status == 0 && healed.output.contains("nothing: the store is sound"), "\(command): \(healed.errors)\(healed.output)")
    }
    for command in ["rewind shelf/library.sqlite --to now --yes", "restore shelf/library.sqlite --at now --yes"] {
      let refused = try bench.asNobody(command)
      #expect(refused.status == 73 && refused.errors.contains("may not be written to"), "\(command): \(refused.errors)")
      #expect(refused.errors.contains("copy the store to another folder"), "\(command): \(refused.errors)")
      #expect(!refused.errors.contains("This builds"), "it was built first: \(refused.errors)")
    }
    #expect(try bench.content() == before)
  }

  @Test("a damaged store that may not be written to is told, and nothing is asked")
  func damagedAndProtected() throws {
    try bench.fixture("library.json")
    try shelf(bench)
    _ = try bench.shell("dd if=/dev/zero of=shelf/library.sqlite bs=4096 seek=2 count=3 conv=notrunc 2>&1; chmod 444 shelf/library.sqlite")
    let plan = try bench.asNobody("heal shelf/library.sqlite --dry-run")
    #expect(plan.status == 0 && plan.output.contains("would do"), "\(plan.errors)\(plan.output)")
    let refused = try bench.asNobody("heal shelf/library.sqlite --yes")
    #expect(refused.status == 73 && refused.errors.contains("may not be written to"), "\(refused.errors)")
  }

  @Test(
    "a full disk stops no reading: the store is read in place, or from a copy on another disk where it has a log", arguments: [true, false])
  func fullDisk(hasLog: Bool) throws {
    _ = try bench.store()
    let log = hasLog ? "cp left-wal small/library.sqlite-wal" : ":"
    // A store as a killed process leaves it: the last writer's log is not moved into the file.
    let finished = try bench.shell(
      #"""
      python3 - <<'E' || exit 99
      import os, shutil, sqlite3
      c = sqlite3.connect("library.sqlite"); c.execute("PRAGMA wal_autocheckpoint = 0")
      shutil.copy("library.sqlite", "left.sqlite")
      c.execute("UPDATE collections SET title = 'Nur im Log' WHERE title = 'Moby Dick'"); c.commit()
      shutil.copy("library.sqlite-wal", "left-wal"); c.close()
      E
      mkdir small; unshare -m true 2>/dev/null || exit 99
      unshare -m bash -c '
        mount -t tmpfs -o size=1m tmpfs small || exit 99
        cp left.sqlite small/library.sqlite; \#(log)
        dd if=/dev/zero of=small/filler bs=4096 2>/dev/null; ls -A small > names
        for c in "list" "check" "info" "search moby" "stats" "snapshot list" "migrate" "export --to $2/out.json --format holdfast --yes"; do
          set -- "$1" "$2" $c; n=small/library.sqlite
          if [ "$3" = snapshot ]; then "$1" snapshot list $n >out 2>err; else "$1" $3 $n "${@:4}" >out 2>err; fi || echo "$c: $? $(cat err)"
          if [ "$3" = list ]; then cat out; fi
        done
        ls -A small | diff - names' bash "$1" "$2"
      """#)
    if finished.status == 99 { return }
    #expect(
      finished.status == 0 && !finished.output.contains(": 7") && !finished.output.contains(": 6"), "\(finished.output)\(finished.errors)")
    #expect(finished.output.contains(hasLog ? "Nur im Log" : "Moby Dick"), "\(finished.output)\(finished.errors)")
  }

  @Test("no control character of a file's name reaches the terminal, and no line of a plan begins with the rest of a name")
  func oddName() throws {
    let plain = try bench.archived()
    let name = "e\u{1B}[31mvil\nThis is no plan.sqlite"
    let odd = bench.path(name)
    let id = try bench.snapshot(plain)
    for suffix in ["", ".holdfast"] {
      try FileManager.default.copyItem(atPath: plain + suffix, toPath: odd + suffix)
    }
    let export = bench.path("export\u{9B}31m.json")
    try Data().write(to: bench.url("export\u{9B}31m.json"))
    let commands: [[String]] = [
      ["restore", odd, "--at", "now"], ["restore", odd, "--snapshot", id], ["rewind", odd, "--to", "now"], ["heal", odd],
      ["check", odd], ["info", odd], ["list", odd], ["show", odd, "none"], ["search", odd, "moby"], ["stats", odd], ["history", odd],
      ["archive", "status", odd], ["archive", "begin", odd], ["snapshot", "list", odd], ["snapshot", "prune", odd, "--keep", "0"],
      ["label", odd, "a\u{1B}[31mb"], ["migrate", odd], ["export", odd, "--to", export], ["export", odd, "--to", odd], ["encrypt", odd],
      ["diff", odd, "--from", "commit 0", "--to", "now"], ["salvage", odd, "--to", odd], ["audit", "list", odd], [odd],
      ["import", odd, "--into", odd], ["restore", odd, "--only", "collection:1d8b3f0a-52c4-4b7e-8e0d-6a9c2f4d7e31", "--at", "commit 0"],
      ["quarantine", "list", odd], ["explain", odd, "SELECT 1"], ["list", odd, "\u{1B}[31m"],
    ]
    func look(_ arguments: [String]) throws {
      let finished = try bench.run(arguments)
      let text = finished.output + finished.errors
      #expect(!text.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" }, "\(arguments): \(text.debugDescription)")
      // The parser repeats a word of a wrong command line as it was typed.
      guard finished.status != 64 || text.contains("confirmation") else { return }
      #expect(!text.split(separator: "\n").contains { $0.hasPrefix("This is no plan") }, "\(arguments): \(text)")
    }
    for arguments in commands { try look(arguments) }
    // And of a store that must be replaced.
    var bytes = try Data(contentsOf: URL(fileURLWithPath: odd))
    bytes.replaceSubrange(0..<100, with: Data(count: 100))
    try bytes.write(to: URL(fileURLWithPath: odd))
    for arguments in commands.prefix(6) { try look(arguments) }
  }

  @Test("a moment that has not come is named, also the last second that there is")
  func future() throws {
    let store = try bench.archived()
    for zone in ["UTC", "Europe/Berlin"] {
      try bench.run(["TZ": zone], "restore", store, "--at", "9999-12-31T23:59:59Z", status: 64, errors: "9999-12-31T23:59:59Z")
    }
    try bench.run("rewind", store, "--to", "2999-11-24T14:02:33Z", errors: "--to: 2999-11-24T14:02:33Z has not come yet")
  }

  @Test("a folder or a pipe in a store's place is said, by every command")
  func notAFile() throws {
    let made = try bench.shell("mkdir folder; mkfifo pipe")
    #expect(made.status == 0)
    for (name, words) in [("folder", "is a folder"), ("pipe", "is not a file, but a pipe")] {
      for command in [
        ["heal", name], ["salvage", name, "--to", "new.sqlite"], ["check", name], ["restore", name], ["rewind", name, "--to", "now"],
        ["history", name], ["label", name, "x"], ["list", name], ["snapshot", "list", name], ["archive", "begin", name],
      ] {
        try bench.run(command, status: 65, errors: words)
      }
    }
  }

  @Test("a damaged value is named with table, column and row, by list, search and show")
  func damagedValue() throws {
    let store = try bench.store()
    let made = try bench.shell(
      #"""
      python3 - <<'E'
      import sqlite3
      c = sqlite3.connect("library.sqlite"); c.execute("PRAGMA writable_schema = 1")
      c.execute("UPDATE sqlite_schema SET sql = replace(sql, ') STRICT', ')') WHERE name = 'collections'"); c.commit(); c.close()
      c = sqlite3.connect("library.sqlite"); c.execute("UPDATE collections SET author = x'02' WHERE title = 'Moby Dick'"); c.commit()
      E
      """#)
    #expect(made.status == 0, "\(made.errors)")
    let id = "1d8b3f0a-52c4-4b7e-8e0d-6a9c2f4d7e31"
    for command in [["list", store], ["search", store, "moby"], ["show", store, id]] {
      try bench.run(command, errors: "collections, row \(id): author should hold text")
    }
  }

  @Test("a store with a second name is read with a note, and nothing writes to it")
  func secondName() throws {
    let store = try bench.store()
    #expect(try bench.run("snapshot", "create", store).status == 0)
    try FileManager.default.linkItem(atPath: store, toPath: bench.path("second.sqlite"))
    let before = try bench.content()
    try bench.run("list", store, status: 0, errors: "has another name (hard links)")
    let id = try #require(
      try FileManager.default.contentsOfDirectory(atPath: store + ".holdfast/snapshots").first { $0.hasSuffix(".json") })
    for command in [
      ["import", "library.json", "--into", store], ["snapshot", "create", store], ["archive", "begin", store],
      ["restore", store, "--snapshot", String(id.dropLast(5)), "--yes"],
    ] {
      let refused = try bench.run(command, status: 65, errors: "has another name (hard links)")
      #expect(refused.errors.contains("Try: Remove the other names"), "\(command): \(refused.errors)")
    }
    #expect(try bench.content() == before)
  }
}
