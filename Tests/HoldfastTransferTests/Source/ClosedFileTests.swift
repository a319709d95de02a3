import Foundation
import Holdfast
import HoldfastTesting
import HoldfastTransfer
import Testing

@Suite("Files that are not what people take them for")
struct ClosedFileTests {
  private static let closed = "is the library of iTunes or Apple's Music in the form that only these can read"

  @Test(
    "are refused by what they are, and the remedy is told",
    arguments: [
      (".Library.xml.icloud", "bplist00", "only stands for a file in iCloud, which is not on this computer", "Open Library.xml once"),
      ("iTunes Library.itl", "hdfm1234", Self.closed, "Export it as XML"), ("Library.musicdb", "hfma1234", Self.closed, "Export it as XML"),
    ])
  func refused(name: String, start: String, message: String, suggestion: String) throws {
    let folder = try TemporaryFolder()
    let url = folder.file(name)
    try Data(start.utf8).write(to: url)
    let errors = [
      #expect(throws: StoreError.self) { try ImportSource(url).check(among: []) },
      #expect(throws: StoreError.self) { _ = try SourceLook(url) },
    ]
    for error in errors {
      #expect(error?.code == .invalidSource && error?.message == "\(url.path) \(message)")
      #expect(error?.suggestion?.hasPrefix(suggestion) == true)
    }
  }
}
