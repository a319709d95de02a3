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
        .invalidSource, "\(source.url.path) is part \(part) of a model, and only the first part describes the model",
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
    let said = Dictionary(header.members.map { ($0.key, $0.value) }) { first, _ in first }
    var columns = Self.columns
    // A type that is not known stays as it is, in the capabilities.
    if said["general.file_type"].flatMap(fileType.read) == nil { columns["general.file_type"] = nil }
    let architecture = said.string("general.architecture")
    if let architecture {
      let length = "\(architecture).context_length"
      columns[length] = .contextLength(length)
    }
    var values = found(files, said)
    for (key, value) in header.members { values.append((columns[key] ?? .capability(key), value)) }
    var source = ModelSource(files.name, values)
    if architecture == nil, !header.damaged.contains(where: { $0.key == "general.architecture" }) {
      source.members.fail("general.architecture is missing")
    }
    for field in header.damaged { source.members.tell(field.key, field.reason, .bytes(field.original)) }
    if case .integer(let count)? = said["split.count"], count != Int64(files.count), count > 1 {
      source.tellIncomplete("split.count", "the model has \(count) parts, and the name of this file does not say where the others are")
    }
    source.tellMissing(files.missing.map(String.init), "of \(files.count) parts, these are missing")
    return source
  }

  private static let columns: [String: RecordField<ModelMetadata>] = {
    let fields: FieldTable<ModelMetadata> = [
      .kept("general.name", \.name, .text), .optional("general.version", \.version, .text, .keeps),
      .optional("general.author", \.author, .text, .keeps), .optional("general.license", \.license, .text, .keeps),
      .optional("general.description", \.description, .text, .keeps), .kept("general.tags", \.tags, .texts),
      .optional("general.file_type", \.quantization, fileType, .keeps),
    ]
    return fields.fields.reduce(into: [:]) { $0[$1.name] = $1 }
  }()

  /// The values of the file itself, and from its name those that the header lacks.
  private static func found(_ files: ModelFiles, _ said: [String: JSONValue]) -> [ModelSource.Value] {
    let name = ModelName(files.name)
    var found: [ModelSource.Value] = [
      (.kept("format of the file", \.format, .word), .string(ModelFormat.gguf.rawValue)),
      (.kept("framework of the file", \.framework, .word), .string(ModelFramework.llamaCpp.rawValue)),
      (.path("path of the file"), .string(files.path)), (.sizeBytes, .integer(files.sizeBytes)),
    ]
    if said.string("general.name") == nil { found.append((.kept("name of the file", \.name, .text), .string(name.name))) }
    if said.string("general.version") == nil {
      found.append((.optional("version in the file's name", \.version, .text, .keeps), .text(name.version)))
    }
    if said["general.file_type"].flatMap(fileType.read) == nil, let encoding = name.encoding {
      let known = fileTypes.keys.first { $0.uppercased() == encoding.uppercased() } ?? encoding.lowercased()
      found.append((.optional("encoding in the file's name", \.quantization, .word, .keeps), .string(known)))
    }
    return found
  }

  // MARK: Quantization

  private static let fileType = ValueForm<Quantization>("a known type") { quantization in
    .number(fileTypes[quantization.rawValue])
  } read: { json in
    fileTypes.first { json == .integer($0.value) }.map { Written(value: Quantization(rawValue: $0.key), text: json) }
  }

  /// llama.cpp's `general.file_type` by the SDK's word, or by llama.cpp's own if the SDK has none.
  private static let fileTypes: [String: Int64] = [
    "f32": 0, "f16": 1, "q4_0": 2, "q4_1": 3, "q8_0": 7, "q5_0": 8, "q5_1": 9, "q2_K": 10, "q3_K_S": 11, "q3_K_M": 12, "q3_K_L": 13,
    "q4_K_S": 14, "q4_K_M": 15, "q5_K_S": 16, "q5_K_M": 17, "q6_K": 18,
  ]
}
