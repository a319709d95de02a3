public import Foundation
public import Holdfast

/// A folder that is removed with its content when the value is released.
///
/// Use one per test, because tests run at the same time. May be used from any thread.
public final class TemporaryFolder: Sendable {
  /// The folder. It exists as long as this value.
  public let url: URL

  /// - Throws: the errors of making a folder.
  public init() throws {
    url = FileManager.default.temporaryDirectory.appendingPathComponent("holdfast-test-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  deinit {
    // A test may have removed the permission to write.
    try? FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: url.path)
    try? FileManager.default.removeItem(at: url)
  }

  /// Whether file names need not be UTF-8, as on most file systems of Linux. APFS and ZFS may refuse other names.
  package static let takesAnyName: Bool = {
    guard let folder = try? TemporaryFolder() else { return false }
    let name = folder.url.path.utf8.map { CChar(bitPattern: $0) } + [0x2F, CChar(bitPattern: 0xE9), 0]
    guard let file = fopen(name, "w") else { return false }
    fclose(file)
    return true
  }()

  /// The path of a file with this name in the folder. The file need not exist.
  public func file(_ name: String) -> URL { url.appendingPathComponent(name) }

  /// The names of everything in the folder and below, sorted, with `/` between folders.
  public func contents() throws -> [String] {
    try FileManager.default.subpathsOfDirectory(atPath: url.path).sorted()
  }

  /// Puts a file where the folder `name` should be, so that nothing can be made in it. That stops root, too.
  package func forbidFolder(_ name: String) throws {
    try? FileManager.default.removeItem(at: file(name))
    try Data().write(to: file(name))
  }

  /// Puts an empty folder `name` in place of what is there.
  package func allowFolder(_ name: String) throws {
    try? FileManager.default.removeItem(at: file(name))
    try FileManager.default.createDirectory(at: file(name), withIntermediateDirectories: true)
  }

  /// Opens the store `name` in this folder.
  ///
  /// When the test is about the files on disk, close the store before you open it again. Otherwise both stores work at once.
  /// - Throws: the errors of `Store.open`.
  public func store(_ schemas: [StoreSchema], name: String = "store.sqlite", options: StoreOptions = .testing) throws -> Store {
    try Store.open(at: file(name), schemas: schemas, options: options)
  }
}
