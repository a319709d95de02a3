import Foundation
import Holdfast

/// The `config.json` of a model.
struct HuggingFaceConfig: ModelTarget {
  let name = "hf-config"
  let file = "config.json"

  private static let keys = [
    "model_type", "architectures", "max_position_embeddings", "n_positions", "torch_dtype", "dtype", "quantization", "quantization_config",
    "bits", "quant_method", "text_config", "file size", "quantization in short", "",
  ]

  func source(_ random: inout SeededRandom) -> FuzzSource {
    .document(&random, keys: Self.keys, made: Self.config) { root in
      let members = root as? [String: Any]
      return members?["model_type"] != nil || members?["architectures"] != nil ? ["models": 1] : nil
    }
  }

  private static func config(_ random: inout SeededRandom) -> Node {
    var members: [(String, Node)] = [("model_type", .string(random.pick(["llama", "qwen2", "夜"], otherwise: "")))]
    let quantization: Node = .object([("bits", .raw(random.pick(["4", "8", "2"], otherwise: "4"))), ("group_size", .raw("64"))])
    for member: (String, Node) in [
      ("architectures", .array([.string("LlamaForCausalLM")])), ("max_position_embeddings", .raw("8192")), ("n_positions", .raw("1024")),
      ("torch_dtype", .string("bfloat16")), ("dtype", .string("float16")), ("quantization", quantization),
      ("quantization_config", random.chance(1, of: 2) ? quantization : .object([("quant_method", .string("fp8"))])),
      ("text_config", .object([("max_position_embeddings", .raw("131072")), ("hidden_size", .raw("5"))])),
      ("rope_scaling", .raw("null")), ("rms_norm_eps", .raw("1e-05")), ("eos_token_id", .array([.raw("1"), .raw("2")])),
    ] where random.chance(1, of: 2) {
      members.append(member)
    }
    return .object(members)
  }
}
