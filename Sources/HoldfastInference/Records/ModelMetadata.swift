public import Foundation
public import Holdfast

/// A model in the registry, with or without a file on this device.
public struct ModelMetadata: StoredRecord, Hashable, Identifiable {
  /// The table of these rows.
  public static let table = "model_metadata"
  /// The columns, in the order in which `init(row:)` reads and `encode(into:)` writes them.
  public static let columns = [
    "id", "name", "format", "framework", "size_bytes", "quantization", "version", "capabilities", "requirements", "download_url",
    "local_path", "missing_since", "context_length", "estimated_memory_bytes", "download_size_bytes", "checksum", "author", "license",
    "description", "tags", "supports_thinking", "thinking_open_tag", "thinking_close_tag", "downloaded_at", "last_used_at", "usage_count",
    "total_tokens_generated", "created_at", "updated_at", "name_key", "search_key",
  ]

  /// Unique; any text but an empty one.
  public var id: String
  /// The name for people.
  public var name: String
  /// The format of the file.
  public var format: ModelFormat
  /// The framework that runs the model.
  public var framework: ModelFramework
  /// The size of the file; nil when unknown.
  public var sizeBytes: Int64?
  /// The precision of the weights; nil when unknown.
  public var quantization: Quantization?
  /// Nil when unknown.
  public var version: String?
  /// The abilities of the model; the names are not standardised.
  public var capabilities: [String: JSONValue]
  /// The requirements of the model; nil when unknown.
  public var requirements: [String: JSONValue]?
  /// The address to download from; nil when unknown.
  public var downloadURL: String?
  /// The path of the file; nil when it was not downloaded.
  public var localPath: String?
  /// When a check first missed the file at `localPath`; nil when it was there, or was never checked.
  public var missingSince: Date?
  /// In tokens; nil when unknown.
  public var contextLength: Int?
  /// The memory that the model needs; nil when unknown.
  public var estimatedMemoryBytes: Int64?
  /// The size of a download; nil when unknown.
  public var downloadSizeBytes: Int64?
  /// The file's checksum from its publisher; nil when not given.
  public var checksum: String?
  /// Nil when unknown.
  public var author: String?
  /// Nil when unknown.
  public var license: String?
  /// Nil when not given.
  public var description: String?
  /// In the given order.
  public var tags: [String]
  /// Whether the model thinks before it answers.
  public var supportsThinking: Bool
  /// The tags around its thinking; nil when unknown.
  public var thinkingTags: ThinkingTags?
  /// To the millisecond; nil when it was not downloaded.
  public var downloadedAt: Date?
  /// To the millisecond; nil when it was never used.
  public var lastUsedAt: Date?
  /// How many generations the model made.
  public var usageCount: Int
  /// How many tokens the model generated.
  public var totalTokensGenerated: Int64
  /// To the millisecond.
  public var createdAt: Date
  /// To the millisecond. A sync compares it.
  public var updatedAt: Date

  /// Whether the file is on this device, by the last check.
  public var isDownloaded: Bool { localPath != nil && missingSince == nil }

  /// A model. Dates are rounded to the millisecond, so that a loaded value equals the saved one.
  public init(
    id: String, name: String, format: ModelFormat = .unknown, framework: ModelFramework, sizeBytes: Int64? = nil,
    quantization: Quantization? = nil, version: String? = nil, capabilities: [String: JSONValue] = [:],
    requirements: [String: JSONValue]? = nil, downloadURL: String? = nil, localPath: String? = nil, missingSince: Date? = nil,
    contextLength: Int? = nil, estimatedMemoryBytes: Int64? = nil, downloadSizeBytes: Int64? = nil, checksum: String? = nil,
    author: String? = nil, license: String? = nil, description: String? = nil, tags: [String] = [], supportsThinking: Bool = false,
    thinkingTags: ThinkingTags? = nil, downloadedAt: Date? = nil, lastUsedAt: Date? = nil, usageCount: Int = 0,
    totalTokensGenerated: Int64 = 0, createdAt: Date, updatedAt: Date? = nil
  ) {
    self.id = id
    self.name = name
    self.format = format
    self.framework = framework
    self.sizeBytes = sizeBytes
    self.quantization = quantization
    self.version = version
    self.capabilities = capabilities
    self.requirements = requirements
    self.downloadURL = downloadURL
    self.localPath = localPath
    self.missingSince = missingSince.map(DateCodec.rounded)
    self.contextLength = contextLength
    self.estimatedMemoryBytes = estimatedMemoryBytes
    self.downloadSizeBytes = downloadSizeBytes
    self.checksum = checksum
    self.author = author
    self.license = license
    self.description = description
    self.tags = tags
    self.supportsThinking = supportsThinking
    self.thinkingTags = thinkingTags
    self.downloadedAt = downloadedAt.map(DateCodec.rounded)
    self.lastUsedAt = lastUsedAt.map(DateCodec.rounded)
    self.usageCount = usageCount
    self.totalTokensGenerated = totalTokensGenerated
    self.createdAt = DateCodec.rounded(createdAt)
    self.updatedAt = DateCodec.rounded(updatedAt ?? createdAt)
  }

  /// - Throws: `.decoding` for a value that is damaged.
  public init(row: inout StoredRow) throws {
    id = try row.text()
    name = try row.text()
    format = ModelFormat(rawValue: try row.text())
    framework = ModelFramework(rawValue: try row.text())
    sizeBytes = try row.int64OrNil()
    quantization = try row.textOrNil().map(Quantization.init(rawValue:))
    version = try row.textOrNil()
    capabilities = try row.objectOrNil() ?? [:]
    requirements = try row.objectOrNil()
    downloadURL = try row.textOrNil()
    localPath = try row.textOrNil()
    missingSince = try row.dateOrNil()
    contextLength = try row.intOrNil()
    estimatedMemoryBytes = try row.int64OrNil()
    downloadSizeBytes = try row.int64OrNil()
    checksum = try row.textOrNil()
    author = try row.textOrNil()
    license = try row.textOrNil()
    description = try row.textOrNil()
    tags = try row.textsOrNil() ?? []
    supportsThinking = try row.bool()
    thinkingTags = try row.thinkingTagsOrNil()
    downloadedAt = try row.dateOrNil()
    lastUsedAt = try row.dateOrNil()
    usageCount = try row.int()
    totalTokensGenerated = try row.int64()
    createdAt = try row.date()
    updatedAt = try row.date()
    // Derived from the others. Read only to reach the end of the row.
    _ = try (row.text(), row.text())
  }

  /// - Throws: `.invalidValue` for a number that is not finite and a date that cannot be stored.
  public func encode(into values: inout Values) throws {
    try values.text(id)
    try values.text(name)
    try values.text(format.rawValue)
    try values.text(framework.rawValue)
    try values.int64(sizeBytes)
    try values.text(quantization?.rawValue)
    try values.text(version)
    try values.object(capabilities)
    try values.object(requirements)
    try values.text(downloadURL)
    try values.text(localPath)
    try values.date(missingSince)
    try values.int(contextLength)
    try values.int64(estimatedMemoryBytes)
    try values.int64(downloadSizeBytes)
    try values.text(checksum)
    try values.text(author)
    try values.text(license)
    try values.text(description)
    try values.texts(tags)
    try values.bool(supportsThinking)
    try values.thinkingTags(thinkingTags)
    try values.date(downloadedAt)
    try values.date(lastUsedAt)
    try values.int(usageCount)
    try values.int64(totalTokensGenerated)
    try values.date(createdAt)
    try values.date(updatedAt)
    try values.text(SortText.folded(name))
    try values.text(SortText.folded(([name, id, author ?? ""] + tags).joined(separator: "\n")))
  }
}
