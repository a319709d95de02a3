public import Foundation

/// What a source leaves open about itself, and a person may know.
///
/// Only formats that do leave it open look at it.
public struct SourceHints: Sendable, Equatable {
  /// Where the clock stood that the source's times were read from; nil: where this computer is.
  public var timeZone: TimeZone?
  /// How the source's text is encoded, whatever it looks like; nil: it is guessed.
  public var encoding: String.Encoding?
  /// What the source's weights are counted in where it does not say, as its library spells units, for example `kg`; nil: nobody knows.
  public var weightUnit: String?

  /// Nothing is known, until it is set.
  public init() {}
}
