import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("config.json") struct HuggingFaceConfigTests {
  private func importing(_ text: String, _ folder: String, in world: ModelWorld, weights: [String] = []) throws -> String {
    for name in weights { _ = try world.write(Data(repeating: 1, count: 100), "\(folder)/\(name)") }
    return try world.importing(Data(text.utf8), "\(folder)/config.json")
  }

  /// The models `m0`, `m1` and so on, whose descriptions have these members.
  private func models(_ said: [String], in world: ModelWorld) throws -> [ModelMetadata] {
    let models = try world.registered(
      said.enumerated().map { (name: "m\($0)/config.json", data: Data(#"{"model_type": "x"\#($1)}"#.utf8)) })
    return try said.indices.map { number in try #require(models.first { $0.id == "m\(number)" }) }
  }

  @Test("a config.json fills the registry: the folder names the model, its weights are its size, every other word is a capability")
  func fills() throws {
    let world = try ModelWorld()
    let text = """
      {"architectures": ["LlamaForCausalLM"], "model_type": "llama", "max_position_embeddings": 8192, "hidden_size": 4096,
       "num_attention_heads": 32, "num_key_value_heads": 8, "rope_scaling": null, "rms_norm_eps": 1e-05, "torch_dtype": "bfloat16"}
      """
    let report = try importing(
      text, "Llama-3-8B", in: world, weights: ["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors", "tokenizer.json"])
    #expect(report == "models 1: 1 imported")
    #expect(
      try world.model("Llama-3-8B")
        == ModelMetadata(
          id: "Llama-3-8B", name: "Llama-3-8B", format: .safetensors, framework: .unknown, sizeBytes: 200,
          quantization: Quantization(rawValue: "bf16"),
          capabilities: [
            "architectures": .array([.string("LlamaForCausalLM")]), "model_type": .string("llama"), "hidden_size": .integer(4_096),
            "num_attention_heads": .integer(32), "num_key_value_heads": .integer(8), "rope_scaling": .null, "rms_norm_eps": .double(1e-05),
            "torch_dtype": .string("bfloat16"),
          ], localPath: world.folder.file("Llama-3-8B").path, contextLength: 8_192, createdAt: world.clock.now))
    #expect(FileManager.default.fileExists(atPath: world.folder.file("config.json.backup").path))
    let inFolder = try FileManager.default.contentsOfDirectory(atPath: world.folder.file("Llama-3-8B").path)
    #expect(!inFolder.contains { $0.hasSuffix(".backup") }, "nothing is put into a model's folder")
    #expect(try importing(text, "Llama-3-8B", in: world) == "models 1: 1 skipped\nskipped 1: in the store already")
  }

  @Test("one of MLX says so by its quantization, which stays whole, and without weights it is not downloaded")
  func mlx() throws {
    let world = try ModelWorld()
    let quantization = #"{"group_size": 32, "bits": 4, "mode": "mxfp4", "model.embed_tokens": {"group_size": 64, "bits": 8}}"#
    let text = #"{"model_type": "qwen2", "quantization": \#(quantization), "dtype": "float16"}"#
    #expect(try importing(text, "Qwen-4bit", in: world) == "models 1: 1 imported")
    let model = try world.model("Qwen-4bit")
    #expect(model.framework == .mlx && model.format == .mlx && model.quantization == .int4)
    #expect(model.localPath == nil && model.sizeBytes == nil && model.contextLength == nil)
    #expect(model.capabilities["quantization"] == [String: JSONValue](json: quantization).map(JSONValue.object))
    #expect(model.capabilities["dtype"] == .string("float16"))
  }

  @Test("a model of which parts are not there comes in, is missing, and is told")
  func missingParts() throws {
    let world = try ModelWorld()
    for name in ["model-00002-of-00003.safetensors", "model-00003-of-00003.safetensors"] { _ = try world.write(Data([1]), "m/\(name)") }
    let report = try world.report(Data(#"{"model_type": "llama"}"#.utf8), "m/config.json")
    #expect(
      report.problems.map(\.reason) == ["these parts of the model are missing: model-00001-of-00003.safetensors"])
    let model = try world.model("m")
    #expect(model.localPath == world.folder.file("m").path && model.missingSince == world.clock.now && model.sizeBytes == 2)
    #expect(try world.withLibrary { try $0.store.write { try InferenceStore.checkModelFiles(in: $0) }.missing } == [])
    _ = try world.write(Data([1]), "m/model-00001-of-00003.safetensors")
    #expect(try world.withLibrary { try $0.store.write { try InferenceStore.checkModelFiles(in: $0) }.found } == ["m"])
  }

  /// What files say of the numbers of their weights.
  static let quantizations: [(String, String?)] = [
    (#""quantization_config": {"quant_method": "gptq", "bits": 4, "group_size": 128}"#, "int4"),
    (#""quantization_config": {"quant_method": "awq", "bits": 8}, "torch_dtype": "float16""#, "int8"),
    (#""quantization_config": {"load_in_4bit": true, "quant_method": "bitsandbytes"}"#, "int4"),
    (#""quantization_config": {"_load_in_8bit": true, "load_in_4bit": false}"#, "int8"),
    (#""quantization_config": {"quant_method": "fp8"}"#, "fp8"),
    (#""quantization": {"bits": 2}, "quantization_config": {"bits": 2}"#, "int2"),
    (#""quantization": {"bits": 4, "mode": "mxfp4", "model.layers.0": {"bits": 8}}"#, "int4"),
    (#""text_config": {"quantization": {"bits": 8}}"#, "int8"),
    (#""torch_dtype": "torch.float16""#, "fp16"), (#""dtype": "float32""#, "fp32"), (#""text_config": {"dtype": "bfloat16"}"#, "bf16"),
    (#""torch_dtype": "float8_e4m3fn""#, "float8_e4m3fn"), (#""torch_dtype": null"#, nil), (#""quantization_config": "none""#, nil),
    (#""quantization_config": {"num_bits": 3, "quant_method": "x"}"#, "int3"),
    (#""quantization_config": {"_load_in_4bit": true, "quant_method": "x"}"#, "int4"),
    (#""quantization_config": {"load_in_8bit": true, "quant_method": "x"}"#, "int8"),
    (#""torch_dtype": "bfloat16", "quantization_config": {"quant_algo": "FP8", "producer": {"name": "modelopt"}}"#, "fp8"),
    (#""torch_dtype": "bfloat16", "quantization_config": {"quant_method": "modelopt"}"#, nil),
    (#""torch_dtype": "half""#, "fp16"), (#""dtype": "torch.float""#, "fp32"),
    (#""llm_config": {"torch_dtype": "half"}"#, "fp16"), (#""language_config": {"quantization_config": {"bits": 6}}"#, "int6"),
  ]

  @Test("the quantization is told in the SDK's words, and in the file's where it has none")
  func quantization() throws {
    let models = try models(Self.quantizations.map { ", \($0.0)" }, in: ModelWorld())
    for (model, (said, word)) in zip(models, Self.quantizations) { #expect(model.quantization?.rawValue == word, "\(said)") }
  }

  @Test("what modelopt says beside the description counts before the type of the training")
  func modelopt() throws {
    let world = try ModelWorld()
    let said = #"{"producer": {"name": "modelopt"}, "quantization": {"quant_algo": "NVFP4", "kv_cache_quant_algo": "FP8"}}"#
    _ = try world.write(Data(said.utf8), "m/hf_quant_config.json")
    #expect(try importing(#"{"model_type": "x", "torch_dtype": "bfloat16"}"#, "m", in: world) == "models 1: 1 imported")
    #expect(try world.model("m").quantization?.rawValue == "nvfp4")
  }

  @Test("numbers that only Python writes are kept as texts, and an error behind them has its own place")
  func python() throws {
    let world = try ModelWorld()
    let text = #"{"a": NaN, "model_type": "mamba2", "time_step_limit": [-Infinity, 0.5, Infinity], "note": "NaN \" Infinity"}"#
    #expect(try importing(text, "m", in: world) == "models 1: 1 imported")
    let known = try world.model("m").capabilities
    #expect(known["a"] == .string("NaN") && known["note"] == .string("NaN \" Infinity"))
    #expect(known["time_step_limit"] == .array([.string("-Infinity"), .double(0.5), .string("Infinity")]))
    let twice = try world.failure(Data(#"{"model_type": "x", "n": NaN, "a": 1, "a": 2}"#.utf8), "config.json")
    #expect(twice.code == .invalidSource && twice.offset == 38)
  }

  /// What files say of the context, its length, and the members that are kept as they are.
  static let contexts: [(String, Int, [String])] = [
    (#""max_sequence_length": 2048"#, 2_048, []), (#""n_ctx": 1024"#, 1_024, []), (#""n_ctx": 1024.0"#, 1_024, []),
    (#""seq_length": 512"#, 512, []),
    (#""llm_config": {"max_position_embeddings": 4096}"#, 4_096, ["llm_config"]),
    (#""language_config": {"n_ctx": 256}"#, 256, ["language_config"]),
    (#""n_ctx": null, "seq_length": 128"#, 128, ["n_ctx"]), (#""seq_length": 1, "max_position_embeddings": 64"#, 64, ["seq_length"]),
    (#""seq_length": 32, "llm_config": {"max_position_embeddings": 1}"#, 32, ["llm_config"]), (#""n_positions": 1024"#, 1_024, []),
    // Of texts and pictures.
    (
      #""text_config": {"max_position_embeddings": 131072, "hidden_size": 5}, "vision_config": {}"#, 131_072,
      ["text_config", "vision_config"]
    ),
  ]

  @Test("the context is found under each of its names, and in each object that is of the text and stays whole")
  func context() throws {
    let models = try models(Self.contexts.map { ", \($0.0)" }, in: ModelWorld())
    for (model, (said, length, kept)) in zip(models, Self.contexts) {
      let members = try #require([String: JSONValue](json: #"{"model_type": "x", \#(said)}"#))
      #expect(model.contextLength == length, "\(said)")
      #expect(model.capabilities == members.filter { (kept + ["model_type"]).contains($0.key) }, "\(said)")
    }
  }

  /// Files beside the description, and which format they are; each has 100 bytes.
  static let weights: [([String], ModelFormat, Int64)] = [
    (["model.onnx", "tokenizer.json"], .onnx, 100), (["pytorch_model.bin"], .bin, 100), (["MODEL.GGUF"], .gguf, 100),
    (["encoder.onnx", "decoder.onnx"], .onnx, 200), (["model.gguf", "pytorch_model.bin", "model.onnx"], .onnx, 100),
    (["pytorch_model.bin", "model.safetensors"], .safetensors, 100),
  ]

  @Test("the weights beside it say the format and the size, and their folder is the model")
  func format() throws {
    let world = try ModelWorld()
    for (number, (names, _, _)) in Self.weights.enumerated() {
      for name in names { _ = try world.write(Data(repeating: 1, count: 100), "m\(number)/\(name)") }
    }
    let models = try models(Self.weights.map { _ in "" }, in: world)
    for (model, (names, format, bytes)) in zip(models, Self.weights) {
      #expect(model.format == format && model.framework == .unknown && model.sizeBytes == bytes, "\(names)")
      #expect(model.localPath == world.folder.file(model.id).path && model.missingSince == nil, "\(names)")
    }
  }

  @Test("a context that is no number is kept aside")
  func damaged() throws {
    let world = try ModelWorld()
    #expect(
      try importing(#"{"model_type": "x", "max_position_embeddings": "many", "b": 1}"#, "m", in: world) == """
        models 1: 1 imported
        config.json.max_position_embeddings: max_position_embeddings should be a whole number of tokens, found "many"
        """)
    #expect(try world.quarantine() == [#""many""#])
    #expect(try world.model("m").capabilities == ["model_type": .string("x"), "b": .integer(1)])
  }

  @Test("in the cache of Hugging Face the model has the name that it has there")
  func cache() throws {
    let world = try ModelWorld()
    let folder = "models--meta-llama--Llama-3.2-1B/snapshots/4e20de362430cd3b72f300e6b0f18e50e7166e08"
    #expect(try importing(#"{"model_type": "llama"}"#, folder, in: world, weights: ["model.safetensors"]) == "models 1: 1 imported")
    let model = try world.model("meta-llama/Llama-3.2-1B")
    #expect(model.name == "Llama-3.2-1B" && model.sizeBytes == 100 && model.isDownloaded)
  }

  @Test("what is no config.json of a model is refused, and so is one that has a key twice, is cut or far too deep")
  func refused() throws {
    let world = try ModelWorld()
    func failure(_ text: String, format: String? = nil) throws -> StoreError {
      try world.failure(Data(text.utf8), "config.json", format: format)
    }
    #expect(try failure(#"{"tracks": []}"#).message.hasSuffix("describes no model"))
    #expect(try failure("hello").code == .invalidSource)
    #expect(try failure("").code == .invalidSource)
    #expect(try failure("[]", format: "hf-config").offset == 0)
    let twice = try failure(#"{"model_type": "x", "a": 1, "a": 2}"#)
    #expect(twice.code == .invalidSource && twice.offset == 28)
    #expect(try failure(#"{"model_type": "x", "a": "#).code == .invalidSource)
    #expect(try failure(#"{"model_type": "x", "a": "# + String(repeating: "[", count: 10_000)).code == .invalidSource)
    #expect(
      try failure(#"{"model_type": ""# + String(repeating: "x", count: 5_000_000) + #""}"#, format: "hf-config").code == .invalidSource)
    // A file of 4 TiB that has no blocks: to read it would take an hour.
    let huge = try world.write(Data(), "huge/config.json")
    let handle = try FileHandle(forWritingTo: huge)
    try handle.truncate(atOffset: 1 << 42)
    try handle.close()
    let error = #expect(throws: StoreError.self) { _ = try InferenceStore.importModels(from: huge, into: world.store) }
    #expect(error?.message.hasSuffix("is no config.json of a model: it has 4398046511104 bytes") == true)
    try FileManager.default.removeItem(at: huge)
    #expect(try failure(#"{"model_type": "x"}"#, format: "gguf").code == .invalidSource)
    #expect(try failure("{}", format: "m3u").code == .misuse)
  }
}
