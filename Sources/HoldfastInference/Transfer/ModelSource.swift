import Foundation
import Holdfast
import HoldfastTransfer

/// One model as its file describes it.
struct ModelSource: Sendable {
  struct DamagedField: Sendable {
    var name: String
    var reason: String
    var original: [UInt8]
  }

  /// The model's id in the registry, if no other model has it.
  let stem: String
  /// Why the model cannot be registered; nil when it can.
  var problem: String?
  /// The model with the source's values; values without a column are in its capabilities.
  private(set) var model: ModelMetadata
  /// The values that verification compares; a nil column means that the value is in the capabilities.
  private var said: [(field: SourceField, column: ModelColumn?)] = []
  private(set) var damaged: [DamagedField] = []
  /// Whether some of its files are missing.
  var isIncomplete = false

  init(_ stem: String) {
    self.stem = stem
    model = ModelMetadata(id: stem, name: stem, framework: .unknown, createdAt: Date(timeIntervalSince1970: 0))
  }

  /// Takes a value with a column. If the column cannot hold it, this is reported, and the model is imported without it.
  mutating func take(_ column: ModelColumn, _ value: JSONValue) {
    guard value != .null else { return }
    guard column.set(value, &model) else {
      let text = value.canonicalText()
      return damage(column.name, "\(column.name) should be \(column.what), found \(text.prefix(60))", Array(text.utf8))
    }
    said.append((SourceField(column.name, value), column))
  }

  /// Takes a value without a column.
  mutating func keep(_ name: String, _ value: JSONValue) {
    model.capabilities[name] = value
    said.append((SourceField(name, value), nil))
  }

  var fields: [SourceField] { said.map(\.field) }

  /// Whether a value for this column was taken.
  func has(_ column: String) -> Bool { said.contains { $0.column?.name == column } }

  mutating func damage(_ name: String, _ reason: String, _ original: [UInt8] = []) {
    damaged.append(DamagedField(name: name, reason: reason, original: original))
  }

  /// Reports parts that are not beside the others: the model is imported, and marked as missing.
  mutating func tellMissing(_ parts: [String], _ what: String) {
    guard !parts.isEmpty else { return }
    let shown = parts.prefix(10).joined(separator: ", ") + (parts.count > 10 ? ", …" : "")
    damage("parts", "\(what): \(shown)")
    isIncomplete = true
  }

  /// The same fields of a stored model. Values that the source lacks are not compared.
  func fields(of stored: ModelMetadata) -> [SourceField] {
    said.map { field, column in
      SourceField(field.name, column.map { $0.get(stored) } ?? stored.capabilities[field.name] ?? .null)
    }
  }

  /// A stored model with the source's values.
  func merged(into stored: ModelMetadata) -> ModelMetadata {
    var merged = stored
    for case (_, let column?) in said { _ = column.set(column.get(model), &merged) }
    merged.capabilities.merge(model.capabilities) { _, new in new }
    return merged
  }
}

/// Imports the file that describes a model: one record.
struct ModelImport: ImportFormat {
  let name: String
  let version: Int
  let kinds = [(name: "models", table: ModelMetadata.table)]
  let total: Int
  /// The same model in another place counts as another edition.
  let origin: String?
  private let source: ImportSource
  private let read: @Sendable (ImportSource) throws -> ModelSource

  /// - Parameter read: reads the whole source and checks its hash; called for each scan.
  init(_ name: String, version: Int = 1, _ source: ImportSource, _ read: @escaping @Sendable (ImportSource) throws -> ModelSource) throws {
    self.name = name
    self.version = version
    self.source = source
    self.read = read
    total = Int(clamping: source.bytes)
    origin = "model \(try read(source).stem)"
  }

  func scan(_ reader: Reader, _ visit: (Scanned<ModelSource>, Int) throws -> Void) throws {
    let model = try read(source)
    let path = SourcePath.text(source.url.lastPathComponent)
    if let problem = model.problem {
      return try visit(.damaged(kind: "models", path: path, reason: problem, original: original(model)), total)
    }
    for field in model.damaged {
      let original = SourceBytes.bytes(field.original)
      try visit(.damagedField(kind: "models", field: field.name, path: path, reason: field.reason, original: original), total)
    }
    let id = try id(of: model, reader)
    try visit(
      .record(
        SourceRecord(
          kind: "models", key: id, path: path, fields: model.fields, modifiedAt: 0, content: model, original: original(model))), total)
  }

  private func original(_ model: ModelSource) -> SourceBytes {
    .made {
      JSONValue.array(model.fields.map { .array([.string($0.name), $0.value]) }).canonicalText()
    }
  }

  /// Files with one name in different folders are different models, each with its own id.
  private func id(of source: ModelSource, _ reader: Reader) throws -> String {
    var id = source.stem
    var number = 1
    while let stored = try InferenceStore.model(id, in: reader), !Self.isSame(stored, source.model) {
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

  func write(_ record: SourceRecord<ModelSource>, in tx: Writer) throws {
    let now = tx.currentDate()
    var model = record.content.model
    model.id = record.key
    if let stored = try InferenceStore.model(record.key, in: tx) {
      model = record.content.merged(into: stored)
    } else {
      model.createdAt = now
    }
    model.updatedAt = now
    if model.localPath != nil { model.missingSince = record.content.isIncomplete ? model.missingSince ?? now : nil }
    try InferenceStore.save(model, in: tx)
  }

  /// A model that was registered without a file, and not by an import, takes the file's values.
  func readBack(_ record: SourceRecord<ModelSource>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try InferenceStore.model(record.key, in: reader) else { return nil }
    let isBare = try stored.localPath == nil && !reader.wasImported(kind: record.kind, key: record.key)
    return StoredShape(fields: record.content.fields(of: stored), modifiedAt: isBare ? .min : nil)
  }
}
