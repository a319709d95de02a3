import Foundation
import Holdfast

/// The files of some folders and of all folders in them, for `MusicStore.rescan`.
///
/// ```swift
/// let listing = FolderListing(of: ["/Music"])
/// let result = try await library.rescan(listing.files, under: listing.roots, unreadable: listing.unreadable)
/// ```
/// Every file is listed, because a track may have any file, and a file that is not listed would be missing. Only audio files
/// can be new. Left out are files of the system (`._*`, `.DS_Store`) and trash (`.Trash`, `.Trashes`, `.Trash-*`). Links are
/// followed, and each folder is listed once, so circles of links end. If two paths lead to a folder, the path without a link is
/// listed. The content of files is not read.
public struct FolderListing: Sendable, Hashable {
  /// The folders to list, as they were given.
  public let roots: [String]
  /// The files, in no particular order, without hashes.
  public private(set) var files: [ScannedFile] = []
  /// Files and folders that could not be read, missing roots, and links without a target, perhaps on a volume that is not
  /// mounted. A rescan does not take them for missing.
  public private(set) var unreadable: [String] = []

  /// Extensions of audio files, in lower case. A file that no track has is new only with one of them.
  public static let audioExtensions: Set<String> = ["mp3", "m4a", "flac", "wav", "aac", "aiff", "aif", "opus", "ogg", "wma"]

  /// Lists folders, and blocks the caller: a thousand files take some milliseconds, more on a network.
  ///
  /// - Parameter extensions: extensions of possible new tracks, in lower case, without the dot. Default: `audioExtensions`.
  ///   Other files are listed too, and are never new.
  public init(of roots: [String], extensions: Set<String> = audioExtensions) {
    self.init(of: roots, extensions: extensions) { try FileManager.default.contentsOfDirectory(atPath: $0) }
  }

  init(of roots: [String], extensions: Set<String>, names: (String) throws -> [String]) {
    self.roots = roots
    var walk = Walk(extensions: extensions, pending: roots)
    while let folder = walk.pending.popLast() ?? walk.links.popLast() { list(folder, &walk, names) }
  }

  private struct Walk {
    var extensions: Set<String>
    /// Folders to list; folders behind links come last.
    var pending: [String]
    var links: [String] = []
    var seen: Set<[UInt64]> = []
  }

  private mutating func list(_ folder: String, _ walk: inout Walk, _ names: (String) throws -> [String]) {
    guard let attributes = look(at: folder, followingLinks: true), let names = try? names(folder) else { return unreadable.append(folder) }
    let identity = [FileAttributeKey.systemNumber, .systemFileNumber].compactMap { (attributes[$0] as? NSNumber)?.uint64Value }
    guard identity.isEmpty || walk.seen.insert(identity).inserted else { return }
    for name in names where !Self.isLeftOut(name) {
      let path = folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
      let own = look(at: path, followingLinks: false)
      let isLink = own?[.type] as? FileAttributeType == .typeSymbolicLink
      guard let attributes = isLink ? look(at: path, followingLinks: true) : own else {
        unreadable.append(path)
        continue
      }
      switch attributes[.type] as? FileAttributeType {
      case .typeDirectory?: if isLink { walk.links.append(path) } else { walk.pending.append(path) }
      // A link that leads in a circle.
      case .typeSymbolicLink?: unreadable.append(path)
      case .typeRegular?:
        files.append(
          ScannedFile(
            path: path, sizeBytes: (attributes[.size] as? NSNumber)?.int64Value ?? 0, modifiedAt: attributes[.modificationDate] as? Date,
            isAudio: walk.extensions.contains(ScannedFile.ending(name[...]))))
      default: break
      }
    }
  }

  /// Other names that begin with a dot are kept: albums and songs may have them.
  private static func isLeftOut(_ name: String) -> Bool {
    name.hasPrefix("._") || name.hasPrefix(".Trash-") || [".DS_Store", ".Trash", ".Trashes"].contains(name)
  }

  private func look(at path: String, followingLinks: Bool) -> [FileAttributeKey: Any]? {
    let path = followingLinks ? URL(fileURLWithPath: path).resolvingSymlinksInPath().path : path
    return try? FileManager.default.attributesOfItem(atPath: path)
  }
}
