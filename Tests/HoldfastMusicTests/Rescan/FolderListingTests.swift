import Foundation
import Holdfast
import HoldfastTesting
import Testing

@testable import HoldfastMusic

@Suite("Folder listing") struct FolderListingTests {
  /// A folder with files of these paths, each with its path as its content.
  private func folder(_ paths: [String]) throws -> TemporaryFolder {
    let folder = try TemporaryFolder()
    for path in paths { try write(path, in: folder) }
    return folder
  }

  private func write(_ path: String, in folder: TemporaryFolder) throws {
    let url = folder.file(path)
    try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(path.utf8).write(to: url)
  }

  private func link(_ path: String, to target: String, in folder: TemporaryFolder) throws {
    try FileManager.default.createSymbolicLink(atPath: folder.file(path).path, withDestinationPath: target)
  }

  private func names(_ listing: FolderListing, _ folder: TemporaryFolder) -> [String] {
    listing.files.map { String($0.path.dropFirst(folder.url.path.count + 1)) }.sorted()
  }

  @Test("finds the files in all folders, with size and time; those of audio by their endings, in any case")
  func finds() throws {
    let folder = try folder(["a.mp3", "b/c/d.FLAC", "b/e.m4a", "cover.jpg", "mp3", "b/.f.mp3", ".hidden/g.mp3", "._a.mp3", "100% #1?.ogg"])
    let listing = FolderListing(of: [folder.url.path])
    #expect(
      names(listing, folder)
        == ["100% #1?.ogg", ".hidden/g.mp3", "a.mp3", "b/.f.mp3", "b/c/d.FLAC", "b/e.m4a", "cover.jpg", "mp3"].sorted())
    #expect(
      listing.files.filter(\.isAudio).map(\.path).sorted()
        == ["100% #1?.ogg", ".hidden/g.mp3", "a.mp3", "b/.f.mp3", "b/c/d.FLAC", "b/e.m4a"].map { "\(folder.url.path)/\($0)" }.sorted())
    #expect(listing.unreadable == [])
    let a = try #require(listing.files.first { $0.path.hasSuffix("/a.mp3") })
    let attributes = try FileManager.default.attributesOfItem(atPath: folder.file("a.mp3").path)
    #expect(a.sizeBytes == 5 && a.modifiedAt == (attributes[.modificationDate] as? Date).map(DateCodec.rounded))
    let pictures = FolderListing(of: [folder.url.path + "/"], extensions: ["jpg"]).files.filter(\.isAudio)
    #expect(pictures.map(\.path) == [folder.file("cover.jpg").path])
  }

  @Test("what systems put beside files, and what was thrown away, is left out")
  func leftOut() throws {
    let folder = try folder([
      "._a.mp3", ".DS_Store", ".Trash/a.mp3", ".Trashes/501/a.mp3", ".Trash-1000/files/a.mp3", ".trash.mp3", "...And Justice for All/a.mp3",
    ])
    #expect(names(FolderListing(of: [folder.url.path]), folder) == ["...And Justice for All/a.mp3", ".trash.mp3"])
  }

  @Test("a track whose file has an ending of no audio format, or a dot at the beginning, is not missing, and follows its file")
  func unusualNames() async throws {
    // No two of one length: what is told apart by size.
    let paths = ["...And Justice for All/.d.mp3", "a.m4p", "bb.m4b", "ccc.DSF", "no ending"]
    let folder = try folder(paths + ["cover.jpeg", "other.m4p"])
    let root = folder.url.path
    func listing() -> [ScannedFile] { FolderListing(of: [root]).files.sorted { $0.path < $1.path } }
    let world = try await RescanWorld(listing().filter { file in paths.contains { file.path == "\(root)/\($0)" } })
    #expect(try await world.rescan(listing(), under: [root]) == "")
    try FileManager.default.moveItem(at: folder.file("a.m4p"), to: folder.file("moved.m4p"))
    try FileManager.default.moveItem(at: folder.file("bb.m4b"), to: folder.file(".bb.m4b"))
    try write("new.mp3", in: folder)
    #expect(
      try await world.rescan(listing(), under: [root])
        == "moved: a.m4p to \(root)/moved.m4p, bb.m4b to \(root)/.bb.m4b; new: \(root)/new.mp3")
    #expect(try await world.files().allSatisfy { $0.contains(" available ") })
  }

  @Test("a picture is not taken for the song that is gone, though size and time are the same")
  func pictures() async throws {
    let world = try await RescanWorld([ScannedFile.of("/Music/a.mp3", "A")])
    let song = ScannedFile.of("/Music/a.mp3", "A")
    let picture = ScannedFile(path: "/Music/a.jpg", sizeBytes: song.sizeBytes, modifiedAt: song.modifiedAt, isAudio: false)
    #expect(try await world.rescan([picture]) == "missing: a.mp3")
  }

  @Test("links that lead in a circle end, and a folder that two ways lead to is listed once, by the way without a link")
  func links() throws {
    let folder = try folder(["b/a.mp3", "outside/c.mp3"])
    try link("b/up", to: "..", in: folder)
    try link("b/a link to b", to: folder.file("b").path, in: folder)
    try link("b/outside", to: folder.file("outside").path, in: folder)
    try link("b/song.mp3", to: "a.mp3", in: folder)
    #expect(names(FolderListing(of: [folder.url.path]), folder) == ["b/a.mp3", "b/song.mp3", "outside/c.mp3"])
    let below = FolderListing(of: [folder.file("b").path])
    #expect(below.unreadable == [])
    // From below, what is outside can be reached by links only.
    #expect(below.files.count == 3)
  }

  @Test("what cannot be looked at is said and not judged: folders, roots and links that lead nowhere")
  func unreadable() async throws {
    let folder = try folder(["a.mp3", "locked/b.mp3"])
    try link("away", to: "/no/such/volume", in: folder)
    try link("self", to: "self", in: folder)
    let root = folder.url.path
    let listing = FolderListing(of: [root, root + "-gone"], extensions: FolderListing.audioExtensions) { path in
      if path.hasSuffix("locked") { throw CocoaError(.fileReadNoPermission) }
      return try FileManager.default.contentsOfDirectory(atPath: path)
    }
    #expect(names(listing, folder) == ["a.mp3"])
    #expect(listing.unreadable.sorted() == [root + "-gone"] + ["away", "locked", "self"].map { "\(root)/\($0)" })
    let tracks = ["a.mp3", "locked/b.mp3", "away/c.mp3", "gone.mp3"].map { ScannedFile.of("\(root)/\($0)", $0) }
    let world = try await RescanWorld(tracks + [ScannedFile.of(root + "-gone/d.mp3", "d")])
    #expect(
      try await world.rescan(listing.files, under: listing.roots, unreadable: listing.unreadable) == "missing: gone.mp3; changed: a.mp3")
  }

  @Test("a folder that may not be read is not missing", .enabled(if: WriteProtection.binds))
  func noPermission() throws {
    let folder = try folder(["locked/b.mp3"])
    let locked = folder.file("locked").path
    try FileManager.default.setAttributes([.posixPermissions: 0], ofItemAtPath: locked)
    defer { try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: locked) }
    #expect(FolderListing(of: [folder.url.path]).unreadable == [locked])
  }

  @Test("files on a disk that were moved, removed, edited and put back are found again")
  func realFolder() async throws {
    let folder = try folder((0..<10).map { "Artist/Album \($0)/song \($0).mp3" })
    let root = folder.url.path
    func listing() -> [ScannedFile] { FolderListing(of: [root]).files }
    let world = try await RescanWorld(listing().sorted { $0.path < $1.path })
    let files = FileManager.default
    try files.createDirectory(at: folder.file("Ärger"), withIntermediateDirectories: true)
    try files.moveItem(at: folder.file("Artist/Album 3"), to: folder.file("Ärger/100% #3"))
    try files.moveItem(at: folder.file("Artist/Album 4"), to: folder.file("aside"))
    try files.removeItem(at: folder.file("Artist/Album 5"))
    try write("Artist/Album 5/song 5, again.mp3", in: folder)
    #expect(
      try await world.rescan(listing().filter { !$0.path.contains("/aside/") }, under: [root])
        == "moved: song 3.mp3 to \(root)/Ärger/100% #3/song 3.mp3; missing: song 4.mp3, song 5.mp3; "
        + "new: \(root)/Artist/Album 5/song 5, again.mp3")
    try files.moveItem(at: folder.file("aside"), to: folder.file("Artist/Album 4"))
    try Data("other content".utf8).write(to: folder.file("Artist/Album 0/song 0.mp3"))
    #expect(
      try await world.rescan(listing(), under: [root])
        == "back: song 4.mp3; changed: song 0.mp3; new: \(root)/Artist/Album 5/song 5, again.mp3")
  }
}
