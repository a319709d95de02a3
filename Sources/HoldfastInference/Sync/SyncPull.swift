import Foundation
import Holdfast
import HoldfastTransfer

/// Pulls the configuration, or the catalogue of models page by page. The tables of fields for the SDK's databases also read the
/// server's answers.
struct SyncPull: Sendable {
  /// The content of an answer.
  enum Pulled: Sendable {
    case configuration(SaidRow<InferenceConfiguration>)
    case models([SaidRow<ModelMetadata>])
  }

  /// The path to request next; nil at the end.
  private(set) var question: String?
  private var catalog: Catalog?

  /// The pulls that `options` ask for, in the order in which they run.
  static func all(_ options: SyncOptions) -> [SyncPull] {
    let catalog = options.catalogPath.map { Catalog(path: $0) }
    return [SyncPull(question: options.configurationPath), SyncPull(question: catalog?.question, catalog: catalog)]
  }

  mutating func read(_ answer: JSONValue) throws(StoreError) -> Pulled {
    guard var catalog else {
      let configuration = try Self.configuration(answer, question ?? "")
      question = nil
      return .configuration(configuration)
    }
    let models = try catalog.read(answer)
    (self.catalog, question) = (catalog, catalog.question)
    return .models(models)
  }

  /// Reads `{id, data, version, lastModified}`. `data` is JSON as text, in base64 or not, or the JSON itself.
  static func configuration(_ answer: JSONValue, _ path: String) throws(StoreError) -> SaidRow<InferenceConfiguration> {
    guard case .object(let envelope) = answer, let object = content(of: envelope), ConfigurationShape(object) == .nested else {
      throw SyncOutcome.unreadable(path)
    }
    var members = ConfigurationShape.nested.members(object)
    if !members.has("id") { members.set("id", envelope["id"] ?? .null) }
    let configuration = InferenceConfiguration(id: "", createdAt: .unset)
    let pulled = read(members, updatedAt: envelope["lastModified"], ConfigurationFields.nested, into: configuration)
    guard let pulled, !pulled.row.id.isEmpty else { throw SyncOutcome.unreadable(path) }
    return pulled
  }

  /// Nil for JSON that is not such a row. A field that is null or missing has no effect: our value stays.
  private static func read<Row: Sendable>(
    _ found: SourceMembers, updatedAt: JSONValue?, _ fields: FieldTable<Row>, into empty: Row
  ) -> SaidRow<Row>? {
    var members = found
    if !members.has("updatedAt") { members.set("updatedAt", updatedAt ?? .null) }
    if !members.has("createdAt") { members.set("createdAt", members.value("updatedAt")) }
    let said = members.read(fields, into: empty)
    return members.problem == nil ? said : nil
  }

  private static func content(of envelope: [String: JSONValue]) -> [String: JSONValue]? {
    switch envelope["data"] {
    case nil: return envelope
    case .object(let object)?: return object
    case .string(let text)?:
      if let object = [String: JSONValue](json: text) { return object }
      return Data(base64Encoded: text).flatMap { [String: JSONValue](json: String(decoding: $0, as: UTF8.self)) }
    default: return nil
    }
  }

  /// Reads the catalogue of models, page by page, until all have come or a page has nothing new.
  struct Catalog: Sendable {
    private static let modelsInPage = 100
    /// The greatest number of models, so that a server with endless pages cannot keep the service busy forever.
    private static let mostModels = 100_000

    private let path: String
    private var page = 1
    private var elements = 0
    private var seen: Set<ExactText> = []
    private var isComplete = false

    init(path: String) { self.path = path }

    /// The path of the next page; nil when there is none.
    var question: String? {
      isComplete ? nil : "\(path)\(path.contains("?") ? "&" : "?")page=\(page)&pageSize=\(Self.modelsInPage)"
    }

    /// The readable models; an unreadable one is left out.
    mutating func read(_ answer: JSONValue) throws(StoreError) -> [SaidRow<ModelMetadata>] {
      guard case .object(let members) = answer, case .array(let found)? = members["models"] else { throw SyncOutcome.unreadable(path) }
      var models: [SaidRow<ModelMetadata>] = []
      for case .object(let object) in found {
        guard let model = SyncPull.model(object, updatedAt: members["lastUpdated"]), seen.insert(ExactText(model.row.id)).inserted else {
          continue
        }
        models.append(model)
      }
      page += 1
      elements += found.count
      isComplete = models.isEmpty || seen.count >= Self.mostModels
      if case .integer(let total)? = members["totalCount"], Int64(elements) >= total { isComplete = true }
      return models
    }
  }

  private static func model(_ object: [String: JSONValue], updatedAt: JSONValue?) -> SaidRow<ModelMetadata>? {
    var members = SourceMembers(object)
    members.pair("thinkingOpenTag", "thinkingCloseTag", as: "thinkingTags")
    let pulled = read(members, updatedAt: updatedAt, ModelFields.json, into: .blank)
    return pulled?.row.id.isEmpty == false ? pulled : nil
  }
}
