import Foundation

/// A disk with a volatile cache: what is on it for certain, and what is on its way.
///
/// - Writes and cuts of a file wait until that file is flushed.
/// - Names (made, renamed, linked, removed; folders too) wait until their folder is flushed. Flushing a file does not keep its name:
///   that is less than ext4 gives and all that POSIX promises.
/// - A rename is one change: never neither name. Flushing either folder keeps it, with whatever went before under the same names.
/// - A waiting write may arrive in part, in pieces of 512 bytes and in any order.
final class DiskModel {
  final class Inode {
    var content: [UInt8]
    var waiting: [(change: ContentChange, time: Int)] = []
    init(_ content: [UInt8]) { self.content = content }
  }

  enum ContentChange {
    case write(Int, ArraySlice<UInt8>)
    case cut(Int)
  }

  private enum Node {
    case folder
    case file(Inode)
  }

  private struct NameChange {
    var adds: [(path: String, node: Node)]
    var removes: [String]
    var time: Int

    var paths: [String] { adds.map(\.path) + removes }
    var folders: Set<String> { Set(paths.map(DiskModel.folder)) }
    func apply(to names: inout [String: Node]) {
      for path in removes { names[path] = nil }
      for (path, node) in adds { names[path] = node }
    }
  }

  /// What is left to chance when the power goes.
  enum Loss: String, CaseIterable, Sendable {
    /// Everything that waits is gone.
    case all
    /// Nothing is gone.
    case nothing
    /// What waits arrives in order up to some moment.
    case later
    /// Pieces of 512 bytes arrive in any order; names as well.
    case pieces
    /// All content arrives, and some names do not.
    case names
  }

  private var names: [String: Node] = ["": .folder]
  private var waitingNames: [NameChange] = []
  /// As the running system sees it.
  private var seen: [String: Node] = ["": .folder]
  private var inodes: [UInt64: Inode] = [:]
  private var time = 0

  /// The folder as it stands, all of it on the disk.
  init(_ root: URL) throws {
    for relative in try FileManager.default.subpathsOfDirectory(atPath: root.path) where !relative.hasSuffix("-shm") {
      let url = root.appendingPathComponent(relative)
      let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
      if attributes[.type] as? FileAttributeType == .typeDirectory {
        names[relative] = .folder
      } else {
        let inode = Inode([UInt8](try Data(contentsOf: url)))
        if let number = (attributes[.systemFileNumber] as? NSNumber)?.uint64Value { inodes[number] = inode }
        names[relative] = .file(inode)
      }
    }
    seen = names
  }

  private static func folder(of path: String) -> String {
    path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
  }

  func apply(_ operation: Trace.Operation) {
    time += 1
    switch operation {
    case .create(let path, let number):
      let inode = Inode([])
      inodes[number] = inode
      change(adds: [(path, .file(inode))], removes: [])
    case .write(let number, let offset, let bytes): inodes[number]?.waiting.append((.write(offset, bytes), time))
    case .cut(let number, let length): inodes[number]?.waiting.append((.cut(length), time))
    case .flush(let number):
      guard let inode = inodes[number] else { return }
      for (change, _) in inode.waiting { Self.apply(change, to: &inode.content) }
      inode.waiting = []
    case .flushFolder(let path): flushFolder(path)
    case .rename(let from, let to, let exchanges):
      guard let node = seen[from] else { return }
      if exchanges, let other = seen[to] {
        move(from, to, node)
        change(adds: [(to, node), (from, other)], removes: [])
      } else {
        change(adds: [(to, node)] + move(from, to, node), removes: [from] + below(from))
      }
    case .link(let from, let to):
      guard let node = seen[from] else { return }
      change(adds: [(to, node)], removes: [])
    case .unlink(let path), .removeFolder(let path): change(adds: [], removes: [path])
    case .makeFolder(let path): change(adds: [(path, .folder)], removes: [])
    case .acknowledge: break
    }
  }

  private func below(_ path: String) -> [String] { seen.keys.filter { $0.hasPrefix(path + "/") } }

  /// What a renamed folder takes along.
  @discardableResult
  private func move(_ from: String, _ to: String, _ node: Node) -> [(path: String, node: Node)] {
    below(from).compactMap { path in seen[path].map { (to + path.dropFirst(from.count), $0) } }
  }

  private func change(adds: [(path: String, node: Node)], removes: [String]) {
    let change = NameChange(adds: adds, removes: removes, time: time)
    change.apply(to: &seen)
    waitingNames.append(change)
  }

  private func flushFolder(_ path: String) {
    var kept = Set(waitingNames.indices.filter { waitingNames[$0].folders.contains(path) })
    // What went before under the same names goes with it, or it would arrive later than what followed.
    var grows = true
    while grows {
      let touched = Set(kept.flatMap { waitingNames[$0].paths })
      let last = kept.max() ?? 0
      let more = waitingNames.indices.filter { $0 < last && !kept.contains($0) && !touched.isDisjoint(with: waitingNames[$0].paths) }
      kept.formUnion(more)
      grows = !more.isEmpty
    }
    for index in kept.sorted() { waitingNames[index].apply(to: &names) }
    waitingNames = waitingNames.indices.filter { !kept.contains($0) }.map { waitingNames[$0] }
  }

  private static func apply(_ change: ContentChange, to content: inout [UInt8]) {
    switch change {
    case .write(let offset, let bytes):
      let end = offset + bytes.count
      if content.count < end { content.append(contentsOf: repeatElement(0, count: end - content.count)) }
      content.replaceSubrange(offset..<end, with: bytes)
    case .cut(let length):
      if content.count > length { content.removeLast(content.count - length) }
      if content.count < length { content.append(contentsOf: repeatElement(0, count: length - content.count)) }
    }
  }

  /// The files after the power went, by their paths; folders have no content.
  func files(after loss: Loss, _ random: inout Chance) -> [String: [UInt8]?] {
    let last = loss == .later ? random.below(time + 1) : Int.max
    let chance = [10, 50, 90][random.below(3)]
    func arrives(_ moment: Int) -> Bool {
      switch loss {
      case .all: false
      case .nothing: true
      case .later: moment <= last
      case .pieces, .names: random.percent(chance)
      }
    }
    var names = names
    for change in waitingNames where arrives(change.time) { change.apply(to: &names) }
    var contents: [ObjectIdentifier: [UInt8]] = [:]
    var files: [String: [UInt8]?] = [:]
    for (path, node) in names.sorted(by: { $0.key < $1.key }) where path != "" {
      // In a folder that was lost nothing is left.
      var parent = Self.folder(of: path)
      while parent != "", names[parent] != nil { parent = Self.folder(of: parent) }
      guard parent == "" else { continue }
      switch node {
      case .folder: files[path] = .some(nil)
      case .file(let inode):
        if let known = contents[ObjectIdentifier(inode)] {
          files[path] = known
          continue
        }
        var content = inode.content
        for (change, moment) in inode.waiting {
          if loss == .names {
            Self.apply(change, to: &content)
          } else if case .write(let offset, let bytes) = change, loss == .pieces {
            for start in stride(from: 0, to: bytes.count, by: 512) where arrives(moment) {
              let first = bytes.startIndex + start
              Self.apply(.write(offset + start, bytes[first..<min(first + 512, bytes.endIndex)]), to: &content)
            }
          } else if arrives(moment) {
            Self.apply(change, to: &content)
          }
        }
        contents[ObjectIdentifier(inode)] = content
        files[path] = content
      }
    }
    return files
  }
}
