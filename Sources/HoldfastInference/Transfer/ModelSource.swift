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

  /// What the model is called in the registry, where no other model is.
  let stem: String
  /// Why it cannot be in the registry; nil when it can.
  var problem: String?
  /// With what the source says, and with what has no column among its capabilities.
  private(set) var model: ModelMetadata
  /// What verification compares; nil for a column: it is among the capabilities.
  private var said: [(field: SourceField, column: ModelColumn?)] = []
  private(set) var damaged: [DamagedField] = []
  /// Whether part of its files is not there.
  var isIncomplete = false

  init(_ stem: String) {
    self.stem = stem
    model = ModelMetadata(id: stem, name: stem, framework: .unknown, createdAt: Date(timeIntervalSince1970: 0))
  }

  /// A value that has a column. What the column cannot hold is told, and the model comes without it.
  mutating func take(_ column: ModelColumn, _ value: JSONValue) {
    guard value != .null else { return }
    guard column.set(value, &model) else {
      let text = value.canonicalText()
      return damage(column.name, "\(column.name) should be \(column.what), found \(text.prefix(60))", Array(text.utf8))
    }
    said.append((SourceField(column.name, value), column))
  }

  /// A value that has none.
  mutating func keep(_ name: String, _ value: JSONValue) {
    model.capabilities[name] = value
    said.append((SourceField(name, value), nil))
  }

  var fields: [SourceField] { said.map(\.field) }

  /// Whether a column of this name was taken.
  func has(_ column: String) -> Bool { said.contains { $0.column?.name == column } }

  mutating func damage(_ name: String, _ reason: String, _ original: [UInt8] = []) {
    damaged.append(DamagedField(name: name, reason: reason, original: original))
  }

  /// Parts that are not where the others are: the model comes in, and is missing.
  mutating func tellMissing(_ parts: [String], _ what: String) {
    guard !parts.isEmpty else { return }
    let shown = parts.prefix(10).joined(separator: ", ") + (parts.count > 10 ? ", …" : "")
    damage("parts", "\(what): \(shown)")
    isIncomplete = true
  }

  /// The same fields of a stored model. What the source does not say is not compared.
  func fields(of stored: ModelMetadata) -> [SourceField] {
    said.map { field, column in
      SourceField(field.name, column.map { $0.get(stored) } ?? stored.capabilities[field.name] ?? .null)
    }
  }

  /// A stored model with what the source says in the place of what it says otherwise.
  func merged(into stored: ModelMetadata) -> ModelMetadata {
    var merged = stored
    for case (_, let column?) in said { _ = column.set(column.get(model), &merged) }
    merged.capabilities.merge(model.capabilities) { _, new in new }
    return merged
  }
}

/// How the file that describes a model comes into the registry: one record.
struct ModelImport: ImportFormat {
  let name: String
  let version: Int
  let kinds = [(name: "models", table: ModelMetadata.table)]
  let total: Int
  /// The same model in another place is an edition of it.
  let origin: String?
  private let source: ImportSource
  private let read: @Sendable (ImportSource) throws -> ModelSource

  /// - Parameter read: reads the whole source, proven by its hash; runs for each scan.
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

  /// Files of one name in different folders are different models: each keeps its place in the registry.
  private func id(of source: ModelSource, _ reader: Reader) throws -> String {
    var id = source.stem
    var number = 1
    while let stored = try InferenceStore.model(id, in: reader), !Self.isSame(stored, source.model) {
      number += 1
      id = "\(source.stem)-\(number)"
    }
    return id
  }

  /// Whether a stored model can be the one of the source: it has no file, or this one, or one that is not there any more and was as large.
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

  /// A model that is registered without a file, and by no import, takes what its file says.
  func readBack(_ record: SourceRecord<ModelSource>, in reader: Reader) throws -> StoredShape? {
    guard let stored = try InferenceStore.model(record.key, in: reader) else { return nil }
    let isBare = try stored.localPath == nil && !reader.wasImported(kind: record.kind, key: record.key)
    return StoredShape(fields: record.content.fields(of: stored), modifiedAt: isBare ? .min : nil)
  }
}
