import Foundation
import HoldfastTesting
import Testing

@Suite("Heal: indexes of a music library")
struct HealIndexTests {
  private static let damages = [
    "DELETE FROM tracks_search_config", "UPDATE tracks_search_config SET v = 9 WHERE k = 'version'", "DROP TABLE tracks_search_idx",
    "DROP INDEX tracks_by_title", "DROP TRIGGER tracks_search_insert",
  ]

  /// A store with one track.
  private static let made: Result<PreparedFiles, any Error> = Result {
    let bench = try Workbench()
    let any = try bench.write("#EXTM3U\n#EXTINF:1,A - Love\na.mp3\n", to: "any.m3u8")
    try #require(bench.run("import", any, "--into", bench.path("s.sqlite"), "--no-backup").status == 0)
    return try bench.prepared()
  }

  private func store(_ damage: String, _ bench: borrowing Workbench) throws -> (store: String, other: String) {
    let store = try bench.put(Self.made.get(), "s.sqlite")
    try RawDatabase.with(URL(fileURLWithPath: store)) { try $0.execute(damage) }
    return (store, try bench.write("b.mp3\n", to: "other.m3u8"))
  }

  private func works(_ bench: borrowing Workbench, _ store: String, _ other: String) throws {
    #expect(try bench.run("check", store).status == 0)
    #expect(try bench.run("search", store, "love", "--json").output.contains("Love"))
    try bench.run("import", other, "--into", store, "--no-backup", status: 0)
    #expect(try bench.run("check", store).status == 0)
  }

  @Test("heal makes the index again, then search and import work, and a second heal finds a sound store", arguments: damages)
  func heal(damage: String) throws {
    let bench = try Workbench()
    let (store, other) = try store(damage, bench)
    try bench.run("check", store, status: 2, output: "makes it again")
    try bench.run("heal", store, "--yes", status: 0, output: "indexes made again: no row is lost")
    try bench.run("heal", store, "--yes", status: 0, output: "the store is sound")
    try works(bench, store, other)
  }

  @Test("migrate names what is to be made again, and --run makes it", arguments: damages)
  func migrate(damage: String) throws {
    let bench = try Workbench()
    let (store, _) = try store(damage, bench)
    #expect(try bench.run("migrate", store).output.contains("to be made again: tracks_"))
    #expect(try bench.run("migrate", store, "--run").output.contains("made again: tracks_"))
    #expect(try bench.run("migrate", store).output == "nothing to migrate\n")
    #expect(try bench.run("check", store).status == 0)
    #expect(try bench.run("search", store, "love", "--json").output.contains("Love"))
  }

  @Test("search says that the index is damaged and names heal; an import makes it again")
  func search() throws {
    let bench = try Workbench()
    let (store, other) = try store("DROP TABLE tracks_search_idx", bench)
    let search = try bench.run("search", store, "love")
    #expect(
      search.status == 65 && search.errors.contains("Heal the store") && !search.errors.contains("Correct the call"), "\(search.errors)")
    #expect(try bench.run("import", other, "--into", store, "--no-backup").status == 0)
    try works(bench, store, other)
  }
}
