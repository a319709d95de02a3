public import Foundation

/// One value as SQLite stores it.
public enum SQLValue: Sendable, Hashable {
  case null
  case integer(Int64)
  case real(Double)
  case text(String)
  case blob(Data)

  /// An id as it is stored: lowercase text.
  public static func id(_ id: UUID) -> SQLValue { .text(IDCodec.lowercase(id)) }
}
