public import Foundation
public import Holdfast

/// A folder that is removed, with everything in it, when the value goes away.
///
/// One per test: tests run at the same time. May be used from any thread.
public final class TemporaryFolder: Sendable {
  /// The folder, which is there as long as this value is.
  public let url: URL

  /// - Throws: what making a folder throws.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A test may have taken the right to write away.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
    try? FileManager.default.removeItem(at: url)
  }

  /// Whether files may have names that are not UTF-8, as on most file systems of Linux: APFS and ZFS may refuse them.
  package static let takesAnyName: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    let name = folder.url.path.utf8.map { CChar(bitPattern: $0) } + [0x2F, CChar(bitPattern: 0xE9), 0]
    guard let file = fopen(name, "w") else { return false }
    fclose(file)
    return true
  }()

  /// A file of this name in the folder, whether it exists or not.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names of everything in the folder and below, sorted, with `/` between folders.
  public func contents() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
  }

  /// Opens the store `name` in this folder.
  ///
  /// Close it before you open it anew where the test is about what lies on disk; otherwise both work side by side.
  /// - Throws: what `Store.open` throws.
  public func store(_ schemas: [StoreSchema], name: String = "store.sqlite", options: StoreOptions = .testing) throws -> Store {
    try Store.open(at: file(name), schemas: schemas, options: options)
  }
}
