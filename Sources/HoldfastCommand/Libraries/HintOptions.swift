import ArgumentParser
import Foundation
import Holdfast
import HoldfastTransfer

/// What the person says about a source that the source does not say itself.
struct HintOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp("The time zone of the source's times, as Europe/Berlin.", valueName: "name"),
    completion: .list(TimeZone.knownTimeZoneIdentifiers))
  var timeZone: String?

  @Option(
    help: ArgumentHelp("The encoding of a list that is not UTF-8: windows-1251, shift_jis, gbk.", valueName: "name"),
    completion: .list(encodings.map(\.name)))
  var encoding: String?

  @Option(
    help: ArgumentHelp("The unit of a table's weights, if the table does not name it: kg or lb.", valueName: "kg|lb"),
    completion: .list(units))
  var unit: String?

  static let units = ["kg", "lb"]

  /// The variants of Windows and macOS: Windows' Shift-JIS and GBK, for example, have more characters than the standards.
  static let encodings: [(name: String, encoding: String.Encoding)] =
    [("utf-8", .utf8), ("windows-1252", .windowsCP1252)]
    + [
      ("windows-1250", 0x501), ("windows-1251", 0x502), ("windows-1253", 0x503), ("windows-1254", 0x504), ("windows-1255", 0x505),
      ("windows-1256", 0x506), ("windows-1257", 0x507), ("windows-1258", 0x508), ("iso-8859-2", 0x202), ("iso-8859-15", 0x20F),
      ("koi8-r", 0xA02), ("ibm850", 0x410), ("ibm866", 0x41B), ("macintosh", 0), ("shift_jis", 0x420), ("gbk", 0x421), ("gb18030", 0x632),
      ("big5", 0x423), ("euc-kr", 0x422),
    ].map { ($0.0, core($0.1)) }

  /// Uses Core Foundation's number, because Swift names only a few encodings.
  private static func core(_ number: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 | number) }

  private var hints: SourceHints {
    var hints = SourceHints()
    hints.timeZone = timeZone.flatMap { TimeZone(identifier: $0) }
    hints.encoding = Self.encoding(encoding)
    hints.weightUnit = unit
    return hints
  }

  /// An import with these hints.
  func wanted(from source: URL, into store: URL, format: String?, _ lock: LockOptions) -> LibraryImport {
    var wanted = LibraryImport(from: source, into: store)
    (wanted.format, wanted.hints, wanted.storeOptions) = (format, hints, lock.storeOptions)
    wanted.environment = ProcessInfo.processInfo.environment
    return wanted
  }

  /// - Throws: `.wrongKind` for a given hint that no format in question uses.
  func importing(_ wanted: LibraryImport, _ library: LibraryDescription) throws -> ImportReport {
    let open = library.readable.filter { wanted.format == nil || $0.name == wanted.format }.flatMap(\.options)
    try Self.refuse([(.timeZone, timeZone), (.encoding, encoding), (.unit, unit)], unlessIn: open, of: "an import of \(library.name)")
    guard let importing = library.importing else { throw StoreError(.wrongKind, "nothing can be imported into \(wanted.store.path)") }
    return try importing(wanted)
  }

  /// - Throws: `.wrongKind` for the first given option that is not in `useful`.
  static func refuse(
    _ given: [(option: FormatDescription.Option, value: String?)], unlessIn useful: [FormatDescription.Option], of what: String
  ) throws {
    guard let useless = given.first(where: { $0.value != nil && !useful.contains($0.option) }) else { return }
    let option = useless.option.rawValue
    throw StoreError(.wrongKind, "\(what) has no use for \(option)", suggestion: "the same without \(option)")
  }

  private static func encoding(_ name: String?) -> String.Encoding? {
    encodings.first { $0.name == name?.lowercased() }?.encoding
  }

  func validate() throws {
    if let timeZone, TimeZone(identifier: timeZone) == nil {
      throw Self.unknown(timeZone: timeZone)
    }
    if let unit, !Self.units.contains(unit) { throw ValidationError("'\(unit)' is not a unit of weight: choose kg or lb.") }
    if let encoding, Self.encoding(encoding) == nil {
      throw ValidationError(
        "'\(encoding)' is not an encoding that can be read: choose one of \(Self.encodings.map(\.name).joined(separator: ", ")).")
    }
  }

  static func unknown(timeZone: String) -> ValidationError {
    ValidationError("'\(timeZone)' is not a time zone: choose one like Europe/Berlin, America/New_York or UTC.")
  }
}
