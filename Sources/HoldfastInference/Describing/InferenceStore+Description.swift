import Foundation
import Holdfast
public import HoldfastTransfer

extension InferenceStore {
  /// The library's formats, lists, kinds and counts, for the command line. An import seals a source's API keys with the key in
  /// the environment variable `HOLDFAST_SECRET_KEY`, or leaves them out.
  public static let description: LibraryDescription = {
    var library = LibraryDescription(schema)
    @Sendable func isDatabase(_ source: SourceLook) -> FormatDescription.Likeness? {
      guard let tables = source.tables else { return nil }
      return tables.isDisjoint(with: ["model_metadata", "generation_sessions", "generation_history"]) ? nil : .certain
    }
    library.readable = [
      FormatDescription("inference-blobs", "the SDK's first database, runanywhere.db, with JSON in its rows", likeness: isDatabase),
      FormatDescription(
        "inference-grdb", "the SDK's second database, of the same name, with one column for each field", likeness: isDatabase),
      FormatDescription("gguf", "a model in GGUF; of a model in parts, the first part") { source in
        source.tables == nil && source.beginning.hasPrefix("GGUF") ? .certain : nil
      },
      FormatDescription("hf-config", "the config.json of a model, of Hugging Face or MLX") { source in
        source.member("model_type") != nil || source.member("architectures") != nil ? .certain : nil
      },
      .portable,
    ]
    library.writable = [FormatDescription("holdfast", "everything but secrets, with a checksum")]
    library.counted = [("model_metadata", "model", "models"), ("generations", "generation", "generations")]
    library.lists = [
      ListDescription("models", "by name", ShownInference.models) {
        try $0.count("SELECT count(*) FROM model_metadata")
      } page: {
        try models(.all, after: $1, limit: $2, in: $0)
      },
      ListDescription("sessions", "newest first", ShownInference.sessions) {
        try $0.count("SELECT count(*) FROM generation_sessions")
      } page: {
        try sessions(after: $1, limit: $2, in: $0)
      },
      ListDescription("preferences", "by name", ShownInference.preferences) { try preferences(in: $0) },
      ListDescription("telemetry", "how many events of each type", ShownInference.telemetry, all: ShownInference.eventTypes),
      ListDescription("conflicts", "values that lost in a sync, newest first", ShownInference.conflicts) {
        try conflictCount(in: $0)
      } page: {
        try syncConflicts(after: $1, limit: $2, in: $0)
      },
    ]
    library.kinds = ShownInference.kinds
    library.searched = "models by name, id, author and tags"
    library.search = ShownInference.search
    library.info = ShownInference.info
    library.stats = ShownInference.stats
    library.sync = ShownInference.sync
    library.aboutImports = """
      Of a model, in GGUF or with a config.json, only its description is read, and no copy is kept of GGUF; SOURCE may be the model's folder. \
      Keys of an API in a source are sealed with the key in HOLDFAST_SECRET_KEY, or left out.
      """
    library.filesOfFolder = { _, names, format in
      if format != "gguf", names.contains("config.json") { return ["config.json"] }
      return names.filter { $0.lowercased().hasSuffix(".gguf") && (ModelFiles($0).part ?? 1) == 1 }.sorted()
    }
    library.importing = { wanted in
      // A model's file is checked first, before anything is hashed: it may have many gigabytes, and only its header is read.
      let isModel = try wanted.format.map(modelNames.contains) ?? describesModel(wanted.source)
      guard !isModel else {
        return try importModels(
          from: wanted.source, into: wanted.store, format: wanted.format, options: wanted.options, storeOptions: wanted.storeOptions)
      }
      return try importLibrary(
        from: wanted.source, into: wanted.store, format: wanted.format, secretKey: SecretKey.inEnvironment(wanted.environment),
        options: wanted.options, storeOptions: wanted.storeOptions)
    }
    library.exporting = { store, url, _, _ in
      var report = try store.export(to: url)
      let (names, conflicts) = try store.read { (try secretNames(in: $0), try conflictCount(in: $0)) }
      report.leftOut = names.map {
        .init(kind: "secrets", id: $0, reason: "a secret is in no export; set it again where the file is imported")
      }
      if conflicts > 0 {
        let reason = "values that lost against a server's; see holdfast list … conflicts"
        report.leftOut.append(.init(kind: "sync_conflicts", id: String(conflicts), reason: reason))
      }
      return report
    }
    return library
  }()

  /// The person's consent; `denied` if the person was never asked.
  static func consent(in reader: Reader) throws -> TelemetryConsent {
    try configuration(in: reader)?.analytics.telemetryConsent ?? .denied
  }

  static func conflictCount(in reader: Reader) throws -> Int { try reader.count("SELECT count(*) FROM sync_conflicts") }

  private static func describesModel(_ source: URL) throws -> Bool {
    guard !SQLiteSource.isDatabase(source) else { return false }
    let look = try SourceLook(source)
    return try description.readable.contains { try modelNames.contains($0.name) && $0.likeness(look) != nil }
  }
}
