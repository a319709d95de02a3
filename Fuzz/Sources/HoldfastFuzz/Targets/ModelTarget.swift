import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

/// The common part of the files that describe models.
protocol ModelTarget: ImportTarget {}

extension ModelTarget {
  var schemas: [StoreSchema] { [InferenceStore.schema] }
  var tables: [String] { ["model_metadata"] }
  var saysWhere: Bool { false }
  /// A source has one record, so faults that drop every third record cannot be planted.
  var faults: [Fault] { [.forgetsToWrite, .changesSource, .neverEqual] }

  func format(of source: ImportSource) throws -> any ImportFormat { try InferenceStore.modelImporter(for: source) }

  func edit(_ store: Store, _ random: inout SeededRandom) throws { try ModelEdits.edit(InferenceStore(store), &random) }
}

/// Edits models as an app may do between two imports.
enum ModelEdits {
  static func edit(_ inference: InferenceStore, _ random: inout SeededRandom) throws {
    for var model in try inference.store.read({ try InferenceStore.models(in: $0) }) {
      switch Int.random(in: 0..<7, using: &random) {
      case 0: _ = try inference.store.write { try InferenceStore.deleteModel(model.id, in: $0) }
      case 1:
        model.name = "renamed"
        try inference.store.write { try InferenceStore.save(model, in: $0) }
      case 2:
        model.capabilities = [:]
        try inference.store.write { try InferenceStore.save(model, in: $0) }
      case 3: try inference.store.write { try InferenceStore.recordUse(of: model.id, tokens: 5, in: $0) }
      case 4:
        try inference.store.write {
          try InferenceStore.recordDownload(of: model.id, at: random.pick(["/nowhere", "/dev/null"], otherwise: ""), in: $0)
        }
      case 5: _ = try inference.store.write { try InferenceStore.checkModelFiles(in: $0) }
      default: break
      }
    }
  }
}
