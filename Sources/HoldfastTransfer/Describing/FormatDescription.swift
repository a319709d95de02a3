/// A format of a library: its name, how its sources are recognised, and which options it needs.
public struct FormatDescription: Sendable {
  /// The name for `--format`.
  public let name: String
  /// A description for people.
  public let what: String
  /// The options that its importer or its exporter reads.
  public let options: [Option]
  /// The usual file extension.
  public let ending: String
  /// How likely a source has this format, from a look at the source; nil: nothing indicates it.
  public let likeness: @Sendable (SourceLook) throws -> Likeness?

  /// How likely a source has a format.
  public enum Likeness: Sendable {
    case possible, certain
  }

  /// Describes a format: with `likeness` if it can be read, without if it is only written.
  public init(
    _ name: String, _ what: String, options: [Option] = [], ending: String = "json",
    likeness: @escaping @Sendable (SourceLook) throws -> Likeness? = { _ in nil }
  ) {
    (self.name, self.what, self.options, self.ending, self.likeness) = (name, what, options, ending, likeness)
  }

  /// The documented export, which every library reads. Recognised by the schemas in it, which the library's description knows.
  public static let portable = FormatDescription("holdfast", "a file that Holdfast exported")

  /// The documented export, as a format to write.
  public static let documentedExport = FormatDescription(
    "holdfast", "Holdfast's documented export: everything, checksummed, importable")
}
