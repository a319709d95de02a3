public import Foundation
public import Holdfast

/// The result of a check for the models' files.
public struct ModelFileCheck: Sendable, Equatable {
  /// How many models have a path.
  public var checked = 0
  /// The ids of the models whose file was there before and is missing now, in the order of their names.
  public var missing: [String] = []
  /// The ids of the models whose file was missing and is there again, in the order of their names.
  public var found: [String] = []

  /// No model was checked.
  public init() {}
}

extension InferenceStore {
  /// Looks for the file of each model with a path. A model whose file is missing is marked with `missingSince` and stays; the
  /// mark is removed when the file is there again. A model in parts has its file if all parts are there. A folder needs more
  /// than descriptions, and all parts of split files.
  ///
  /// On iOS the app's folder changes its absolute path, so an app there stores relative paths, and passes the folder here.
  ///
  /// All files are checked inside one write transaction, each part separately. On a slow or remote disk other writers wait that
  /// long, and another process gets `.busy` after its `busyTimeout`.
  /// - Parameter folder: the folder of relative paths; nil for the current folder.
  @discardableResult
  public func checkModelFiles(relativeTo folder: URL? = nil) async throws -> ModelFileCheck {
    try await store.write { try Self.checkModelFiles(relativeTo: folder, in: $0) }
  }

  /// Looks for the file of each model inside your transaction; as `checkModelFiles(relativeTo:)`.
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

/// The files of one model: a single file, or the parts of a split one.
struct ModelFiles {
  /// The path of the first part.
  let path: String
  /// Which part `path` is, from 1; nil for a single file.
  let part: Int?
  /// How many parts there are. A name with a count above 1,000 is taken for a single file.
  let count: Int
  /// The path before the part's number.
  private let stem: String
  private let ending: String
  /// The number of digits of a part's number, and the count as the name spells it.
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

  /// The path of a part, usually counted from 1.
  func path(ofPart number: Int) -> String {
    guard part != nil else { return path }
    let text = String(number)
    return "\(stem)-\(String(repeating: "0", count: max(0, digits - text.count)))\(text)-of-\(last)\(ending)"
  }

  var paths: [String] { (1...count).map(path(ofPart:)) }

  /// The numbers of missing parts.
  var missing: [Int] { (1...count).filter { !Self.isThere(path(ofPart: $0)) } }

  private static func isThere(_ path: String) -> Bool {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else { return false }
    return !isFolder.boolValue || ModelFolder(path).isWhole
  }

  var areThere: Bool { missing.isEmpty }

  /// The size of all existing parts together.
  var sizeBytes: Int64 { paths.reduce(0) { $0 &+ Self.sizeBytes(of: $1) } }

  static func sizeBytes(of path: String) -> Int64 {
    let real = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    return ((try? FileManager.default.attributesOfItem(atPath: real))?[.size] as? NSNumber)?.int64Value ?? 0
  }
}
