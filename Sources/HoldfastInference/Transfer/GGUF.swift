import Foundation
import Holdfast
import HoldfastTransfer

/// GGUF, the format of llama.cpp: the header describes the model; the weights after it are never read.
enum GGUF {
  /// Whether a file begins with GGUF's magic word, whatever its name.
  static func recognises(_ url: URL) -> Bool {
    (try? ImportSource(url, leadingBytes: 0).peek(4)).map(Array.init) == GGUFHeader.magic
  }

  /// The header of the file as a source: the weights are neither hashed nor copied.
  ///
  /// - Throws: as the header's `init`; what reading a file can throw.
  static func source(_ url: URL) throws -> ImportSource {
    // Throws for a path that is not a file, before anything is read.
    let beginning = try ImportSource(url, leadingBytes: 0)
    do {
      var place: Int64 = 0
      var reader = GGUFReader(path: url.path, size: ModelFiles.sizeBytes(of: url.path)) {
        let piece = try beginning.peek(1 << 20, at: place)
        place += Int64(piece.count)
        return piece.isEmpty ? nil : piece
      }
      return try ImportSource(beginning.url, leadingBytes: try GGUFHeader(&reader).bytes)
    } catch let error as StoreError {
      throw error
    } catch {
      throw StoreError(.inputOutput, "\(url.path) cannot be read", cause: error)
    }
  }

  /// - Throws: as the header's `init`; `.invalidSource` for another part than the first.
  static func format(_ source: ImportSource) throws -> ModelImport {
    let files = ModelFiles(source.url.standardizedFileURL.path)
    let first = try header(of: source)
    let number = first.members.first { $0.key == "split.no" }?.value
    var part = files.part ?? 1
    if case .integer(let index)? = number { part = Int(clamping: index).adding(1) }
    guard part == 1 else {
      // If the file's name gives another part number than the header, or none, the first part's path is unknown.
      let other = files.path(ofPart: 1)
      throw StoreError(
        .invalidSource, "\(source.url.path) is part \(part) of a model, and only the first says what it is",
        suggestion: other == files.path ? nil : "Import \(other).")
    }
    return try ModelImport("gguf", version: first.version, source) { try model(header(of: $0), files) }
  }

  /// The header, with a check that it is the part that was hashed.
  private static func header(of source: ImportSource) throws -> GGUFHeader {
    let pieces = try SourcePieces(source)
    // The header's counts are checked against the size of the whole file.
    var reader = GGUFReader(path: source.url.path, size: ModelFiles.sizeBytes(of: source.url.path)) { try pieces.next() }
    let header = try GGUFHeader(&reader)
    while try pieces.next() != nil {}
    return header
  }

  private static func model(_ header: GGUFHeader, _ files: ModelFiles) -> ModelSource {
    var source = ModelSource(files.name)
    let said = Dictionary(header.members.map { ($0.key, $0.value) }) { first, _ in first }
    source.take(.format, .string(ModelFormat.gguf.rawValue))
    source.take(.framework, .string(ModelFramework.llamaCpp.rawValue))
    source.take(.text("file", \.localPath), .string(files.path))
    source.take(.sizeBytes, .integer(files.sizeBytes))
    var columns = Self.columns
    if case .string(let architecture)? = said["general.architecture"] {
      columns["\(architecture).context_length"] = .contextLength("\(architecture).context_length")
    } else if !header.damaged.contains(where: { $0.key == "general.architecture" }) {
      source.problem = "general.architecture is missing"
    }
    for (key, value) in header.members {
      if key == "general.file_type", Self.quantization(value) == nil {
        source.keep(key, value)
      } else if let column = columns[key] {
        source.take(column, value)
      } else {
        source.keep(key, value)
      }
    }
    for field in header.damaged { source.damage(field.key, field.reason, field.original) }
    takeName(of: files, &source)
    tellParts(files, said["split.count"], &source)
    return source
  }

  private static let columns: [String: ModelColumn] = [
    "general.name": .name("general.name"), "general.version": .text("general.version", \.version),
    "general.author": .text("general.author", \.author), "general.license": .text("general.license", \.license),
    "general.description": .text("general.description", \.description), "general.tags": .tags("general.tags"),
    "general.file_type": ModelColumn(name: "general.file_type", what: "a known type") { model in
      model.quantization.flatMap { fileTypes[$0.rawValue] }.map(JSONValue.integer) ?? .null
    } set: { value, model in
      guard let quantization = quantization(value) else { return false }
      model.quantization = quantization
      return true
    },
  ]

  /// Takes values from the file's name that the header lacks.
  private static func takeName(of files: ModelFiles, _ source: inout ModelSource) {
    let name = ModelName(files.name)
    if !source.has("general.name") { source.take(.name("name of the file"), .string(name.name)) }
    if !source.has("general.version") { source.take(.text("version in the file's name", \.version), .text(name.version)) }
    if !source.has("general.file_type"), let encoding = name.encoding {
      let known = fileTypes.keys.first { $0.uppercased() == encoding.uppercased() } ?? encoding.lowercased()
      source.take(.quantization("encoding in the file's name"), .string(known))
    }
  }

  private static func tellParts(_ files: ModelFiles, _ said: JSONValue?, _ source: inout ModelSource) {
    if case .integer(let count)? = said, count != Int64(files.count), count > 1 {
      source.damage("split.count", "the model has \(count) parts, and the name of this file does not say where the others are")
      source.isIncomplete = true
    }
    source.tellMissing(files.missing.map(String.init), "of \(files.count) parts these are not there")
  }

  // MARK: Quantization

  private static func quantization(_ value: JSONValue) -> Quantization? {
    guard case .integer(let number) = value else { return nil }
    return fileTypes.first { $0.value == number }.map { Quantization(rawValue: $0.key) }
  }

  /// llama.cpp's `general.file_type` by the SDK's word, or by llama.cpp's own if the SDK has none.
  private static let fileTypes: [String: Int64] = [
    "f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9, "q2_K": 10, "q3_K_S": 11, "q3_K_M": 12, "q3_K_L": 13,
    "q4_K_S": 14, "q4_K_M": 15, "q5_K_S": 16, "q5_K_M": 17, "q6_K": 18,
  ]
}
