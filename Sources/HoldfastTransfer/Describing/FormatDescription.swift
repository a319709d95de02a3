/// A format of a library: what it is, how a source of it is recognised, and what has to be said beside it.
public struct FormatDescription: Sendable {
  /// What `--format` takes.
  public let name: String
  /// For people.
  public let what: String
  /// What a person can say that a source or a file of it leaves open.
  public let options: Set<Option>
  /// What a file of it ends with as a rule.
  public let ending: String
  /// How sure a look at a source is that it is of this format; nil: nothing speaks for it.
  public let likeness: @Sendable (SourceLook) throws -> Likeness?

  /// What a format may leave open.
  public enum Option: String, Sendable, CaseIterable {
    case timeZone = "--time-zone"
    case encoding = "--encoding"
    case unit = "--unit"
    case playlist = "--playlist"
  }

  /// How sure it is that a source is of a format.
  public enum Likeness: Sendable {
    case possible, certain
  }

  /// A format that can be read, with how it is recognised; or one that is written.
  public init(
    _ name: String, _ what: String, options: Set<Option> = [], ending: String = "json",
    likeness: @escaping @Sendable (SourceLook) throws -> Likeness? = { _ in nil }
  ) {
    (self.name, self.what, self.options, self.ending, self.likeness) = (name, what, options, ending, likeness)
  }

  /// The documented export as every library reads it; by the schemas in it, which the library's description knows.
  public static let portable = FormatDescription("holdfast", "a file that Holdfast exported")
}
