import Foundation
import Holdfast

/// The folder of a model: what is imported of it is the file that describes the model.
enum ModelFolder {
  /// The file in a folder that describes its model: its `config.json`, or else the only model in GGUF, of which further parts do not
  /// count. What is no folder, or has neither, stays as it is.
  ///
  /// - Parameter format: that was asked for; `gguf` is never a `config.json`.
  /// - Throws: `ambiguous` for a folder with several models.
  static func file(of source: FilePath, format: String?) throws -> FilePath {
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: source.path, isDirectory: &isFolder), isFolder.boolValue,
      let names = try? FileManager.default.contentsOfDirectory(atPath: source.path)
    else { return source }
    func inside(_ name: String) -> FilePath { FilePath(argument: source.url.appendingPathComponent(name).path) ?? source }
    if format != "gguf", names.contains("config.json") { return inside("config.json") }
    let models = names.filter { $0.lowercased().hasSuffix(".gguf") && !isFurtherPart($0) }.sorted()
    guard let model = models.first else { return source }
    guard models.count == 1 else {
      throw Failure(
        code: "ambiguous", "\(source.path) has \(models.count) models: \(models.prefix(5).joined(separator: ", "))",
        suggestion: "one of these files", status: .usage)
    }
    return inside(model)
  }

  /// `model-00002-of-00003.gguf`.
  private static func isFurtherPart(_ name: String) -> Bool {
    guard let part = name.lowercased().firstMatch(of: #/-(\d{5})-of-\d{5}\.gguf$/#) else { return false }
    return part.1 != "00001"
  }
}
