import Foundation

extension SourceHints {
  /// Makes the hints that a person gives as values of the options that a format declares; see `FormatDescription.Option`.
  ///
  /// - Parameter values: by the option's name: `time-zone`, `encoding`, `unit`, `language`. Others are left out.
  public init(_ values: [String: String]) {
    self.init()
    timeZone = values[FormatDescription.Option.timeZone.name].flatMap { TimeZone(identifier: $0) }
    let encodingName = values[FormatDescription.Option.encoding.name].flatMap(FormatDescription.Option.encoding.value(of:))
    encoding = SourceEncoding.all.first { $0.name == encodingName }?.encoding
    weightUnit = values["unit"]
    language = values["language"]
  }
}
