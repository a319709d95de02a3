import Foundation
import Testing

@testable import HoldfastTransfer

@Suite("Hints of a source") struct SourceHintsTests {
  @Test("every encoding that can be named is one that this system reads")
  func encodings() {
    for (name, encoding) in SourceEncoding.all {
      #expect(String(data: Data("/a~\\\n".utf8), encoding: encoding) == "/a~\\\n", "\(name)")
    }
  }

  @Test("the values of options become hints; what is no value of an option becomes none")
  func values() throws {
    var hints = SourceHints()
    (hints.timeZone, hints.encoding, hints.weightUnit) = (TimeZone(identifier: "Asia/Tokyo"), .windowsCP1252, "lb")
    #expect(SourceHints(["time-zone": "Asia/Tokyo", "encoding": "windows-1252", "unit": "lb", "playlist": "x"]) == hints)
    #expect(SourceHints(["time-zone": "Atlantis", "encoding": "Atlantis"]) == SourceHints())
    typealias Option = FormatDescription.Option
    #expect(Option.encoding.value(of: "Windows-1252") == "windows-1252" && Option.encoding.value(of: "Atlantis") == nil)
    #expect(SourceHints(["encoding": "Windows-1252"]).encoding == .windowsCP1252)
    #expect(Option("gauge", "The width.", .words(["8mm", "VHS"])).value(of: "vhs") == "VHS")
    #expect(Option.timeZone.value(of: "UTC") == "UTC" && Option.timeZone.value(of: "Atlantis") == nil)
    #expect(Option("list", "Only this list.", .thing("list")).value(of: "Evening") == "Evening")
  }
}
