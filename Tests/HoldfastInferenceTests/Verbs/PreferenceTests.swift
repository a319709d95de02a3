import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Preferences") struct PreferenceTests {
  @Test("a preference comes back word for word; another choice takes its place and keeps when the first was made")
  func setting() async throws {
    let world = try World.temporary()
    let inference = world.inference
    #expect(try await inference.preference(named: "theme") == nil)
    let first = world.clock.now
    try await inference.setPreference(#"{ "dark" : true }"#, named: "theme")
    try await inference.setPreference("1.0", named: "a size")
    _ = world.clock.advance(milliseconds: 5_000)
    try await inference.setPreference("null", named: "theme")
    let changed = world.clock.now
    #expect(
      try await inference.preferences() == [
        UserPreference(name: "a size", value: "1.0", createdAt: first),
        UserPreference(name: "theme", value: "null", createdAt: first, updatedAt: changed),
      ])
    _ = world.clock.advance(milliseconds: 5_000)
    try await inference.setPreference("null", named: "theme")
    #expect(try await inference.preference(named: "theme")?.updatedAt == changed)
    #expect(try await inference.deletePreference(named: "theme"))
    #expect(try await inference.deletePreference(named: "theme") == false)
    #expect(try await inference.preferences().map(\.name) == ["a size"])
  }

  @Test(
    "what is not JSON, and a name without letters, is refused and changes nothing",
    arguments: [
      ("dark", "theme", StoreError.Code.invalidValue), ("1", "", .constraint), ("", "x", .invalidValue), ("{} x", "x", .invalidValue),
    ])
  func refused(value: String, name: String, code: StoreError.Code) async throws {
    let inference = try World.inMemory().inference
    let error = await #expect(throws: StoreError.self) { try await inference.setPreference(value, named: name) }
    #expect(error?.code == code)
    #expect(try await inference.preferences() == [])
  }

  @Test("a name that is secret is refused, with where the value belongs; one that is about a secret is not")
  func secrets() async throws {
    let inference = try World.inMemory().inference
    let error = await #expect(throws: StoreError.self) { try await inference.setPreference(#""sk-1""#, named: "openai_api_key") }
    #expect(error?.code == .invalidValue && error?.suggestion == "Seal it with setSecret(_:named:).")
    #expect(error?.message.contains("sk-1") == false)
    #expect(try await inference.preferences() == [])
    for name in ["api_key_count", "provider"] { try await inference.setPreference(#"{"a":[{"apiKey":"sk-1"}]}"#, named: name) }
    #expect(try await inference.preferences().count == 2)
  }
}
