import Holdfast

/// A column of a model and its form in a source: the stored value is written in this form, to be compared with the source.
struct ModelColumn: Sendable {
  /// The name in the source.
  let name: String
  /// A description for people.
  let what: String
  let get: @Sendable (ModelMetadata) -> JSONValue
  /// Sets the value. Returns false, and sets nothing, if the column cannot hold it.
  let set: @Sendable (JSONValue, inout ModelMetadata) -> Bool

  static func text(_ name: String, _ path: any WritableKeyPath<ModelMetadata, String?> & Sendable) -> ModelColumn {
    ModelColumn(name: name, what: "a text") {
      .text($0[keyPath: path])
    } set: { value, model in
      guard case .string(let text) = value else { return false }
      model[keyPath: path] = text
      return true
    }
  }

  static func name(_ name: String) -> ModelColumn {
    ModelColumn(name: name, what: "a text") {
      .string($0.name)
    } set: { value, model in
      guard case .string(let text) = value else { return false }
      model.name = text
      return true
    }
  }

  static func contextLength(_ name: String) -> ModelColumn {
    ModelColumn(name: name, what: "a whole number of tokens") {
      .number($0.contextLength.map(Int64.init))
    } set: { value, model in
      guard case .integer(let number) = value, number >= 0, let length = Int(exactly: number) else { return false }
      model.contextLength = length
      return true
    }
  }

  static func tags(_ name: String) -> ModelColumn {
    ModelColumn(name: name, what: "a list of texts") {
      .array($0.tags.map(JSONValue.string))
    } set: { value, model in
      guard case .array(let elements) = value else { return false }
      let texts = elements.compactMap { if case .string(let text) = $0 { text } else { nil } }
      guard texts.count == elements.count else { return false }
      model.tags = texts
      return true
    }
  }

  /// In the SDK's spelling.
  static func quantization(_ name: String) -> ModelColumn {
    ModelColumn(name: name, what: "a quantization") {
      .text($0.quantization?.rawValue)
    } set: { value, model in
      guard case .string(let text) = value else { return false }
      model.quantization = Quantization(rawValue: text)
      return true
    }
  }

  static let format = ModelColumn(name: "format", what: "a format") {
    .string($0.format.rawValue)
  } set: { value, model in
    guard case .string(let text) = value else { return false }
    model.format = ModelFormat(rawValue: text)
    return true
  }

  static let framework = ModelColumn(name: "framework", what: "a framework") {
    .string($0.framework.rawValue)
  } set: { value, model in
    guard case .string(let text) = value else { return false }
    model.framework = ModelFramework(rawValue: text)
    return true
  }

  static let sizeBytes = ModelColumn(name: "file size", what: "a number of bytes") {
    .number($0.sizeBytes)
  } set: { value, model in
    guard case .integer(let bytes) = value else { return false }
    model.sizeBytes = bytes
    return true
  }
}
