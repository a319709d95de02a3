import Foundation

extension SourceHints {
  /// Makes the hints that a person gives as values of the options that a format declares; see `FormatDescription.Option`.
  ///
  /// - Parameter values: by the option's name: `time-zone`, `encoding`, `unit`. Others are left out.
  public init(_ values: [String: String]) {
    self.init()
    timeZone = values[FormatDescription.Option.timeZone.name].flatMap { TimeZone(identifier: $0) }
    encoding = values[FormatDescription.Option.encoding.name].flatMap { name in SourceEncoding.all.first { $0.name == name }?.encoding }
    weightUnit = values["unit"]
  }
}
