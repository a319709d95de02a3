// What a model is: lists that SDKs and servers still add to. Each takes any text, so a value that
// this version does not know survives word for word.

/// What runs a model.
public struct ModelFramework: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Core ML.
  public static let coreML = ModelFramework(rawValue: "CoreML")
  /// TensorFlow Lite.
  public static let tensorFlowLite = ModelFramework(rawValue: "TFLite")
  /// MLX.
  public static let mlx = ModelFramework(rawValue: "MLX")
  /// Swift Transformers.
  public static let swiftTransformers = ModelFramework(rawValue: "SwiftTransformers")
  /// ONNX Runtime.
  public static let onnx = ModelFramework(rawValue: "ONNX")
  /// ExecuTorch.
  public static let execuTorch = ModelFramework(rawValue: "ExecuTorch")
  /// llama.cpp.
  public static let llamaCpp = ModelFramework(rawValue: "LlamaCpp")
  /// The models of the system.
  public static let foundationModels = ModelFramework(rawValue: "FoundationModels")
  /// picoLLM.
  public static let picoLLM = ModelFramework(rawValue: "PicoLLM")
  /// MLC LLM.
  public static let mlc = ModelFramework(rawValue: "MLC")
  /// MediaPipe.
  public static let mediaPipe = ModelFramework(rawValue: "MediaPipe")
  /// Nobody said.
  public static let unknown = ModelFramework(rawValue: "unknown")
}

/// How a model's file is written.
public struct ModelFormat: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A compiled Core ML model's source.
  public static let mlmodel = ModelFormat(rawValue: "mlmodel")
  /// A Core ML package.
  public static let mlpackage = ModelFormat(rawValue: "mlpackage")
  /// TensorFlow Lite.
  public static let tflite = ModelFormat(rawValue: "tflite")
  /// ONNX.
  public static let onnx = ModelFormat(rawValue: "onnx")
  /// ONNX Runtime's own.
  public static let ort = ModelFormat(rawValue: "ort")
  /// Safetensors.
  public static let safetensors = ModelFormat(rawValue: "safetensors")
  /// GGUF.
  public static let gguf = ModelFormat(rawValue: "gguf")
  /// What GGUF came from.
  public static let ggml = ModelFormat(rawValue: "ggml")
  /// MLX.
  public static let mlx = ModelFormat(rawValue: "mlx")
  /// ExecuTorch.
  public static let pte = ModelFormat(rawValue: "pte")
  /// Weights in one file.
  public static let bin = ModelFormat(rawValue: "bin")
  /// Weights.
  public static let weights = ModelFormat(rawValue: "weights")
  /// A state of a training.
  public static let checkpoint = ModelFormat(rawValue: "checkpoint")
  /// Nobody said. The default.
  public static let unknown = ModelFormat(rawValue: "unknown")
}

/// How coarsely the weights of a model are stored.
public struct Quantization: RawRepresentable, Sendable, Hashable, Codable {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// 32 bits.
  public static let fp32 = Quantization(rawValue: "fp32")
  /// 32 bits, as GGUF says it.
  public static let f32 = Quantization(rawValue: "f32")
  /// 16 bits.
  public static let fp16 = Quantization(rawValue: "fp16")
  /// 16 bits, as GGUF says it.
  public static let f16 = Quantization(rawValue: "f16")
  /// 8 bits.
  public static let int8 = Quantization(rawValue: "int8")
  /// 8 bits in blocks.
  public static let q80 = Quantization(rawValue: "q8_0")
  /// 4 bits.
  public static let int4 = Quantization(rawValue: "int4")
  /// 4 bits in blocks.
  public static let q40 = Quantization(rawValue: "q4_0")
  /// 4 bits in super-blocks, small.
  public static let q4KS = Quantization(rawValue: "q4_K_S")
  /// 4 bits in super-blocks, medium.
  public static let q4KM = Quantization(rawValue: "q4_K_M")
  /// 5 bits in blocks.
  public static let q50 = Quantization(rawValue: "q5_0")
  /// 5 bits in super-blocks, small.
  public static let q5KS = Quantization(rawValue: "q5_K_S")
  /// 5 bits in super-blocks, medium.
  public static let q5KM = Quantization(rawValue: "q5_K_M")
  /// 6 bits in super-blocks.
  public static let q6K = Quantization(rawValue: "q6_K")
  /// 3 bits in super-blocks, small.
  public static let q3KS = Quantization(rawValue: "q3_K_S")
  /// 3 bits in super-blocks, medium.
  public static let q3KM = Quantization(rawValue: "q3_K_M")
  /// 3 bits in super-blocks, large.
  public static let q3KL = Quantization(rawValue: "q3_K_L")
  /// 2 bits in super-blocks.
  public static let q2K = Quantization(rawValue: "q2_K")
  /// 2 bits.
  public static let int2 = Quantization(rawValue: "int2")
  /// Several of these.
  public static let mixed = Quantization(rawValue: "mixed")
}
