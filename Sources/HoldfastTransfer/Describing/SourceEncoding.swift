import Foundation

/// The encodings of text that a person can name.
enum SourceEncoding {
  /// The variants of Windows and macOS: Windows' Shift-JIS and GBK, for example, have more characters than the standards.
  static let all: [(name: String, encoding: String.Encoding)] =
    [("utf-8", .utf8), ("windows-1252", .windowsCP1252)]
    + [
      ("windows-1250", 0x501), ("windows-1251", 0x502), ("windows-1253", 0x503), ("windows-1254", 0x504), ("windows-1255", 0x505),
      ("windows-1256", 0x506), ("windows-1257", 0x507), ("windows-1258", 0x508), ("iso-8859-2", 0x202), ("iso-8859-15", 0x20F),
      ("koi8-r", 0xA02), ("ibm850", 0x410), ("ibm866", 0x41B), ("macintosh", 0), ("shift_jis", 0x420), ("gbk", 0x421), ("gb18030", 0x632),
      ("big5", 0x423), ("euc-kr", 0x422),
    ].map { ($0.0, core($0.1)) }

  /// Uses Core Foundation's number, because Swift names only a few encodings.
  private static func core(_ number: UInt) -> String.Encoding { String.Encoding(rawValue: 0x8000_0000 | number) }
}
