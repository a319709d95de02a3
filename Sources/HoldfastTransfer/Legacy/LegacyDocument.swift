public import Holdfast

/// An app's own JSON document: one object with a version, lists of records, and perhaps the list `unread` of legacy mode.
///
/// ```swift
/// static let form = LegacyDocument.Form("the app's library", versionKey: "version", versions: 1...2, lists: ["books", "notes"])
/// let document = try LegacyDocument(JSONDocument(contentsOf: url), as: form)
/// try document.scan(kinds, visit) { list, element in … }
/// ```
public struct LegacyDocument: Sendable {
  /// What an app's documents look like.
  public struct Form: Sendable {
    let whose: String
    let versionKey: String
    let versions: ClosedRange<Int>
    let refusesOlder: Bool
    let lists: [String]

    /// Describes documents.
    ///
    /// - Parameters:
    ///   - whose: names such a document in errors about other documents: `the app's library`.
    ///   - versionKey: the member with the version, a whole number.
    ///   - versions: from the version of a document without a number to the newest that can be read.
    ///   - refusesOlder: whether a number below `versions` is refused. Default false: it counts as the oldest version.
    ///   - lists: the members with lists, in the order in which they are read. A document without the first one is refused.
    public init(_ whose: String, versionKey: String, versions: ClosedRange<Int>, refusesOlder: Bool = false, lists: [String]) {
      (self.whose, self.versionKey, self.versions, self.lists) = (whose, versionKey, versions, lists)
      self.refusesOlder = refusesOlder
    }
  }

  private let document: JSONDocument
  private let form: Form
  private let isDamaged: Bool
  /// As the document has it.
  private var number: Int64
  private var lists: [String: JSONScanner] = [:]
  private var unread: JSONScanner?
  private var unknown: [(key: String, at: JSONScanner)] = []
  /// Why the document cannot be read as a whole.
  private var problem: StoreError?

  /// Reads the whole document once, so that a document that is cut off is refused before anything is written.
  ///
  /// - Throws: `.invalidSource` with the byte offset; `.newerSource`.
  public init(_ document: JSONDocument, as form: Form) throws {
    self.init(document, form, isDamaged: false)
    if let problem { throw problem }
    guard number <= form.versions.upperBound else {
      throw StoreError(
        .newerSource,
        "this library has \(form.versionKey) \(number), which is newer than \(form.versions.upperBound), the newest that can be read; "
          + "nothing was changed")
    }
    if form.refusesOlder, number < form.versions.lowerBound {
      throw StoreError(.invalidSource, "this library has \(form.versionKey) \(number), which does not exist", offset: 0)
    }
    if let first = form.lists.first, lists[first] == nil {
      throw StoreError(.invalidSource, "this JSON has no \"\(first)\": expected \(form.whose) at byte 0", offset: 0)
    }
  }

  /// Reads a document that is damaged, cut off or of a newer version, up to the damage. Nil when there is none of its lists before it.
  public init?(asFarAsReadable document: JSONDocument, as form: Form) {
    self.init(document, form, isDamaged: true)
    if lists.isEmpty { return nil }
  }

  private init(_ document: JSONDocument, _ form: Form, isDamaged: Bool) {
    (self.document, self.form, self.isDamaged, number) = (document, form, isDamaged, Int64(form.versions.lowerBound))
    var scanner = JSONScanner(document)
    do {
      try scanner.object { key, value in
        do { try take(key.string, value) } catch { problem = problem ?? .invalidJSON(error) }
      }
      try scanner.finish()
    } catch {
      problem = problem ?? .invalidJSON(error)
    }
  }

  private mutating func take(_ key: String, _ value: JSONScanner) throws {
    var value = value
    switch key {
    case form.versionKey: number = try value.int64()
    case _ where form.lists.contains(key):
      guard lists[key] == nil else { throw StoreError.standsTwice(key, at: value.offset) }
      // Throws, and names the value that stands instead of a list.
      if try value.peek() != .array { try value.array { _, _ in } }
      lists[key] = value
    case "unread" where try value.peek() == .array: unread = value
    default: unknown.append((key, value))
    }
  }

  /// The document's version, within the versions of its form.
  public var version: Int { min(max(form.versions.lowerBound, Int(clamping: number)), form.versions.upperBound) }

  /// The size in bytes.
  public var total: Int { document.count }

  /// Whether legacy mode wrote this document, that is whether it has a list of unread records. Then everything in it can be written again.
  public var isWrittenBack: Bool { unread != nil && !isDamaged }

  /// Reads the lists. Unknown members come first, as damaged fields, and the records of `unread` last. In a damaged document, everything after
  /// the damage in a list is one damaged record of the list's name.
  ///
  /// - Parameters:
  ///   - kinds: the kinds of the format, for the records of `unread`.
  ///   - element: called with a list's name and the scanner at each of its elements.
  /// - Throws: `.invalidSource` with the offset; the errors of `visit` and `element`.
  public func scan<Content>(
    _ kinds: [(name: String, table: String)], _ visit: (Scanned<Content>, _ position: Int) throws -> Void,
    _ element: (_ list: String, _ at: inout JSONScanner) throws -> Void
  ) throws {
    let first = form.lists.first ?? ""
    for (key, at) in unknown {
      try visit(
        .damagedField(kind: first, field: key, path: .json(.root), reason: "this field is not known", original: .value(at)), at.offset)
    }
    for name in form.lists {
      guard var list = lists[name] else { continue }
      try untilDamage(name, from: list.offset, visit) { begun in
        try list.array { _, value in
          begun = value.offset
          try element(name, &value)
          begun = value.offset
        }
      }
    }
    guard let unread else { return }
    try untilDamage(first, from: unread.offset, visit) { _ in
      try UnreadRecord.scan(unread, kinds: [first] + kinds.map(\.name), visit)
    }
  }

  /// `body` says how far it has read.
  private func untilDamage<Content>(
    _ kind: String, from start: Int, _ visit: (Scanned<Content>, Int) throws -> Void, _ body: (inout Int) throws -> Void
  ) throws {
    var begun = start
    do {
      try body(&begun)
    } catch let error as JSONScanError {
      guard isDamaged else { throw StoreError.invalidJSON(error) }
      let rest = SourceBytes.bytes(document.bytes(begun..<document.count))
      try visit(
        .damaged(kind: kind, path: .text(error.path), reason: StoreError.invalidJSON(error).message, original: rest), document.count)
    }
  }
}
