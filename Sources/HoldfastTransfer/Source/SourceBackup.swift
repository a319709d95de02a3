import Foundation
import Holdfast

/// A copy of a source, verified by its hash. It is beside the source; beside the store, if the source's folder is not writable, or belongs
/// to a bundle or a model. A store in memory gets no copy of a source in a bundle's or a model's folder.
///
/// Until it is kept, the copy has a working name and belongs to this import alone. Another import of the same source that finishes
/// meanwhile uses its own copy.
struct SourceBackup {
  /// The copy of an import's source, or why there is none. Both are nil in a dry run, for the beginning of a file, and if none is wanted.
  struct Kept {
    private(set) var backup: SourceBackup?
    private(set) var noCopy: String?

    init(of source: ImportSource, _ format: some ImportFormat, orBeside store: URL?, _ options: ImportOptions) throws {
      guard !source.isBeginning, options.keepsCopy, !options.dryRun else { return }
      noCopy = format.noCopy
      guard noCopy == nil else { return }
      if format.copiesBesideStore || Self.isInBundle(source.url) {
        guard let store else {
          noCopy = "a store in memory has no folder for it"
          return
        }
        backup = try SourceBackup(of: source, beside: store)
      } else {
        backup = try SourceBackup(of: source, orBeside: store)
      }
    }

    /// Whether a file is in a bundle: a folder that people see as one file, such as `MusicPlayer.library`.
    private static func isInBundle(_ url: URL) -> Bool {
      let folders = url.standardizedFileURL.deletingLastPathComponent().pathComponents.suffix(3)
      return folders.count == 3 && folders.first?.contains(".") == true && folders.dropFirst() == ["Contents", "Resources"]
    }
  }

  private let source: ImportSource
  /// The path of the copy, without `.backup`.
  private let name: URL
  /// The unfinished copy; nil when an equal copy exists already.
  private let working: URL?
  private let folder: WorkingFolder?
  /// The hash of the copy, read back on another thread while the import goes on.
  private let found: Later<String>?

  /// Copies the source with its log: into the store's folder when the source's is not writable, for example on a disc or a share. After an
  /// error no copy is left.
  init(of source: ImportSource, orBeside store: URL? = nil) throws {
    do {
      try self.init(of: source, as: source.url)
    } catch let error as StoreError where [.cannotCreate, .permissionDenied].contains(error.code) {
      guard let store else { throw error }
      try self.init(of: source, beside: store)
    }
  }

  private init(of source: ImportSource, beside store: URL) throws {
    try self.init(of: source, as: store.deletingLastPathComponent().appendingPathComponent(source.url.lastPathComponent))
  }

  private init(of source: ImportSource, as name: URL) throws {
    self.source = source
    self.name = name
    if try Self.place(for: source, name).holds {
      (working, folder, found) = (nil, nil, nil)
      return
    }
    let folder = try WorkingFolder(beside: name, "copying")
    let working = folder.file("copy")
    try DurableFile.naming(URL(fileURLWithPath: name.path + ".backup")) { try source.copy(to: working) }
    (self.working, self.folder) = (working, folder)
    found = Later { try SourceFiles(working).sha256() }
  }

  /// Gives the copy its name: `<name>.backup`, or a numbered name when another file has that one.
  func keep() throws -> URL {
    guard let working, let found else { return try Self.place(for: source, name).url }
    guard try found.value() == source.sha256 else {
      throw StoreError(.verificationFailed, "\(source.url.path) changed while it was copied")
    }
    let (url, holds) = try Self.place(for: source, name)
    if !holds { try SourceFiles(working).move(to: url) }
    return url
  }

  /// Whether an earlier import has kept an equal copy.
  var isThere: Bool { working == nil }

  /// Deletes the copy unless it was kept.
  func discard() {
    _ = try? found?.value()
    if let folder { _ = try? DurableFile.remove(folder.url) }
  }

  /// The name of an equal copy, or the first name that neither a file nor a log has. Reads the source only where a file of its size stands.
  private static func place(for source: ImportSource, _ name: URL) throws -> (url: URL, holds: Bool) {
    var number = 1
    while true {
      let url = URL(fileURLWithPath: name.path + (number == 1 ? ".backup" : ".backup-\(number)"))
      let taken = ([""] + StoreFiles.sidecars).contains { DurableFile.stands(url.path + $0) }
      if !taken { return (url, false) }
      let files = SourceFiles(url)
      if files.bytes == source.bytes, let found = try? files.sha256(), try found == source.sha256 { return (url, true) }
      number += 1
    }
  }
}

extension ImportSource {
  /// Whether the copy of the source at `path`, numbered or not, or a log of the copy could have the name `other`.
  package static func couldCopy(_ path: String, to other: String) -> Bool {
    guard other.hasPrefix(path + ".backup") else { return false }
    let rest = other.dropFirst(path.count + ".backup".count)
    let log = StoreFiles.sidecars.first { rest.hasSuffix($0) } ?? ""
    return rest.dropLast(log.count).wholeMatch(of: #/(-[0-9]+)?/#) != nil
  }
}
