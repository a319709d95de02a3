import Foundation
import Holdfast
import HoldfastInference
import HoldfastTransfer

/// What an SDK that runs language models keeps, on the command line.
struct InferenceCommands: LibraryCommands {
  static let schema = InferenceStore.schema
  static let readableFormats: [Format] =
    InferenceStore.readableFormats.dropLast().map(Format.init) + InferenceStore.modelFormats.map(Format.init)
    + InferenceStore.readableFormats.suffix(1).map(Format.init)
  static let writableFormats = [Format(name: "holdfast", what: "everything but secrets, with a checksum")]
  static let lists = ["models", "sessions", "preferences", "telemetry", "conflicts"]
  static let counted = [(table: "model_metadata", what: "models"), (table: "generations", what: "generations")]

  let inference: InferenceStore

  init(_ store: Store) { inference = InferenceStore(store) }

  static func likeness(of source: SourceLook) -> Likeness? {
    if let exported = source.exportedSchemas { return exported.contains(name) ? .certain : nil }
    if let tables = source.tables {
      return tables.isDisjoint(with: ["model_metadata", "generation_sessions", "generation_history"]) ? nil : .certain
    }
    return likeness(ofModel: source) ? .certain : nil
  }

  private static func likeness(ofModel source: SourceLook) -> Bool {
    source.isModel || source.member("model_type") != nil || source.member("architectures") != nil
  }

  /// A model's file is looked at before anything is hashed: it may have many gigabytes, of which only the header is read.
  static func importLibrary(
    from source: URL, into store: URL, format: String?, hints: SourceHints, options: ImportOptions, storeOptions: StoreOptions
  ) throws -> ImportReport {
    guard hints == SourceHints() else {
      throw StoreError(
        .wrongKind, "what is imported into a library of \(Self.name) says its times and its encoding itself, and has no weights of sets",
        suggestion: "the same without --time-zone, --encoding and --unit")
    }
    guard try isModel(source, format) else {
      return try InferenceStore.importLibrary(
        from: source, into: store, format: format, secretKey: SecretVariable.key(), options: options, storeOptions: storeOptions)
    }
    return try InferenceStore.importModels(from: source, into: store, format: format, options: options, storeOptions: storeOptions)
  }

  private static func isModel(_ source: URL, _ format: String?) throws -> Bool {
    if let format { return InferenceStore.modelFormats.contains { $0.name == format } }
    if SQLiteSource.isDatabase(source) { return false }
    return likeness(ofModel: try SourceLook(source))
  }

  func export(to file: URL, format: String, _ wishes: ExportWishes) throws -> ExportReport {
    try wishes.refusePlaylist(of: Self.name)
    try wishes.refuseUnit(of: "the format \(format)")
    var report = try inference.store.export(to: file)
    report.leftOut = try inference.secretNames().map { name in
      .init(kind: "secrets", id: name, reason: "a secret is in no export; set it again where the file is imported")
    }
    let conflicts = try inference.store.read { try $0.count("SELECT count(*) FROM sync_conflicts") }
    if conflicts > 0 {
      report.leftOut.append(
        .init(kind: "sync_conflicts", id: String(conflicts), reason: "values that lost against a server's; see holdfast list … conflicts"))
    }
    return report
  }

  func info(_ facts: inout FactList) throws -> JSONValue {
    let counts = try inference.store.read(Counts.init)
    facts.add("models", "\(counts.models), \(counts.downloaded) with a file, \(counts.missing) whose file is gone")
    facts.add("configurations", String(counts.configurations))
    facts.add("consent", counts.consent)
    facts.add("sessions", String(counts.sessions))
    facts.add("generations", String(counts.generations))
    facts.add("preferences", String(counts.preferences))
    facts.add(
      "telemetry", "\(counts.telemetry.total) events, \(counts.telemetry.pending) to be sent, \(counts.telemetry.setAside) set aside")
    facts.add("secrets", String(counts.secrets))
    return .object([
      "models": .number(counts.models), "downloaded_models": .number(counts.downloaded), "missing_models": .number(counts.missing),
      "configurations": .number(counts.configurations), "consent": .string(counts.consent), "sessions": .number(counts.sessions),
      "generations": .number(counts.generations), "preferences": .number(counts.preferences),
      "events": .number(counts.telemetry.total), "pending_events": .number(counts.telemetry.pending),
      "set_aside_events": .number(counts.telemetry.setAside), "secrets": .number(counts.secrets),
    ])
  }

  /// What a person has agreed to; nobody was asked: denied.
  static func consent(in reader: Reader) throws -> String {
    (try InferenceStore.configuration(in: reader)?.analytics.telemetryConsent ?? .denied).rawValue
  }

  private struct Counts {
    let models: Int
    let downloaded: Int
    let missing: Int
    let configurations: Int
    let consent: String
    let sessions: Int
    let generations: Int
    let preferences: Int
    let telemetry: TelemetryCounts
    let secrets: Int

    init(_ reader: Reader) throws {
      models = try reader.count("SELECT count(*) FROM model_metadata")
      downloaded = try reader.count("SELECT count(*) FROM model_metadata WHERE local_path IS NOT NULL AND missing_since IS NULL")
      missing = try reader.count("SELECT count(*) FROM model_metadata WHERE local_path IS NOT NULL AND missing_since IS NOT NULL")
      configurations = try reader.count("SELECT count(*) FROM configuration")
      consent = try InferenceCommands.consent(in: reader)
      sessions = try reader.count("SELECT count(*) FROM generation_sessions")
      generations = try reader.count("SELECT count(*) FROM generations")
      preferences = try reader.count("SELECT count(*) FROM user_preferences")
      telemetry = try InferenceStore.telemetryCounts(in: reader)
      secrets = try reader.count("SELECT count(*) FROM secrets")
    }
  }
}
