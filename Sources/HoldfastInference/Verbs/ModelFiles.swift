public import Foundation
public import Holdfast

/// What a look for the files of models found.
public struct ModelFileCheck: Sendable, Equatable {
  /// How many models say where their file is.
  public var checked = 0
  /// The ids of the models whose file was there before and is gone, in the order of their names.
  public var missing: [String] = []
  /// The ids of the models whose file was gone and is back, in the order of their names.
  public var found: [String] = []

  /// Nothing was looked at.
  public init() {}
}

extension InferenceStore {
  /// Looks for the file of each model that says where it is. A model whose file is gone is marked with `missingSince` and stays; one
  /// whose file is back is unmarked. A model in parts has its file when all parts are there, and one that is a folder when there is more
  /// in it than descriptions, and all parts of what was split.
  ///
  /// A path from the root is good as long as the folder of the app keeps its place, which on iOS it does not: there an app stores paths
  /// from a folder of its own, and names that folder here.
  ///
  /// All files are looked for in the one write transaction, a look for each part: where the disk is slow, or far away, others that write
  /// wait so long, and another process is told `.busy` when that is longer than its `busyTimeout`.
  /// - Parameter folder: what paths begin at that do not begin at the root; nil: the current folder.
  @discardableResult
  public func checkModelFiles(relativeTo folder: URL? = nil) throws -> ModelFileCheck {
    try store.write { try Self.checkModelFiles(relativeTo: folder, in: $0) }
  }
  @discardableResult
  public func checkModelFiles(relativeTo folder: URL? = nil) async throws -> ModelFileCheck {
    try await store.write { try Self.checkModelFiles(relativeTo: folder, in: $0) }
  }

  public static func checkModelFiles(relativeTo folder: URL? = nil, in tx: Writer) throws -> ModelFileCheck {
    var check = ModelFileCheck()
    try tx.rows(
      "SELECT id, local_path, missing_since IS NULL FROM model_metadata WHERE local_path IS NOT NULL ORDER BY name_key, id",
      of: ModelMetadata.table
    ) { row in
      let (id, path, wasThere) = (try row.text(), try row.text(), try row.bool())
      check.checked += 1
      let isThere = ModelFiles(path, in: folder).areThere
      if wasThere, !isThere { check.missing.append(id) }
      if !wasThere, isThere { check.found.append(id) }
    }
    for id in check.missing { try tx.execute("UPDATE model_metadata SET missing_since = \(tx.currentDate()) WHERE id = \(id)") }
    for id in check.found { try tx.execute("UPDATE model_metadata SET missing_since = NULL WHERE id = \(id)") }
    return check
  }
}

/// The files of one model: one, or the parts of one that was split.
struct ModelFiles {
  /// Of the first.
  let path: String
  /// Which part `path` is, from 1; nil: it is all.
  let part: Int?
  /// How many parts there are. A name that counts more than 1,000 is taken for one of a whole model.
  let count: Int
  /// What is before the number of the part.
  private let stem: String
  private let ending: String
  /// How many digits the number of a part has, and how many parts there are as the name says it.
  private let digits: Int
  private let last: String

  init(_ written: String, in folder: URL? = nil) {
    var path = written
    if written.hasPrefix("file://"), let url = URL(string: written) {
      path = url.path
    } else if !written.hasPrefix("/"), let folder {
      path = folder.appendingPathComponent(written).path
    }
    self.path = path
    let name = (path as NSString).deletingPathExtension
    ending = String(path.dropFirst(name.count))
    let pieces = name.split(separator: "-", omittingEmptySubsequences: false)
    let numbers = pieces.count > 3 && pieces[pieces.count - 2] == "of" ? [pieces[pieces.count - 3], pieces[pieces.count - 1]] : []
    let parsed = numbers.filter { (5...6).contains($0.count) && $0.utf8.allSatisfy { (0x30...0x39).contains($0) } }.compactMap { Int($0) }
    if parsed.count == 2, (1...1_000).contains(parsed[1]), (1...parsed[1]).contains(parsed[0]) {
      (part, count) = (parsed[0], parsed[1])
      stem = pieces.dropLast(3).joined(separator: "-")
      (digits, last) = (numbers[0].count, String(numbers[1]))
    } else {
      (part, count, stem, digits, last) = (nil, 1, name, 0, "")
    }
  }

  /// The name without the folder, the number of the part and the extension.
  var name: String { (stem as NSString).lastPathComponent }

  /// The path of a part, as a rule from 1.
  func path(ofPart number: Int) -> String {
    guard part != nil else { return path }
    let text = String(number)
    return "\(stem)-\(String(repeating: "0", count: max(0, digits - text.count)))\(text)-of-\(last)\(ending)"
  }

  /// The parts that are not there.
  var missing: [Int] { (1...count).filter { !Self.isThere(path(ofPart: $0)) } }

  private static func isThere(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
    return !isFolder.boolValue || ModelFolder(path).isWhole
  }

  var areThere: Bool { missing.isEmpty }

  /// Of all parts that are there.
  var sizeBytes: Int64 {
    (1...count).reduce(0) { $0 &+ Self.sizeBytes(of: path(ofPart: $1)) }
  }

  static func sizeBytes(of path: String) -> Int64 {
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return ((try? FileManager.default.attributesOfItem(atPath: real))?[.size] as? NSNumber)?.int64Value ?? 0
  }
}
