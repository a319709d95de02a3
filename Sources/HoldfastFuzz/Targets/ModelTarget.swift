import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

/// What the files that describe models have in common.
protocol ModelTarget: ImportTarget {}

extension ModelTarget {
  var schemas: [StoreSchema] { [InferenceStore.schema] }
  var tables: [String] { ["model_metadata"] }
  var saysWhere: Bool { false }
  /// There is one record, and none of a kind that has others.
  var faults: [Fault] { [.forgetsToWrite, .changesSource, .neverEqual] }

  func format(of source: ImportSource) throws -> any ImportFormat { try InferenceStore.modelImporter(for: source) }

  func edit(_ store: Store, _ random: inout SeededRandom) throws { try ModelEdits.edit(InferenceStore(store), &random) }
}

/// What an app does with its models between two imports.
enum ModelEdits {
  static func edit(_ inference: InferenceStore, _ random: inout SeededRandom) throws {
    for var model in try inference.models() {
      switch Int.random(in: 0..<7, using: &random) {
      case 0: try inference.deleteModel(model.id)
      case 1:
        model.name = "renamed"
        try inference.save(model)
      case 2:
        model.capabilities = [:]
        try inference.save(model)
      case 3: try inference.recordUse(of: model.id, tokens: 5)
      case 4: try inference.recordDownload(of: model.id, at: random.pick(["/nowhere", "/dev/null"], otherwise: ""))
      case 5: try inference.checkModelFiles()
      default: break
      }
    }
  }
}
