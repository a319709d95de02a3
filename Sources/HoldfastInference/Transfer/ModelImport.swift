import Foundation
import Holdfast
import HoldfastTransfer

/// Imports the file that describes a model: one record.
struct ModelImport: ImportFormat {
  let name: String
  let version: Int
  let kinds = [(name: "models", table: ModelMetadata.table)]
  let total: Int
  /// The same model in another place counts as another edition.
  let origin: String?
  /// A file more in a model's folder would be loaded or uploaded with the model.
  let copiesBesideStore = true
  private let source: ImportSource
  private let read: @Sendable (ImportSource) throws -> ModelSource

  /// - Parameter read: reads the whole source and checks its hash; called for each scan.
  init(_ name: String, version: Int = 1, _ source: ImportSource, _ read: @escaping @Sendable (ImportSource) throws -> ModelSource) throws {
    self.name = name
    self.version = version
    self.source = source
    self.read = read
    total = Int(clamping: source.bytes)
    origin = "model \(try read(source).content.stem)"
  }

  func scan(_ reader: Reader, _ visit: (Scanned<ModelSource.Content>, Int) throws -> Void) throws {
    var model = try read(source)
    let path = SourcePath.text(source.url.lastPathComponent)
    guard try model.members.finish(kind: "models", path: path, original: model.original, at: total, visit) else { return }
    let content = model.content
    try visit(
      .record(
        SourceRecord(
          kind: "models", key: try id(of: content, reader), path: path, fields: content.said.fields, modifiedAt: 0, content: content,
          original: model.original)), total)
  }

  /// Files with one name in different folders are different models, each with its own id.
  private func id(of source: ModelSource.Content, _ reader: Reader) throws -> String {
    var id = source.stem
    var number = 1
    while let stored = try InferenceStore.model(id, in: reader), !Self.isSame(stored, source.said.row) {
      number += 1
      id = "\(source.stem)-\(number)"
    }
    return id
  }

  /// Whether a stored model can be the source's: it has no file, the same file, or a file of the same size that is no longer there.
  private static func isSame(_ stored: ModelMetadata, _ model: ModelMetadata) -> Bool {
    guard let path = stored.localPath, path != model.localPath else { return true }
    return !ModelFiles(path).areThere && stored.name == model.name && stored.sizeBytes == model.sizeBytes
  }

  func write(_ record: SourceRecord<ModelSource.Content>, in tx: Writer) throws {
    let now = tx.currentDate()
    let source = record.content
    var model = source.said.row
    model.id = record.key
    if let stored = try InferenceStore.model(record.key, in: tx) {
      model = source.fields.merged(source.said, into: stored)
    } else {
      model.createdAt = now
    }
    model.updatedAt = now
    if model.localPath != nil { model.missingSince = source.isIncomplete ? model.missingSince ?? now : nil }
    try InferenceStore.save(model, in: tx)
  }

  /// A model that was registered without a file, and not by an import, takes the file's values.
  func readBack(_ record: SourceRecord<ModelSource.Content>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try InferenceStore.model(record.key, in: reader) else { return nil }
    let isBare = try stored.localPath == nil && !reader.wasImported(kind: record.kind, key: record.key)
    let fields = record.content.fields.shape(of: stored, as: record.content.said)
    return StoredShape(fields: fields, modifiedAt: isBare ? .min : nil)
  }
}
