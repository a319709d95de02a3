import Foundation
import Holdfast
import HoldfastAudiobooks
import Testing

@Suite("Going back on a disk with little room")
struct LittleRoomTests {
  @Test(
    "on a disk with little room, opening the store removes no moment that restore and rewind are asked for",
    .enabled(if: geteuid() == 0, "needs a volume of its own"))
  func littleRoom() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    // Without the archive: the next opening makes a gap, and the part before it is the oldest.
    var options = StoreOptions.production
    options.archive.mode = .off
    let open = try Store.open(at: URL(fileURLWithPath: store), schemas: [AudiobookLibrary.schema], options: options)
    let ids: [UUID] = try open.read { reader in
      try reader.values("SELECT id FROM collections WHERE title = 'Moby Dick'") { row in try row.id() }
    }
    let id = try #require(ids.first).uuidString
    _ = try open.write { try $0.execute("DELETE FROM collections WHERE title = 'Moby Dick'") }
    try open.close()
    let finished = try bench.shell(
      """
      mkdir one other
      unshare -m bash -c 'mount -t tmpfs -o size=40m tmpfs one && mount -t tmpfs -o size=40m tmpfs other || exit 0
        cp -r library.sqlite* one && cp -r library.sqlite* other || exit 1
        "$1" restore one/library.sqlite --commit 0 --only collection:\(id) --yes || exit 2
        "$1" rewind other/library.sqlite --commit 0 --yes || exit 3
        "$1" history other/library.sqlite --json | grep -q "\\"commit\\": 0," || exit 4' bash "$1"
      """)
    #expect(finished.status == 0, "\(finished.errors)")
  }
}
