import Foundation
import Holdfast

/// A folder that is a model, as those of Hugging Face, MLX and Core ML are.
struct ModelFolder {
  private let path: String
  /// What is in it, but for what is hidden; nil when nobody can look.
  private let names: [String]?
  /// What describes a model, and is left of one whose download was cut, with what such a download leaves of a file.
  private static let descriptions: Set = [
    "json", "jsonl", "txt", "md", "jinja", "py", "yaml", "yml", "bpe", "png", "jpg", "jpeg", "svg", "pdf", "lock", "incomplete", "part",
    "partial", "download", "crdownload", "tmp",
  ]
  private static let tokenizers = ["tokenizer", "spiece", "sentencepiece"]
  /// No model has so many files.
  private static let mostNames = 10_000

  init(_ path: String) {
    self.path = path
    names = (try? FileManager.default.contentsOfDirectory(atPath: path))?.filter { !$0.hasPrefix(".") }
  }

  /// What is in it, but for what is hidden and links whose file is gone.
  var present: [String] { (names ?? []).filter(isThere) }

  /// Whether there is more than descriptions, and every part of what was split. A folder that nobody can look into is not missed.
  var isWhole: Bool {
    guard let names else { return true }
    return names.contains { isModel($0) && isThere($0) } && missingParts.isEmpty
  }

  private func isModel(_ name: String) -> Bool {
    !Self.descriptions.contains((name as NSString).pathExtension.lowercased())
      && !["LICENSE", "LICENCE", "NOTICE", "README"].contains(name)
      && !Self.tokenizers.contains(where: name.hasPrefix)
  }

  /// A link whose file is gone is none.
  private func isThere(_ name: String) -> Bool {
    FileManager.default.fileExists(atPath: (path as NSString).appendingPathComponent(name))
  }

  /// The names of the parts that are not beside the others. Of parts that are counted from 0 nobody knows how many there are.
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
