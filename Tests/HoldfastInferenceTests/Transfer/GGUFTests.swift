import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("GGUF") struct GGUFTests {
  @Test("a header fills the registry: what has a field is there, everything else is a capability, and of a vocabulary how long it is")
  func fills() throws {
    let world = try ModelWorld()
    let writer = GGUFWriter.llama([
      ("general.author", .string("Meta")), ("general.version", .string("3.2")), ("general.license", .string("llama3.2")),
      ("general.description", .string("small")), ("general.tags", .texts(["chat", "small", "chat"])),
      ("general.languages", .texts(["en", "de"])), ("tokenizer.chat_template", .string("{% for m in messages %}")),
    ])
    let weights = Data(repeating: 7, count: 1_000)
    #expect(try world.importing(writer.data + weights, "Llama-3.2-1B-Instruct-Q4_K_M.gguf") == "models 1: 1 imported")
    let expected = ModelMetadata(
      id: "Llama-3.2-1B-Instruct-Q4_K_M", name: "Llama 3.2 1B Instruct", format: .gguf, framework: .llamaCpp,
      sizeBytes: Int64(writer.data.count + 1_000), quantization: .q4KM, version: "3.2",
      capabilities: [
        "general.architecture": .string("llama"), "llama.rope.freq_base": .double(500_000),
        "general.languages": .array([.string("en"), .string("de")]), "tokenizer.chat_template": .string("{% for m in messages %}"),
        "tokenizer.ggml.tokens": .object(["type": .string("list of string"), "count": .integer(100)]),
      ], localPath: world.folder.file("Llama-3.2-1B-Instruct-Q4_K_M.gguf").path, contextLength: 131_072, author: "Meta",
      license: "llama3.2", description: "small", tags: ["chat", "small", "chat"], createdAt: world.clock.now)
    #expect(try world.model("Llama-3.2-1B-Instruct-Q4_K_M") == expected)
    #expect(expected.isDownloaded)
  }

  @Test("only the header is a source: the ledger has its size and its hash, and no copy is made of a model")
  func header() throws {
    let world = try ModelWorld()
    let writer = GGUFWriter.llama()
    let report = try world.report(writer.data + Data(repeating: 7, count: 100_000), "a.gguf")
    #expect(report.backup == nil)
    #expect(try world.folder.contents().filter { $0.contains("backup") } == [])
    try world.withLibrary { inference in
      let line = try inference.store.read { reader in
        try reader.values("SELECT format, source_bytes, source_sha256 FROM holdfast_imports") { row in
          (try row.text(), try row.int(), try row.text())
        }
      }
      #expect(line.map(\.0) == ["gguf"] && line.map(\.1) == [writer.data.count] && line.map(\.2) == [report.sourceSHA256])
      let error = #expect(throws: StoreError.self) { try inference.store.restoreBackup(ofSource: world.folder.file("a.gguf")) }
      #expect(error?.code == .notFound)
    }
    let alone = try ImportSource(try world.write(writer.data, "header"))
    #expect(try alone.sha256 == report.sourceSHA256)
  }

  @Test("a model of sixteen gigabytes is registered without its weights being read")
  func large() throws {
    let world = try ModelWorld()
    let source = try world.write(GGUFWriter.llama().data, "large.gguf")
    let file = try FileHandle(forWritingTo: source)
    try file.truncate(atOffset: 16 << 30)
    try file.close()
    let start = ContinuousClock.now
    let report = try InferenceStore.importModels(from: source, into: world.store)
    #expect(ContinuousClock.now - start < .seconds(5))
    #expect(report.picture == "models 1: 1 imported")
    #expect(try world.model("large").sizeBytes == 16 << 30)
  }

  /// Names of files, and what they say where the header does not.
  static let names: [(file: String, name: String, version: String?, quantization: String?)] = [
    ("Mixtral-8x7B-v0.1-KQ2.gguf", "Mixtral-8x7B-v0.1-KQ2", "0.1", nil),
    ("Grok-100B-v1.0-Q4_0-00001-of-00001.gguf", "Grok-100B-v1.0", "1.0", "q4_0"),
    ("Hermes-2-Pro-Llama-3-8B-F16.gguf", "Hermes-2-Pro-Llama-3-8B", nil, "f16"), ("phi-3-mini-q4_k_m.gguf", "phi-3-mini", nil, "q4_K_M"),
    ("Llama-3-IQ2_XXS.gguf", "Llama-3", nil, "iq2_xxs"), ("Base-Q8_0-LoRA.gguf", "Base", nil, "q8_0"), ("Q8_0.gguf", "Q8_0", nil, nil),
    ("model.gguf", "model", nil, nil), ("a-BF16.gguf", "a", nil, "bf16"), ("Qwen-v.1-vocab.gguf", "Qwen-v.1", nil, nil),
    ("x-00002-of-00001.gguf", "x-00002-of-00001", nil, nil),
  ]

  @Test("what the header does not say, the name of the file does")
  func fileName() throws {
    let header = GGUFWriter([("general.architecture", .string("x"))]).data
    let models = try ModelWorld().registered(Self.names.map { (name: $0.file, data: header) })
    for said in Self.names {
      let model = try #require(models.first { $0.name == said.name }, "\(said.file)")
      #expect(model.version == said.version && model.quantization?.rawValue == said.quantization, "\(said.file)")
    }
  }

  @Test("a file that is a link is the file that it links to")
  func link() throws {
    let world = try ModelWorld()
    let data = GGUFWriter.llama().data
    let blob = try world.write(data, "blobs/0a1b")
    try FileManager.default.createSymbolicLink(at: world.folder.file("m.gguf"), withDestinationURL: blob)
    let report = try InferenceStore.importModels(from: world.folder.file("m.gguf"), into: world.store)
    #expect(report.picture == "models 1: 1 imported")
    let model = try world.model("m")
    #expect(model.sizeBytes == Int64(data.count) && model.localPath == world.folder.file("m.gguf").path)
  }

  @Test("a model comes into a store that is open, and a dry run leaves it as it was")
  func open() throws {
    let world = try World.inMemory()
    let models = try ModelWorld()
    let source = try models.write(GGUFWriter.llama().data, "m.gguf")
    var options = ImportOptions()
    options.dryRun = true
    #expect(try world.inference.importModels(from: source, options: options).dryRun)
    #expect(try world.inference.store.read { try InferenceStore.models(in: $0) } == [])
    #expect(try world.inference.importModels(from: source).picture == "models 1: 1 imported")
    #expect(try world.inference.store.read { try InferenceStore.models(in: $0) }.map(\.id) == ["m"])
  }

  /// Each kind of value with its edges, and what is kept of it.
  static let values: [(name: String, value: GGUFWriter.Value, kept: JSONValue)] = [
    ("u8", .uint8(255), .integer(255)), ("i8", .int8(-128), .integer(-128)), ("u16", .uint16(65_535), .integer(65_535)),
    ("i16", .int16(-32_768), .integer(-32_768)), ("u32", .uint32(.max), .integer(4_294_967_295)),
    ("i32", .int32(.min), .integer(-2_147_483_648)), ("f32", .float32(1.5), .double(1.5)), ("f64", .float64(-1e300), .double(-1e300)),
    ("yes", .bool(true), .bool(true)), ("no", .bool(false), .bool(false)), ("text", .string("päivää 🦙"), .string("päivää 🦙")),
    ("empty", .string(""), .string("")), ("u64", .uint64(UInt64(Int64.max)), .integer(.max)),
    ("u64 that no JSON has", .uint64(.max), .string("18446744073709551615")), ("i64", .int64(.min), .integer(.min)),
    ("numbers", .array(5, [.int32(-1), .int32(1)]), .array([.integer(-1), .integer(1)])), ("no numbers", .array(4, []), .array([])),
    ("flags", .array(7, [.bool(true), .bool(false)]), .array([.bool(true), .bool(false)])),
    (
      "lists", .array(9, [.array(8, [.string("a")]), .array(0, [.uint8(1), .uint8(2)]), .array(9, [.array(4, [])])]),
      .array([.array([.string("a")]), .array([.integer(1), .integer(2)]), .array([.array([])])])
    ),
    (
      "many lists", .array(9, (0..<100).map { .array(9, [.array(0, [.uint8(UInt8($0))]), .texts(["x"])]) }),
      .object(["type": .string("list of array"), "count": .integer(100)])
    ),
    ("scores", .array(6, (0..<65).map { .float32(Float($0)) }), .object(["type": .string("list of float32"), "count": .integer(65)])),
    (
      "book", .string(String(repeating: "x", count: 300_000)), .object(["type": .string("text"), "bytes": .integer(300_000)])
    ),
  ]

  @Test("every kind of value is read in every version, nested lists too, and what stands behind it", arguments: [1, 2, 3] as [UInt32])
  func kinds(version: UInt32) throws {
    let world = try ModelWorld()
    let keys = [("general.architecture", GGUFWriter.Value.string("x"))] + Self.values.map { ($0.name, $0.value) }
    let report = try world.report(GGUFWriter(keys, version: version).data, "kinds.gguf")
    #expect(report.picture == "models 1: 1 imported")
    #expect(report.formatVersion == Int(version))
    var capabilities = Dictionary(uniqueKeysWithValues: Self.values.map { ($0.name, $0.kept) })
    capabilities["general.architecture"] = .string("x")
    #expect(try world.model("kinds").capabilities == capabilities)
  }

  @Test("the length of the context is read as whatever kind of whole number it has")
  func context() throws {
    let values: [GGUFWriter.Value] = [
      .uint8(64), .int8(64), .uint16(64), .int16(64), .uint32(64), .int32(64), .uint64(64), .int64(64),
    ]
    let files = values.enumerated().map { number, value in
      let writer = GGUFWriter([("qwen2.context_length", value), ("general.architecture", .string("qwen2"))])
      return (name: "q\(number).gguf", data: writer.data)
    }
    let models = try ModelWorld().registered(files)
    #expect(models.count == values.count && models.allSatisfy { $0.contextLength == 64 }, "\(models)")
  }

  @Test("a value that its field cannot hold is kept aside, and the model is there without it")
  func damagedFields() throws {
    let world = try ModelWorld()
    let writer = GGUFWriter([
      ("general.architecture", .string("llama")), ("llama.context_length", .string("long")), ("general.tags", .uint8(1)),
      ("general.name", .bytes([0x41, 0xFF])), ("llama.rope.freq_base", .float32(.nan)), ("flag", .raw(7, [2])),
      ("general.author", .string("A")),
    ])
    #expect(
      try world.importing(writer.data, "Base-v1.5-Q8_0.gguf") == """
        models 1: 1 imported
        Base-v1.5-Q8_0.gguf.llama.context_length: llama.context_length should be a whole number of tokens, found "long"
        Base-v1.5-Q8_0.gguf.general.tags: general.tags should be a list of texts, found 1
        Base-v1.5-Q8_0.gguf.general.name: general.name should be text in UTF-8
        Base-v1.5-Q8_0.gguf.llama.rope.freq_base: llama.rope.freq_base should be a finite number, found nan
        Base-v1.5-Q8_0.gguf.flag: flag should be 0 or 1, found 2
        """)
    let model = try world.model("Base-v1.5-Q8_0")
    #expect(model.name == "Base-v1.5" && model.version == "1.5" && model.quantization == .q80 && model.author == "A")
    #expect(model.capabilities == ["general.architecture": .string("llama")])
  }

  @Test("the type of the file is its quantization, and one that is not known is kept beside what the name says")
  func quantization() throws {
    let known: [(UInt32, String)] = [
      (0, "f32"), (1, "f16"), (2, "q4_0"), (3, "q4_1"), (7, "q8_0"), (8, "q5_0"), (9, "q5_1"), (10, "q2_K"), (11, "q3_K_S"),
      (12, "q3_K_M"), (13, "q3_K_L"), (14, "q4_K_S"), (15, "q4_K_M"), (16, "q5_K_S"), (17, "q5_K_M"), (18, "q6_K"),
    ]
    let files = (known.map(\.0) + [145]).map { number in
      let writer = GGUFWriter([("general.architecture", .string("llama")), ("general.file_type", .uint32(number))])
      return (name: "m\(number)-IQ4_XS.gguf", data: writer.data)
    }
    let models = try ModelWorld().registered(files)
    for (number, word) in known + [(145, "iq4_xs")] {
      let model = try #require(models.first { $0.id == "m\(number)-IQ4_XS" })
      #expect(model.quantization?.rawValue == word)
      #expect(model.capabilities["general.file_type"] == (number == 145 ? .integer(145) : nil))
    }
  }

  @Test("a header without an architecture is kept aside")
  func noArchitecture() throws {
    let world = try ModelWorld()
    let writer = GGUFWriter([("general.name", .string("x"))])
    #expect(
      try world.importing(writer.data, "x.gguf") == """
        models 1: 1 quarantined
        x.gguf: general.architecture is missing
        """)
    #expect(try world.ids() == [])
    #expect(try world.quarantine().first?.contains(#"["general.name","x"]"#) == true)
  }

  @Test("a model in parts is one: its first part says what it is, all parts are its size, and one that is not there is told")
  func split() throws {
    let world = try ModelWorld()
    let first = GGUFWriter.llama([("split.no", .uint16(0)), ("split.count", .uint16(3))]).data
    let second = GGUFWriter([("split.no", .uint16(1)), ("split.count", .uint16(3))]).data
    _ = try world.write(second, "Big-Q4_K_M-00002-of-00003.gguf")
    #expect(
      try world.importing(first, "Big-Q4_K_M-00001-of-00003.gguf") == """
        models 1: 1 imported
        Big-Q4_K_M-00001-of-00003.gguf.parts: of 3 parts, these are missing: 3
        """)
    var model = try world.model("Big-Q4_K_M")
    #expect(model.sizeBytes == Int64(first.count + second.count) && model.missingSince == world.clock.now && !model.isDownloaded)
    _ = try world.write(second, "Big-Q4_K_M-00003-of-00003.gguf")
    #expect(try world.importing(first, "Big-Q4_K_M-00001-of-00003.gguf") == "models 1: 1 merged")
    model = try world.model("Big-Q4_K_M")
    #expect(model.sizeBytes == Int64(first.count + 2 * second.count) && model.isDownloaded)
    let error = try world.failure(second, "Big-Q4_K_M-00002-of-00003.gguf")
    #expect(error.code == .invalidSource)
    #expect(error.message.hasSuffix("is part 2 of a model, and only the first part describes the model"))
    #expect(error.suggestion?.hasSuffix("Big-Q4_K_M-00001-of-00003.gguf.") == true)
  }

  @Test("imported again it is in the store; elsewhere it is another model, unless the first is gone: then it has moved")
  func again() throws {
    let world = try ModelWorld()
    let data = GGUFWriter.llama().data
    #expect(try world.importing(data, "m.gguf") == "models 1: 1 imported")
    #expect(try world.importing(data, "m.gguf") == "models 1: 1 skipped\nskipped 1: in the store already")
    #expect(try world.importing(data, "other/m.gguf") == "models 1: 1 imported")
    #expect(try world.ids() == ["m", "m-2"])
    try FileManager.default.removeItem(at: world.folder.file("m.gguf"))
    #expect(try world.importing(data, "third/m.gguf") == "models 1: 1 merged")
    #expect(try world.ids() == ["m", "m-2"])
    #expect(try world.model("m").localPath == world.folder.file("third/m.gguf").path)
    try world.withLibrary { _ = try $0.store.write { try InferenceStore.deleteModel("m", in: $0) } }
    #expect(try world.importing(data, "third/m.gguf") == "models 1: 1 skipped\nskipped 1: deleted since it was imported")
  }

  @Test("what somebody changed since stays, and a model that was registered before it had a file takes what the file says")
  func edited() async throws {
    let world = try ModelWorld()
    try await world.usingLibrary { inference in
      try await inference.save(
        ModelMetadata(
          id: "m", name: "From the catalogue", framework: .llamaCpp, requirements: ["ram": .integer(8)], usageCount: 3,
          createdAt: Sample.date))
    }
    #expect(try world.importing(GGUFWriter.llama().data, "m.gguf") == "models 1: 1 merged")
    var model = try world.model("m")
    #expect(model.name == "Llama 3.2 1B Instruct" && model.requirements == ["ram": .integer(8)] && model.usageCount == 3)
    #expect(model.createdAt == Sample.date && model.updatedAt == world.clock.now && model.isDownloaded)
    model.name = "My llama"
    try world.withLibrary { try $0.store.write { try InferenceStore.save(model, in: $0) } }
    #expect(
      try world.importing(GGUFWriter.llama([("new", .uint8(1))]).data, "m.gguf") == "models 1: 1 skipped\nskipped 1: the store is newer")
    #expect(try world.model("m") == model)
  }
}
