import Foundation

extension FormatDescription {
  /// An option of a format: information that a source lacks and a person knows, or a choice among forms of the written file.
  ///
  /// Formats that share an option declare the same one. A program gives the values to `LibraryImport`, as `values` and as hints, and to
  /// `LibraryDescription.exporting`.
  public struct Option: Sendable {
    /// The name: `time-zone` is `--time-zone` on a command line.
    public let name: String
    /// A sentence for people.
    public let help: String
    /// The values that the option allows.
    public let values: Values

    /// The values that an option allows.
    public enum Values: Sendable {
      /// One of these words, in any case.
      case words([String])
      /// The identifier of a time zone, such as `Europe/Berlin`.
      case timeZone
      /// A thing of the `ShownKind` with this name. A person gives its id or its name. An export gets the id, an import the
      /// text.
      case thing(String)
    }

    /// Declares an option.
    public init(_ name: String, _ help: String, _ values: Values) { (self.name, self.help, self.values) = (name, help, values) }

    /// The time zone of a source's local times. Default: this computer's.
    public static let timeZone = Option("time-zone", "The time zone of the source's times, as Europe/Berlin.", .timeZone)
    /// The encoding of a source's text, by one of the names that `SourceHints(_:)` knows. Default: it is guessed.
    public static let encoding = Option(
      "encoding", "The encoding of a text that is not UTF-8: windows-1251, shift_jis, gbk.", .words(SourceEncoding.all.map(\.name)))

    /// The value that a person's text means, as libraries read it; nil: the option does not allow the text.
    public func value(of text: String) -> String? {
      switch values {
      case .words(let words): words.first { $0.lowercased() == text.lowercased() }
      case .timeZone: TimeZone(identifier: text).map { _ in text }
      case .thing: text
      }
    }

    /// The allowed values as the end of a sentence for people: `one of kg, lb`.
    public var allowed: String {
      switch values {
      case .words(let words): "one of \(words.joined(separator: ", "))"
      case .timeZone: "a time zone, such as Europe/Berlin, America/New_York or UTC"
      case .thing(let kind): "the id or the name of one \(kind)"
      }
    }

    /// Values that a program can suggest; empty where it must look into a store.
    public var suggestions: [String] {
      switch values {
      case .words(let words): words
      case .timeZone: TimeZone.knownTimeZoneIdentifiers
      case .thing: []
      }
    }
  }
}
