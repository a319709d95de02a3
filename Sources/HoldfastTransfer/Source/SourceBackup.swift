import Foundation
import Holdfast

/// A copy of a source beside it, or beside the store where nothing can be written there, proven by its hash. The source itself is never touched.
///
/// Until it is kept it stands under a name that says that it is not finished, and belongs to this import alone: another import of the
/// same source that comes to an end meanwhile relies on its own.
struct SourceBackup {
  /// The copy of an import, or why there is none; neither for the beginning of a file.
  struct Kept {
    private(set) var backup: SourceBackup?
    private(set) var noCopy: String?

    init() {}

    init(of source: ImportSource, _ format: some ImportFormat, orBeside store: URL?, _ options: ImportOptions) throws {
      guard !source.isBeginning, options.keepsCopy else { return }
      noCopy = format.noCopy
      guard noCopy == nil else { return }
      backup = try SourceBackup(of: source, orBeside: store)
    }
  }

  private let source: ImportSource
  /// What the copy is called, without its ending.
  private let name: URL
  /// Nil where an equal copy was there already.
  private let working: URL?
  /// Where `working` stands.
  private let folder: WorkingFolder?
  /// Of the copy as it was read back, on a thread of its own while the import goes on.
  private let found: Later<String>?

  /// Copies the source, with its log.
  ///
  /// - Parameter store: in its folder the copy stands when that of the source may not be written to: a disc, a share, another's.
  /// - Throws: `.permissionDenied`, `.cannotCreate`, `.diskFull`; nothing is left behind.
  init(of source: ImportSource, orBeside store: URL? = nil) throws {
    do {
      try self.init(of: source, as: source.url)
    } catch let error as StoreError where [.cannotCreate, .permissionDenied].contains(error.code) {
      guard let store else { throw error }
      try self.init(of: source, as: store.deletingLastPathComponent().appendingPathComponent(source.url.lastPathComponent))
    }
  }

  private init(of source: ImportSource, as name: URL) throws {
    self.source = source
    self.name = name
    if try Self.place(for: source.sha256, name).holds {
      (working, folder, found) = (nil, nil, nil)
      return
    }
    let folder = try WorkingFolder(beside: name, "copying")
    let working = folder.file("copy")
    do {
      try SourceFiles(source.url).copy(to: working)
    } catch {
      throw DurableFile.failure(error, source.url).naming(URL(fileURLWithPath: name.path + ".backup"), insteadOf: working)
    }
    (self.working, self.folder) = (working, folder)
    found = Later { try SourceFiles(working).sha256() }
  }

  /// Gives the copy its name: `<name>.backup`, or numbered where that is taken by anything else.
  ///
  /// - Throws: `.verificationFailed` when the copy is not what the source was.
  func keep() throws -> URL {
    guard let working, let found else { return try Self.place(for: source.sha256, name).url }
    let sha256 = try found.value()
    guard sha256 == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was copied")
    }
    let (url, holds) = try Self.place(for: sha256, name)
    if !holds { try SourceFiles(working).move(to: url) }
    return url
  }

  /// Takes the copy away again that was not kept.
  func discard() {
    _ = try? found?.value()
    if let folder { _ = try? DurableFile.remove(folder.url) }
  }

  /// The name that holds this content already, or the first that nothing has: no log of another's either.
  private static func place(for content: String, _ name: URL) throws -> (url: URL, holds: Bool) {
    var number = 1
    while true {
      let url = URL(fileURLWithPath: name.path + (number == 1 ? ".backup" : ".backup-\(number)"))
      let taken = ([""] + StoreFiles.sidecars).contains { DurableFile.stands(url.path + $0) }
      if !taken { return (url, false) }
      if let sha256 = try? SourceFiles(url).sha256(), sha256 == content { return (url, true) }
      number += 1
    }
  }
}
