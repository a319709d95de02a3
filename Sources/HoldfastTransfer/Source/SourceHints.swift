public import Foundation

/// Information that a source lacks and a person may know.
///
/// Only formats whose sources lack this information use it.
public struct SourceHints: Sendable, Equatable {
  /// The time zone of the source's local times; nil: this computer's.
  public var timeZone: TimeZone?
  /// The encoding of the source's text; nil: it is guessed.
  public var encoding: String.Encoding?
  /// The unit of the source's weights where the source does not name it, as its library spells units, for example `kg`; nil: unknown.
  public var weightUnit: String?

  /// The language of the source's words, such as the names of months, as two letters: `de`; nil: it is found out.
  public var language: String?

  /// Makes empty hints.
  public init() {}

  /// Makes the hints that a person gives as values of the options that a format declares; see `FormatDescription.Option`.
  ///
  /// - Parameter values: by the option's name: `time-zone`, `encoding`, `unit`, `language`. Others are left out.
  public init(_ values: [String: String]) {
    timeZone = values[FormatDescription.Option.timeZone.name].flatMap { TimeZone(identifier: $0) }
    let encodingName = values[FormatDescription.Option.encoding.name].flatMap(FormatDescription.Option.encoding.value(of:))
    encoding = SourceEncoding.all.first { $0.name == encodingName }?.encoding
    weightUnit = values["unit"]
    language = values["language"]
  }
}
