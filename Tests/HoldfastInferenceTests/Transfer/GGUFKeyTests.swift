import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Keys of GGUF") struct GGUFKeyTests {
  /// Written by hand, byte for byte, as the vocabularies of llama.cpp begin: no tensors, and the tokenizer behind what is general.
  private static let vocabulary = """
    47 47 55 46  03 00 00 00  00 00 00 00 00 00 00 00  09 00 00 00 00 00 00 00
    14 00 00 00 00 00 00 00  67 65 6e 65 72 61 6c 2e 61 72 63 68 69 74 65 63 74 75 72 65
      08 00 00 00  05 00 00 00 00 00 00 00  6c 6c 61 6d 61
    0c 00 00 00 00 00 00 00  67 65 6e 65 72 61 6c 2e 6e 61 6d 65
      08 00 00 00  09 00 00 00 00 00 00 00  6c 6c 61 6d 61 2d 73 70 6d
    14 00 00 00 00 00 00 00  6c 6c 61 6d 61 2e 63 6f 6e 74 65 78 74 5f 6c 65 6e 67 74 68
      04 00 00 00  00 08 00 00
    14 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 6d 6f 64 65 6c
      08 00 00 00  05 00 00 00 00 00 00 00  6c 6c 61 6d 61
    15 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 74 6f 6b 65 6e 73
      09 00 00 00  08 00 00 00  03 00 00 00 00 00 00 00
      05 00 00 00 00 00 00 00  3c 75 6e 6b 3e  03 00 00 00 00 00 00 00  3c 73 3e  04 00 00 00 00 00 00 00  3c 2f 73 3e
    15 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 73 63 6f 72 65 73
      09 00 00 00  06 00 00 00  03 00 00 00 00 00 00 00  00 00 00 00  00 00 00 3f  00 00 80 bf
    19 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 74 6f 6b 65 6e 5f 74 79 70 65
      09 00 00 00  05 00 00 00  03 00 00 00 00 00 00 00  02 00 00 00  03 00 00 00  03 00 00 00
    1b 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 62 6f 73 5f 74 6f 6b 65 6e 5f 69 64
      04 00 00 00  01 00 00 00
    1c 00 00 00 00 00 00 00  74 6f 6b 65 6e 69 7a 65 72 2e 67 67 6d 6c 2e 61 64 64 5f 62 6f 73 5f 74 6f 6b 65 6e
      07 00 00 00  01
    00 00 00
    """

  @Test("a vocabulary of llama.cpp is read byte by byte as it is written")
  func byHand() throws {
    let world = try ModelWorld()
    let bytes = Self.vocabulary.split(whereSeparator: \.isWhitespace).compactMap { UInt8($0, radix: 16) }
    #expect(bytes.count == 477)
    #expect(try world.importing(Data(bytes), "ggml-vocab-llama-spm.gguf") == "models 1: 1 imported")
    let expected = ModelMetadata(
      id: "ggml-vocab-llama-spm", name: "llama-spm", format: .gguf, framework: .llamaCpp, sizeBytes: 477,
      capabilities: [
        "general.architecture": .string("llama"), "tokenizer.ggml.model": .string("llama"),
        "tokenizer.ggml.tokens": .array([.string("<unk>"), .string("<s>"), .string("</s>")]),
        "tokenizer.ggml.scores": .array([.double(0), .double(0.5), .double(-1)]),
        "tokenizer.ggml.token_type": .array([.integer(2), .integer(3), .integer(3)]),
        "tokenizer.ggml.bos_token_id": .integer(1), "tokenizer.ggml.add_bos_token": .bool(true),
      ], localPath: world.folder.file("ggml-vocab-llama-spm.gguf").path, contextLength: 2_048, createdAt: world.clock.now)
    #expect(try world.model("ggml-vocab-llama-spm") == expected)
  }

  @Test("every key that the format names is a field or a capability under its own name")
  func general() throws {
    let world = try ModelWorld()
    let texts = [
      "general.basename", "general.finetune", "general.size_label", "general.organization", "general.license.name",
      "general.license.link", "general.url", "general.uuid", "general.repo_url", "general.quantized_by",
    ]
    let numbers = [
      "general.quantization_version", "general.alignment", "qwen2.embedding_length", "qwen2.block_count", "qwen2.attention.head_count",
      "qwen2.attention.head_count_kv",
    ]
    let writer = GGUFWriter(
      [
        ("general.architecture", .string("qwen2")), ("general.name", .string("Qwen 2")), ("general.version", .string("v2")),
        ("general.author", .string("Qwen")), ("general.license", .string("apache-2.0")), ("general.description", .string("small")),
        ("general.tags", .texts(["chat"])), ("general.file_type", .uint32(7)), ("qwen2.context_length", .uint64(32_768)),
        ("general.languages", .texts(["en", "zh"])),
      ] + texts.map { ($0, .string("of \($0)")) } + numbers.enumerated().map { ($1, .uint32(UInt32($0) + 1)) })
    #expect(try world.importing(writer.data, "q.gguf") == "models 1: 1 imported")
    var capabilities: [String: JSONValue] = [
      "general.architecture": .string("qwen2"), "general.languages": .array([.string("en"), .string("zh")]),
    ]
    for key in texts { capabilities[key] = .string("of \(key)") }
    for (number, key) in numbers.enumerated() { capabilities[key] = .integer(Int64(number) + 1) }
    let expected = ModelMetadata(
      id: "q", name: "Qwen 2", format: .gguf, framework: .llamaCpp, sizeBytes: Int64(writer.data.count), quantization: .q80, version: "v2",
      capabilities: capabilities, localPath: world.folder.file("q.gguf").path, contextLength: 32_768, author: "Qwen",
      license: "apache-2.0", description: "small", tags: ["chat"], createdAt: world.clock.now)
    #expect(try world.model("q") == expected)
  }

  @Test("a key may have 65,535 bytes")
  func longest() throws {
    let world = try ModelWorld()
    let key = String(repeating: "k", count: 65_535)
    let writer = GGUFWriter([("general.architecture", .string("llama")), (key, .uint8(7))])
    #expect(try world.importing(writer.data, "k.gguf") == "models 1: 1 imported")
    #expect(try world.model("k").capabilities[key] == .integer(7))
  }
}
