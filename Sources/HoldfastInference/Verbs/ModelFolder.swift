import Foundation
import Holdfast

/// A folder that is a model, as from Hugging Face, MLX and Core ML.
struct ModelFolder {
  private let path: String
  /// The names in the folder, without hidden ones; nil when the folder cannot be read.
  private let names: [String]?
  /// Extensions of descriptions and of partial downloads, which an interrupted download leaves.
  private static let descriptions: Set = [
    "json", "jsonl", "txt", "md", "jinja", "py", "yaml", "yml", "bpe", "png", "jpg", "jpeg", "svg", "pdf", "lock", "incomplete", "part",
    "partial", "download", "crdownload", "tmp",
  ]
  private static let tokenizers = ["tokenizer", "spiece", "sentencepiece"]
  /// No model has this many files.
  private static let mostNames = 10_000

  init(_ path: String) {
    self.path = path
    names = (try? FileManager.default.contentsOfDirectory(atPath: path))?.filter { !$0.hasPrefix(".") }
  }

  /// The files in the folder, without hidden ones and broken links.
  var present: [String] { (names ?? []).filter(isThere) }

  /// Whether the folder has more than descriptions, and every part of split files. A folder that cannot be read does not count
  /// as missing.
  var isWhole: Bool {
    guard let names else { return true }
    return names.contains { isModel($0) && isThere($0) } && missingParts.isEmpty
  }

  private func isModel(_ name: String) -> Bool {
    !Self.descriptions.contains((name as NSString).pathExtension.lowercased())
      && !["LICENSE", "LICENCE", "NOTICE", "README"].contains(name)
      && !Self.tokenizers.contains(where: name.hasPrefix)
  }

  /// False for a broken link.
  private func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: (path as NSString).appendingPathComponent(name))
  }

  /// The names of missing parts. If parts are counted from 0, their number is unknown, so none is reported.
  var missingParts: [String] {
    guard let names, names.count <= Self.mostNames else { return [] }
    let known = Set(names.map(ExactText.init))
    var looked: Set<ExactText> = []
    var missing: [String] = []
    for name in names.sorted() {
      let files = ModelFiles(name)
      guard files.part != nil, looked.insert(ExactText(files.path(ofPart: 1))).inserted, !known.contains(ExactText(files.path(ofPart: 0)))
      else { continue }
      missing += (1...files.count).map(files.path(ofPart:)).filter { !known.contains(ExactText($0)) || !isThere($0) }
    }
    return missing
  }
}
