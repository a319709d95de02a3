import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Secrets") struct SecretTests {
  private let text = "sk-proj-0123456789-äöü"

  @Test("a secret comes back, and its text is nowhere in the store's files")
  func sealed() async throws {
    let world = try World.temporary()
    try await world.inference.setSecret(text, named: "token")
    #expect(try await world.inference.secret(named: "token") == text)
    #expect(try await world.inference.secret(named: "other") == nil)
    _ = try world.store.copy()
    let folder = try #require(world.store.url).deletingLastPathComponent()
    #expect(try Traces.files(of: text, in: folder) == [])
    #expect(try !Traces.files(of: "key_check", in: folder).isEmpty, "the search sees the files")
    #expect(try await world.inference.secretNames() == ["token"])
    #expect(try await world.inference.deleteSecret(named: "token"))
    #expect(try await world.inference.secret(named: "token") == nil)
  }

  @Test("without a key nothing secret is stored or read, and the error says what to do")
  func noKey() async throws {
    let world = try World.temporary(secretKey: nil)
    let error = await #expect(throws: StoreError.self) { try await world.inference.setSecret(text, named: "token") }
    #expect(error?.code == .encryptionUnavailable)
    #expect(error?.suggestion == "Give InferenceStore a SecretKey; secrets are never stored as they are.")
    #expect(try await world.inference.secretNames() == [])
  }

  @Test("what was sealed with a key is not read without one, nor replaced, and is there when the key is back")
  func keyIsGone() async throws {
    let world = try World.temporary()
    try await world.inference.save(InferenceConfiguration(createdAt: Sample.date))
    try await world.inference.setAPIKey(text)
    try await world.inference.setSecret(text, named: "token")
    let keyless = InferenceStore(world.store)
    let secret = await #expect(throws: StoreError.self) { try await keyless.secret(named: "token") }
    let apiKey = await #expect(throws: StoreError.self) { try await keyless.apiKey() }
    let replaced = await #expect(throws: StoreError.self) { try await keyless.setAPIKey("sk-2") }
    #expect([secret, apiKey, replaced].allSatisfy { $0?.code == .encryptionUnavailable })
    #expect(try await world.inference.secret(named: "token") == text)
    #expect(try await world.inference.apiKey() == text)
  }

  @Test("a configuration and the key of its API are saved in one transaction of the app's, or not at all", arguments: [true, false])
  func inTransaction(isKept: Bool) async throws {
    let world = try World.temporary()
    let inference = world.inference
    func save() throws {
      try world.store.write { tx in
        try InferenceStore.save(InferenceConfiguration(createdAt: Sample.date), in: tx)
        try inference.setAPIKey("sk-1", in: tx)
        try inference.setSecret("hf-1", named: "hub", in: tx)
        if !isKept { throw CancellationError() }
      }
    }
    if isKept { try save() } else { #expect(throws: StoreError.self) { try save() } }
    let found = try await world.store.read { reader in [try inference.apiKey(in: reader), try inference.secret(named: "hub", in: reader)] }
    #expect(found == (isKept ? ["sk-1", "hf-1"] : [nil, nil]))
    #expect(try await inference.configuration()?.apiKeyReference == (isKept ? "api-key/default" : nil))
  }

  @Test("another key is its own error, and a damaged secret another; neither error names the secret's text")
  func wrongKey() async throws {
    let world = try World.temporary()
    try await world.inference.setSecret(text, named: "token")
    let other = InferenceStore(world.store, secretKey: SecretKey { Data(repeating: 9, count: 32) })
    let wrong = await #expect(throws: StoreError.self) { try await other.secret(named: "token") }
    #expect(wrong?.code == .wrongKey)
    let short = InferenceStore(world.store, secretKey: SecretKey { Data([1]) })
    #expect(await #expect(throws: StoreError.self) { try await short.secret(named: "token") }?.code == .wrongKey)
    try await world.store.write { _ = try $0.execute("UPDATE secrets SET sealed = substr(sealed, 1, length(sealed) - 1)") }
    let damaged = await #expect(throws: StoreError.self) { try await world.inference.secret(named: "token") }
    #expect(damaged?.code == .damaged)
    #expect([wrong, damaged].allSatisfy { !String(describing: $0).contains("sk-proj") })
  }

  @Test("where secrets are audited, each reading is recorded with its reason and without the secret; otherwise none is")
  func audited() async throws {
    let world = try World.temporary()
    var inference = world.inference
    try await inference.save(InferenceConfiguration(createdAt: Sample.date))
    try await inference.setAPIKey(text)
    #expect(try await inference.apiKey(reason: "not audited") == text)
    #expect(try await world.store.auditEntries() == [])
    inference.auditsSecrets = true
    let audited = inference
    #expect(try await Audit.$actor.withValue("anna") { try await audited.secret(named: "api-key/default", reason: "a request") } == text)
    #expect(try await audited.apiKey() == text)
    #expect(try await world.store.write { tx in try audited.apiKey(reason: "inside", in: tx) } == text)
    #expect(try await audited.secret(named: "other") == nil)
    let entries = try await world.store.history(of: "secrets", id: "api-key/default")
    #expect(entries.map(\.operation) == [.read, .read, .read])
    #expect(entries.map(\.reason) == ["a request", nil, "inside"] && entries.map(\.actor) == ["anna", nil, nil])
    #expect(entries.map(\.verb) == ["secret(named:reason:)", "apiKey(for:reason:)", "audited()"])
    #expect(try await world.store.checkAudit().findings == [])
    // Without an entry no secret is read.
    let reading = #expect(throws: StoreError.self) { try world.store.read { try audited.secret(named: "api-key/default", in: $0) } }
    #expect(reading?.code == .readOnly)
    let folder = try #require(world.store.url).deletingLastPathComponent()
    #expect(try Traces.files(of: text, in: folder) == [])
  }

  @Test("a secret that was put in the place of another does not open")
  func swapped() async throws {
    let world = try World.inMemory()
    try await world.inference.setSecret(text, named: "a")
    try await world.inference.setSecret("harmless", named: "b")
    try await world.store.write {
      _ = try $0.execute("UPDATE secrets SET sealed = (SELECT sealed FROM secrets WHERE name = 'a') WHERE name = 'b'")
    }
    #expect(await #expect(throws: StoreError.self) { try await world.inference.secret(named: "b") }?.code == .damaged)
  }

  @Test("the key of the API is sealed, named by its configuration, and deleted with it")
  func apiKey() async throws {
    let world = try World.inMemory()
    #expect(await #expect(throws: StoreError.self) { try await world.inference.setAPIKey(text) }?.code == .notFound)
    try await world.inference.save(InferenceConfiguration(createdAt: Sample.date))
    try await world.inference.setAPIKey(text)
    #expect(try await world.inference.apiKey() == text)
    #expect(try await world.inference.configuration()?.apiKeyReference == "api-key/default")
    try await world.inference.setAPIKey(nil)
    #expect(try await world.inference.apiKey() == nil)
    try await world.inference.setAPIKey(text)
    try await world.inference.deleteConfiguration("default")
    #expect(try await world.inference.secretNames() == [])
  }
}
