public import Holdfast

// Properties of models: lists to which SDKs and servers still add. Each accepts any text, so a value that this version does not
// know is kept word for word.

/// A framework that runs models.
public typealias ModelFramework = OpenWord<ModelFrameworks>
/// The type that distinguishes `ModelFramework` from other words.
public enum ModelFrameworks {}

extension ModelFramework {
  /// Core ML.
  public static var coreML: Self { "CoreML" }
  /// TensorFlow Lite.
  public static var tensorFlowLite: Self { "TFLite" }
  /// MLX.
  public static var mlx: Self { "MLX" }
  /// Swift Transformers.
  public static var swiftTransformers: Self { "SwiftTransformers" }
  /// ONNX Runtime.
  public static var onnx: Self { "ONNX" }
  /// ExecuTorch.
  public static var execuTorch: Self { "ExecuTorch" }
  /// llama.cpp.
  public static var llamaCpp: Self { "LlamaCpp" }
  /// The system's own models.
  public static var foundationModels: Self { "FoundationModels" }
  /// picoLLM.
  public static var picoLLM: Self { "PicoLLM" }
  /// MLC LLM.
  public static var mlc: Self { "MLC" }
  /// MediaPipe.
  public static var mediaPipe: Self { "MediaPipe" }
  /// Not given.
  public static var unknown: Self { "unknown" }
}

/// The format of a model's file.
public typealias ModelFormat = OpenWord<ModelFormats>
/// The type that distinguishes `ModelFormat` from other words.
public enum ModelFormats {}

extension ModelFormat {
  /// The source of a compiled Core ML model.
  public static var mlmodel: Self { "mlmodel" }
  /// A Core ML package.
  public static var mlpackage: Self { "mlpackage" }
  /// TensorFlow Lite.
  public static var tflite: Self { "tflite" }
  /// ONNX.
  public static var onnx: Self { "onnx" }
  /// ONNX Runtime's own format.
  public static var ort: Self { "ort" }
  /// Safetensors.
  public static var safetensors: Self { "safetensors" }
  /// GGUF.
  public static var gguf: Self { "gguf" }
  /// The predecessor of GGUF.
  public static var ggml: Self { "ggml" }
  /// MLX.
  public static var mlx: Self { "mlx" }
  /// ExecuTorch.
  public static var pte: Self { "pte" }
  /// Weights in one file.
  public static var bin: Self { "bin" }
  /// Other weights.
  public static var weights: Self { "weights" }
  /// A checkpoint of a training.
  public static var checkpoint: Self { "checkpoint" }
  /// Not given. The default.
  public static var unknown: Self { "unknown" }
}

/// The precision of a model's weights.
public typealias Quantization = OpenWord<Quantizations>
/// The type that distinguishes `Quantization` from other words.
public enum Quantizations {}

extension Quantization {
  /// 32 bits.
  public static var fp32: Self { "fp32" }
  /// 32 bits, in GGUF's spelling.
  public static var f32: Self { "f32" }
  /// 16 bits.
  public static var fp16: Self { "fp16" }
  /// 16 bits, in GGUF's spelling.
  public static var f16: Self { "f16" }
  /// 8 bits.
  public static var int8: Self { "int8" }
  /// 8 bits in blocks.
  public static var q80: Self { "q8_0" }
  /// 4 bits.
  public static var int4: Self { "int4" }
  /// 4 bits in blocks.
  public static var q40: Self { "q4_0" }
  /// 4 bits in super-blocks, small.
  public static var q4KS: Self { "q4_K_S" }
  /// 4 bits in super-blocks, medium.
  public static var q4KM: Self { "q4_K_M" }
  /// 5 bits in blocks.
  public static var q50: Self { "q5_0" }
  /// 5 bits in super-blocks, small.
  public static var q5KS: Self { "q5_K_S" }
  /// 5 bits in super-blocks, medium.
  public static var q5KM: Self { "q5_K_M" }
  /// 6 bits in super-blocks.
  public static var q6K: Self { "q6_K" }
  /// 3 bits in super-blocks, small.
  public static var q3KS: Self { "q3_K_S" }
  /// 3 bits in super-blocks, medium.
  public static var q3KM: Self { "q3_K_M" }
  /// 3 bits in super-blocks, large.
  public static var q3KL: Self { "q3_K_L" }
  /// 2 bits in super-blocks.
  public static var q2K: Self { "q2_K" }
  /// 2 bits.
  public static var int2: Self { "int2" }
  /// A mixture of these.
  public static var mixed: Self { "mixed" }
}
