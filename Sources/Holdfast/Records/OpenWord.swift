/// A word of an open set: values that apps, formats and servers still add to. Any text is taken, so a word that this version does not know
/// survives word for word.
///
/// ```swift
/// /// What a set was for.
/// public typealias SetType = OpenWord<SetTypes>
/// /// Tells `SetType` from other words.
/// public enum SetTypes {}
///
/// extension SetType {
///   /// The work. The default.
///   public static var working: Self { "working" }
/// }
/// ```
/// `Words` is never made: it tells the words of one set from those of another.
public struct OpenWord<Words>: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// As it is stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// A word that is written out.
  public init(stringLiteral word: String) { rawValue = word }
}
