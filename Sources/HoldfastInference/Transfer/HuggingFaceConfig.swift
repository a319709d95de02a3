import Foundation
import Holdfast
import HoldfastTransfer

/// A model's `config.json`, as Hugging Face and MLX write it beside the weights. The folder gives the model's name.
enum HuggingFaceConfig {
  /// Real ones have some kilobytes.
  private static let longest: Int64 = 1 << 22

  /// Whether a file is a model's `config.json`, by its content.
  static func recognises(_ source: ImportSource) throws -> Bool {
    guard source.bytes <= longest else { return false }
    var scanner = JSONScanner(PythonJSON(try source.document()).document)
    var found = false
    try? scanner.object { key, _ in
      if key == "model_type" || key == "architectures" { found = true }
    }
    return found
  }

  /// - Throws: `.invalidSource`, with the offset, for invalid JSON or a repeated key, and for a file that is far too large.
  static func format(_ source: ImportSource) throws -> ModelImport {
    try checkSize(source.bytes, source.url)
    let document = try source.document()
    return try ModelImport("hf-config", source) {
      try model(document, $0.url.standardizedFileURL.deletingLastPathComponent())
    }
  }

  /// Called also before a file is hashed, which takes long for a large file.
  ///
  /// - Throws: `.invalidSource` for a file that is far too large.
  static func checkSize(_ bytes: Int64, _ url: URL) throws {
    guard bytes <= longest else {
      throw StoreError(
        .invalidSource, "\(url.path) is no config.json of a model: it has \(bytes) bytes",
        suggestion: "Use a GGUF file, or the config.json in the folder of a model.")
    }
  }

  private static func model(_ document: JSONDocument, _ folder: URL) throws -> ModelSource {
    let python = PythonJSON(document)
    var scanner = JSONScanner(python.document)
    var members: [String: JSONValue] = [:]
    do {
      let value = try scanner.value()
      try scanner.finish()
      guard case .object(let object) = value else {
        throw StoreError(.invalidSource, "a config.json of a model should be an object", offset: 0)
      }
      members = object
    } catch let error as JSONScanError {
      var invalid = StoreError.invalidJSON(error)
      invalid.offset = invalid.offset.map(python.original)
      throw invalid
    }
    let id = Self.id(of: folder)
    let files = ModelFolder(folder.path)
    let weights = weights(files.present, in: folder)
    let isMLX = (members["quantization"] ?? text(members)?.members["quantization"])?.members != nil
    let format: ModelFormat = isMLX ? .mlx : weights?.format ?? .unknown
    let framework: ModelFramework = isMLX ? .mlx : .unknown
    let context = context(of: members)
    var values: [ModelSource.Value] = [
      (.kept("name of the folder", \.name, .text), .string(id.split(separator: "/").last.map(String.init) ?? id)),
      (.kept("format of the weights", \.format, .word), .string(format.rawValue)),
      (.kept("framework of the weights", \.framework, .word), .string(framework.rawValue)),
      (.optional("quantization in short", \.quantization, .word, .keeps), .text(quantization(members, beside: folder))),
    ]
    if let weights {
      values.append((.path("path of the folder"), .string(folder.path)))
      values.append((.sizeBytes, .integer(weights.sizeBytes)))
    }
    if let context { values.append((.contextLength(context.name), context.value)) }
    for (key, value) in members.sorted(by: { $0.key < $1.key }) where key != context?.name { values.append((.capability(key), value)) }
    var source = ModelSource(id, values)
    if weights != nil { source.tellMissing(files.missingParts, "these parts of the model are missing") }
    return source
  }

  // MARK: Fields

  /// Models with several kinds of input have the text's values in an object of its own.
  private static func text(_ members: [String: JSONValue]) -> (prefix: String, members: [String: JSONValue])? {
    for name in ["text_config", "llm_config", "language_config"] {
      if let inner = members[name]?.members { return (name + ".", inner) }
    }
    return nil
  }

  /// The member with the length of the context; a member inside another object also stays there.
  private static func context(of members: [String: JSONValue]) -> (name: String, value: JSONValue)? {
    let names = ["max_position_embeddings", "n_positions", "max_sequence_length", "n_ctx", "seq_length"]
    var places = [(prefix: "", members: members)]
    if let inner = text(members) { places.append(inner) }
    for (prefix, members) in places {
      for name in names {
        if let value = members[name], value != .null { return (prefix + name, value) }
      }
    }
    return nil
  }

  /// In the SDK's words, if it has one: `int4` for four bits, `fp16` for sixteen bits without quantization.
  private static func quantization(_ members: [String: JSONValue], beside folder: URL) -> String? {
    let inner = text(members)?.members
    let configs = ["quantization", "quantization_config"].compactMap { members[$0]?.members ?? inner?[$0]?.members }
    for said in configs + [quantized(beside: folder)].compactMap({ $0 }) {
      // Written by modelopt: FP8, W4A16_AWQ.
      if let algorithm = said.string("quant_algo") { return algorithm.lowercased() }
      if case .integer(let bits)? = said["bits"] ?? said["num_bits"] { return "int\(bits)" }
      if said["load_in_4bit"] == .bool(true) || said["_load_in_4bit"] == .bool(true) { return "int4" }
      if said["load_in_8bit"] == .bool(true) || said["_load_in_8bit"] == .bool(true) { return "int8" }
      // The name of a program is no precision. The type of the training is none either: the program has changed it.
      if let method = said.string("quant_method") { return programs.contains(method) ? nil : method }
    }
    let type = members.string("torch_dtype") ?? members.string("dtype") ?? inner?.string("torch_dtype") ?? inner?.string("dtype")
    guard let type else { return nil }
    let name = type.hasPrefix("torch.") ? String(type.dropFirst(6)) : type
    return ["float32": "fp32", "float16": "fp16", "bfloat16": "bf16", "half": "fp16", "float": "fp32"][name] ?? name
  }

  private static let programs: Set = ["modelopt", "compressed-tensors", "bitsandbytes", "quanto", "torchao", "auto-round"]

  /// What `hf_quant_config.json` beside the description says; nil where there is none.
  private static func quantized(beside folder: URL) -> [String: JSONValue]? {
    let url = folder.appendingPathComponent("hf_quant_config.json")
    guard let source = try? ImportSource(url), source.bytes <= longest, let document = try? source.document() else { return nil }
    var scanner = JSONScanner(document)
    return (try? scanner.value())?.members?["quantization"]?.members
  }

  /// The folder's name. In Hugging Face's cache, `models--owner--name/snapshots/…`, the model's own name: `owner/name`.
  private static func id(of folder: URL) -> String {
    let above = folder.deletingLastPathComponent()
    let name = above.deletingLastPathComponent().lastPathComponent
    if above.lastPathComponent == "snapshots", name.hasPrefix("models--") {
      let id = String(name.dropFirst(8)).replacingOccurrences(of: "--", with: "/")
      if !id.isEmpty { return id }
    }
    let own = folder.lastPathComponent
    return own.isEmpty || own == "/" ? "config.json" : own
  }

  /// The files with weights beside the description; nil when there are none.
  private static func weights(_ names: [String], in folder: URL) -> (format: ModelFormat, sizeBytes: Int64)? {
    for format in [ModelFormat.safetensors, .onnx, .bin, .gguf] {
      let files = names.filter { ($0 as NSString).pathExtension.lowercased() == format.rawValue }
      guard !files.isEmpty else { continue }
      return (format, files.reduce(0) { $0 &+ ModelFiles.sizeBytes(of: folder.appendingPathComponent($1).path) })
    }
    return nil
  }
}

extension JSONValue {
  fileprivate var members: [String: JSONValue]? { if case .object(let members) = self { members } else { nil } }
}
