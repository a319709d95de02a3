/// A word of an open set, to which apps, formats and servers still add words. Any text is accepted, so a word that this version does not
/// know is kept unchanged.
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
/// `Words` has no values. It only makes the words of one set a type of their own.
public struct OpenWord<Words>: RawRepresentable, Sendable, Hashable, Codable, ExpressibleByStringLiteral {
  /// The word, as stored.
  public var rawValue: String

  /// Takes any text.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Makes a word from a literal.
  public init(stringLiteral word: String) { rawValue = word }
}
