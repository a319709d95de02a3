import Foundation
import Holdfast
import HoldfastInference

extension InferenceCommands {
  /// The days of a model that are shown as a table.
  private static let days = 14

  func show(_ text: String, _ console: Console) throws -> Answer {
    try inference.store.read { reader in
      let item = try InferenceLookup(text: text, in: reader).item()
      var answer =
        switch item {
        case .model(let id): try model(id, reader, console)
        case .session(let id): try session(id, reader, console)
        }
      answer.document["kind"] = .string(item.kind)
      return answer
    }
  }

  private func model(_ id: String, _ reader: Reader, _ console: Console) throws -> Answer {
    guard let model = try InferenceStore.model(id, in: reader) else { throw StoreError(.notFound, "there is no model \(id)") }
    let usage = try InferenceStore.usage(of: id, limit: Self.days, in: reader).items
    var table = TextTable([.text("DAY"), .number("GENERATIONS"), .number("ERRORS"), .number("TOKENS"), .number("COST"), .number("LATENCY")])
    for day in usage {
      table.add([
        day.day, String(day.generationCount), day.errorCount > 0 ? String(day.errorCount) : "", String(day.totalTokens),
        InferenceWords.cost(day.totalCost), InferenceWords.milliseconds(day.averageLatencyMilliseconds),
      ])
    }
    var members = Self.members(of: model)
    members["usage"] = .array(usage.map(Self.json))
    return Answer(
      document: ["model": .object(members)],
      text: Self.facts(of: model).text + (usage.isEmpty ? "" : "\n" + table.text(width: console.outputWidth)))
  }

  private static func facts(of model: ModelMetadata) -> FactList {
    var facts = FactList()
    facts.add("model", model.name)
    facts.add("description", model.description)
    facts.add("author", model.author)
    facts.add("license", model.license)
    facts.add("version", model.version)
    facts.add("format", model.format.rawValue)
    facts.add("framework", model.framework.rawValue)
    facts.add("weights", model.quantization?.rawValue)
    facts.add("size", model.sizeBytes.map(DisplayText.size))
    facts.add("memory", model.estimatedMemoryBytes.map(DisplayText.size))
    facts.add("context", model.contextLength.map { "\($0) tokens" })
    facts.add("tags", model.tags.joined(separator: ", "))
    facts.add("file", model.localPath)
    facts.add("gone since", DisplayText.time(model.missingSince))
    facts.add("from", model.downloadURL)
    let last = model.lastUsedAt.map { ", last \(DisplayText.time($0))" } ?? ""
    facts.add("used", model.usageCount > 0 ? "\(model.usageCount) times\(last)" : nil)
    facts.add("id", model.id)
    for (name, value) in model.capabilities.sorted(by: { $0.key < $1.key }) {
      facts.add(DisplayText.cut(DisplayText.printable(name), to: 60), words(value))
    }
    return facts
  }

  /// What has no field of its own: a text as it is, anything else as JSON, and of what is long the beginning.
  private static func words(_ value: JSONValue) -> String {
    if case .string(let text) = value { return DisplayText.cut(text, to: 200) }
    return DisplayText.cut(value.canonicalText(), to: 200)
  }

  private static func members(of model: ModelMetadata) -> [String: JSONValue] {
    let more: [String: JSONValue] = [
      "version": .text(model.version), "capabilities": .object(model.capabilities),
      "requirements": model.requirements.map(JSONValue.object) ?? .null, "download_url": .text(model.downloadURL),
      "estimated_memory_bytes": .number(model.estimatedMemoryBytes), "download_size_bytes": .number(model.downloadSizeBytes),
      "checksum": .text(model.checksum), "author": .text(model.author), "license": .text(model.license),
      "description": .text(model.description), "tags": .texts(model.tags), "supports_thinking": .bool(model.supportsThinking),
      "downloaded_at": .time(model.downloadedAt), "total_tokens_generated": .integer(model.totalTokensGenerated),
      "created_at": .time(model.createdAt), "updated_at": .time(model.updatedAt),
    ]
    return ShownLine.members(of: model).merging(more) { own, _ in own }
  }

  private static func json(_ usage: ModelUsage) -> JSONValue {
    .object([
      "day": .string(usage.day), "generations": .number(usage.generationCount), "errors": .number(usage.errorCount),
      "total_tokens": .integer(usage.totalTokens), "total_cost": .double(usage.totalCost),
      "mean_latency_ms": .number(usage.averageLatencyMilliseconds),
    ])
  }

  // MARK: Sessions

  private func session(_ id: UUID, _ reader: Reader, _ console: Console) throws -> Answer {
    guard let session = try InferenceStore.session(id, in: reader) else {
      throw StoreError(.notFound, "there is no session \(IDCodec.lowercase(id))")
    }
    let generations = try gather { (key: PageKey?, limit: Int) -> Page<Generation> in
      try InferenceStore.generations(of: id, after: key, limit: limit, in: reader)
    }
    var facts = FactList()
    facts.add("session", session.type.rawValue)
    facts.add("model", session.modelID)
    facts.add("started", DisplayText.time(session.startedAt))
    facts.add("ended", session.endedAt.map { DisplayText.time($0) } ?? "goes on")
    facts.add("tokens", "\(session.totalInputTokens) in, \(session.totalOutputTokens) out")
    facts.add("cost", InferenceWords.cost(session.totalCost))
    facts.add("first token", InferenceWords.milliseconds(session.averageTimeToFirstTokenMilliseconds))
    facts.add("tokens/s", InferenceWords.rate(session.averageTokensPerSecond))
    facts.add("id", IDCodec.lowercase(session.id))
    var members = ShownLine.members(of: session)
    members["message_count"] = ShownLine.number(session.messageCount)
    members["mean_time_to_first_token_ms"] = .number(session.averageTimeToFirstTokenMilliseconds)
    members["mean_tokens_per_second"] = .number(session.averageTokensPerSecond)
    members["total_duration_ms"] = .double(session.totalDurationMilliseconds)
    members["context"] = session.context.map(JSONValue.object) ?? .null
    members["generations"] = .array(generations.map(Self.json))
    return Answer(
      document: ["session": .object(members)],
      text: facts.text + (generations.isEmpty ? "" : "\n" + Self.table(generations, console)))
  }

  private static func table(_ generations: [Generation], _ console: Console) -> String {
    var table = TextTable([
      .number("NO."), .text("TIME"), .text("WHERE"), .number("PROMPT"), .number("ANSWER"), .number("LATENCY"), .number("FIRST TOKEN"),
      .number("TOKENS/S"), .number("COST"), .flexible("ERROR"),
    ])
    func whole(_ number: Int?) -> String { number.map(String.init) ?? "" }
    for generation in generations {
      let performance = generation.performance
      let target = performance?.executionTarget.rawValue ?? ""
      let error = [generation.errorCode, generation.errorMessage].compactMap { $0 }.joined(separator: ": ")
      table.add([
        String(generation.sequenceNumber), DisplayText.time(generation.createdAt), target, whole(performance?.promptTokens),
        whole(performance?.completionTokens), InferenceWords.milliseconds(performance?.latencyMilliseconds),
        InferenceWords.milliseconds(performance?.timeToFirstTokenMilliseconds), InferenceWords.rate(performance?.tokensPerSecond),
        InferenceWords.cost(generation.cost), error,
      ])
    }
    return table.text(width: console.outputWidth)
  }

  private static func json(_ generation: Generation) -> JSONValue {
    let performance = generation.performance
    return .object([
      "id": .id(generation.id), "sequence_number": .number(generation.sequenceNumber), "created_at": .time(generation.createdAt),
      "model_id": .text(performance?.modelID), "target": .text(performance?.executionTarget.rawValue),
      "latency_ms": .number(performance?.latencyMilliseconds), "prompt_tokens": ShownLine.number(performance?.promptTokens),
      "completion_tokens": ShownLine.number(performance?.completionTokens),
      "time_to_first_token_ms": .number(performance?.timeToFirstTokenMilliseconds),
      "tokens_per_second": .number(performance?.tokensPerSecond), "cost": .double(generation.cost),
      "cost_saved": .double(generation.costSaved), "framework": .text(performance?.routingFramework?.rawValue),
      "routing_reason": .text(performance?.routingReason), "request": generation.request.map(JSONValue.object) ?? .null,
      "response": generation.response.map(JSONValue.object) ?? .null, "error_code": .text(generation.errorCode),
      "error_message": .text(generation.errorMessage),
    ])
  }
}
