import Foundation
import Holdfast
import HoldfastInference
import HoldfastTesting
import Testing

@Suite("Models", .timeLimit(.minutes(10))) struct ModelTests {
  private func model(_ id: String, _ name: String, _ change: (inout ModelMetadata) -> Void = { _ in }) -> ModelMetadata {
    var model = ModelMetadata(id: id, name: name, framework: .mlx, createdAt: Sample.date)
    change(&model)
    return model
  }

  @Test("a model comes back equal in every field, in the place of the one with its id, and deleting it leaves its usage")
  func saving() async throws {
    let world = try World.temporary()
    try await world.inference.save([Sample.model, Sample.bareModel])
    #expect(try await world.inference.model(Sample.model.id) == Sample.model)
    #expect(try await world.inference.models() == [Sample.bareModel, Sample.model])
    var emptied = Sample.bareModel
    emptied.id = Sample.model.id
    try await world.inference.save(emptied)
    #expect(try await world.inference.model(Sample.model.id) == emptied)
    try await world.store.write { try $0.upsert(Sample.usage) }
    #expect(try await world.inference.deleteModel(Sample.model.id))
    #expect(try await world.inference.deleteModel(Sample.model.id) == false)
    #expect(try await world.inference.model(Sample.model.id) == nil)
    #expect(try await world.store.read { try $0.count("SELECT count(*) FROM model_usage_stats") } == 1)
    await #expect(throws: StoreError.self) { try await world.inference.save([model("new", "new"), model("", "no id")]) }
    #expect(try await world.inference.models() == [Sample.bareModel])
    #expect(try world.isHealthy())
  }

  @Test("each list has its models by name, case and accents apart, and is read in pages that miss none")
  func lists() async throws {
    let world = try World.inMemory()
    try await world.inference.save([
      model("1", "zeta"), model("2", "Émile") { $0.format = .gguf }, model("3", "alpha") { $0.localPath = "/there" },
      model("4", "alpha") { ($0.framework, $0.localPath, $0.missingSince) = (.llamaCpp, "/gone", Sample.date) },
      model("5", "EMIL") { ($0.framework, $0.format) = (.llamaCpp, .gguf) },
    ])
    func ids(_ list: ModelList) async throws -> [String] {
      var (ids, key): ([String], PageKey?) = ([], nil)
      repeat {
        let page = try await world.inference.models(list, after: key, limit: 1)
        ids += page.items.map(\.id)
        key = page.next
      } while key != nil
      #expect(try await world.inference.models(list).items.map(\.id) == ids)
      return ids
    }
    #expect(try await ids(.all) == ["3", "4", "5", "2", "1"])
    #expect(try await ids(.framework(.llamaCpp)) == ["4", "5"])
    #expect(try await ids(.format(.gguf)) == ["5", "2"])
    #expect(try await ids(.downloaded) == ["3"])
    #expect(try await ids(.missing) == ["4"])
    #expect(try await ids(.pending) == ["1", "2", "3", "4", "5"])
    _ = try await world.store.write {
      try $0.execute("UPDATE model_metadata SET acknowledged_revision = revision WHERE id IN ('1', '3', '5')")
    }
    #expect(try await ids(.pending) == ["2", "4"])
    let foreign = try await world.inference.models(.all, limit: 1).next
    let error = await #expect(throws: StoreError.self) { try await world.inference.models(.downloaded, after: foreign) }
    #expect(error?.code == .misuse)
  }

  @Test("a search finds models by each word of a text, anywhere in name, id, author or tags, and follows every edit")
  func search() async throws {
    let world = try World.inMemory()
    try await world.inference.save([
      model("qwen-1", "Qwen Émile") { ($0.author, $0.tags) = ("Alibaba", ["chat", "通义千问"]) }, model("phi", "Phi") { $0.tags = ["Chat"] },
      model("a%b", "100% _"),
    ])
    func ids(_ text: String) async throws -> [String] { try await world.inference.models(.matching(text)).items.map(\.id) }
    #expect(try await ids("CHAT") == ["phi", "qwen-1"])
    for text in ["emile", "wen ALIBABA", "千", "qwen-1 chat", " émile\nchat "] { #expect(try await ids(text) == ["qwen-1"], "\(text)") }
    for text in ["", " ", "qwen phi", "chatalibaba", "llama"] { #expect(try await ids(text) == [], "\(text)") }
    #expect(try await ids("% _") == ["a%b"])
    try await world.inference.save(model("phi", "Phi 4") { $0.author = "Émile" })
    #expect(try await ids("emile") == ["phi", "qwen-1"])
    #expect(try await ids("chat phi").isEmpty)
    #expect(try await world.inference.models(.matching("e"), limit: 1).items.map(\.id) == ["phi"])
  }

  @Test("a download and a use are recorded, and of a model that is not there neither is")
  func recording() async throws {
    let world = try World.inMemory()
    try await world.inference.save(Sample.model)
    try await world.inference.recordDownload(of: Sample.model.id, at: "/new/model.gguf", sizeBytes: 9)
    var expected = Sample.model
    (expected.localPath, expected.sizeBytes, expected.missingSince) = ("/new/model.gguf", 9, nil)
    (expected.downloadedAt, expected.updatedAt) = (world.clock.now, world.clock.now)
    #expect(try await world.inference.model(Sample.model.id) == expected)
    try await world.inference.recordDownload(of: Sample.model.id, at: "/new/model.gguf", date: Sample.date)
    #expect(try await world.inference.model(Sample.model.id)?.downloadedAt == Sample.date)
    #expect(try await world.inference.model(Sample.model.id)?.sizeBytes == 9)

    expected.downloadedAt = Sample.date
    try await world.inference.recordUse(of: Sample.model.id, tokens: 30)
    try await world.inference.recordUse(of: Sample.model.id, tokens: 1, date: Sample.date)
    (expected.usageCount, expected.totalTokensGenerated, expected.lastUsedAt) = (6, 36, world.clock.now)
    #expect(try await world.inference.model(Sample.model.id) == expected)
    try await world.inference.recordUse(of: Sample.model.id, tokens: .max)
    #expect(try await world.inference.model(Sample.model.id)?.totalTokensGenerated == .max)

    let bodies: [() async throws -> Void] = [
      { try await world.inference.recordUse(of: "none") }, { try await world.inference.recordDownload(of: "none", at: "/") },
    ]
    for body in bodies {
      let error = await #expect(throws: StoreError.self) { try await body() }
      #expect(error?.code == .notFound && error?.message == "there is no model none")
    }
    let error = await #expect(throws: StoreError.self) { try await world.inference.recordUse(of: Sample.model.id, tokens: -1) }
    #expect(error?.code == .invalidValue)
  }

  @Test("a model whose file is gone is marked and stays; when the file is back it is unmarked")
  func missingFiles() async throws {
    let world = try World.inMemory()
    let folder = try TemporaryFolder()
    let parts = (1...2).map { folder.file("big-0000\($0)-of-00002.gguf") }
    for url in [folder.file("a.gguf"), folder.file("in folder.gguf")] + parts { try Data([1]).write(to: url) }
    try await world.inference.save([
      model("a", "a") { $0.localPath = folder.file("a.gguf").path }, model("b", "b") { $0.localPath = "in folder.gguf" },
      model("c", "c") { $0.localPath = parts[0].path }, model("d", "d") { $0.localPath = folder.file("in folder.gguf").absoluteString },
      model("e", "e"), model("f", "f") { ($0.localPath, $0.missingSince) = ("/nowhere", Sample.date) },
    ])
    func check() async throws -> ModelFileCheck { try await world.inference.checkModelFiles(relativeTo: folder.url) }
    func expected(missing: [String] = [], found: [String] = []) -> ModelFileCheck {
      var check = ModelFileCheck()
      (check.checked, check.missing, check.found) = (5, missing, found)
      return check
    }
    #expect(try await check() == expected())
    for url in [folder.file("a.gguf"), folder.file("in folder.gguf"), parts[1]] { try FileManager.default.removeItem(at: url) }
    #expect(try await check() == expected(missing: ["a", "b", "c", "d"]))
    #expect(try await world.inference.model("a")?.missingSince == world.clock.now)
    #expect(try await world.inference.models(.downloaded).items == [])
    #expect(try await world.inference.models(.missing).items.map(\.id) == ["a", "b", "c", "d", "f"])
    #expect(try await check() == expected())
    for url in [folder.file("a.gguf"), parts[1]] { try Data([1]).write(to: url) }
    #expect(try await check() == expected(found: ["a", "c"]))
    #expect(try await world.inference.models(.downloaded).items.map(\.id) == ["a", "c"])
    #expect(try await world.inference.model("f")?.missingSince == Sample.date)
  }

  /// What is in the folder of a model, and whether that is the model.
  static let folders: [([String], Bool)] = [
    ([], false), ([".DS_Store"], false),
    (["config.json", "README.md", "LICENSE", "tokenizer.model", "tokenizer.model.v3", "merges.txt"], false),
    (["config.json", "model.safetensors.incomplete", "model.gguf -> gone"], false), (["model.gguf -> config.json", "config.json"], true),
    (["config.json", "model.safetensors"], true), (["weights.npz"], true), (["Manifest.json", "Data/weights.bin"], true),
    (["model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"], true), (["model-00001-of-00002.safetensors"], false),
    (["model-00001-of-000002.safetensors", "model-00002-of-000002.safetensors"], true), (["model-00001-of-000002.safetensors"], false),
    (["w-00000-of-00002.bin", "w-00001-of-00002.bin"], true), (["model.bin", "._model-00001-of-00002.bin"], true),
    (["a-00001-of-00001.bin", "b-00002-of-00003.bin", "b-00003-of-00003.bin"], false),
  ]

  @Test("a model that is a folder is missing when there are only descriptions in it, or not all parts", arguments: folders)
  func folder(names: [String], isThere: Bool) async throws {
    let world = try World.inMemory()
    let folder = try TemporaryFolder()
    try FileManager.default.createDirectory(at: folder.file("m"), withIntermediateDirectories: true)
    for name in names {
      let link = name.components(separatedBy: " -> ")
      let url = folder.file("m/\(link[0])")
      if link.count > 1 {
        try FileManager.default.createSymbolicLink(atPath: url.path, withDestinationPath: link[1])
        continue
      }
      try FileManager.default.createDirectory(at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data([1]).write(to: url)
    }
    try await world.inference.save(model("m", "m") { $0.localPath = "m" })
    #expect(try await world.inference.checkModelFiles(relativeTo: folder.url).missing == (isThere ? [] : ["m"]))
    #expect(try await (world.inference.model("m")?.missingSince == nil) == isThere)
  }

  @Test("what has a file, what waits and what is of a format is read by an index of its own")
  func plans() async throws {
    let world = try World.inMemory()
    try await world.inference.save([Sample.model, Sample.bareModel])
    func plan(_ list: ModelList) async throws -> [String] {
      _ = world.statements.take()
      _ = try await world.inference.models(list)
      return try world.statements.take().flatMap { text in try world.store.read { try $0.queryPlan(text) } }.filter {
        $0.contains(" USING ")
      }
    }
    #expect(try await plan(.downloaded) == ["SCAN model_metadata USING INDEX model_metadata_with_file"])
    #expect(try await plan(.pending) == ["SCAN model_metadata USING INDEX model_metadata_pending"])
    #expect(try await plan(.format(.gguf)) == ["SEARCH model_metadata USING INDEX model_metadata_by_format (format=?)"])
  }

  @Test("an app may use its own registry in the place of the store")
  func repository() async throws {
    /// As a test of an app has it.
    struct NoModels: ModelMetadataRepository {
      func model(_ id: String) async throws -> ModelMetadata? { nil }
      func models() async throws -> [ModelMetadata] { [] }
      func models(_ list: ModelList, after key: PageKey?, limit: Int) async throws -> Page<ModelMetadata> { Page(items: [], next: nil) }
      func save(_ models: [ModelMetadata]) async throws {}
      func deleteModel(_ id: String) async throws -> Bool { false }
      func recordDownload(of id: String, at path: String, date: Date?, sizeBytes: Int64?) async throws {}
      func recordUse(of id: String, tokens: Int64, date: Date?) async throws {}
      func modelsToEvict(
        toFit bytes: Int64, freeBytes: Int64?, keeping kept: Set<String>, by configurationID: String
      ) async throws -> [ModelMetadata] { [] }
      func evict(_ ids: [String], relativeTo folder: URL?) async throws -> [URL] { [] }
      func checkModelFiles(relativeTo folder: URL?) async throws -> ModelFileCheck { ModelFileCheck() }
    }
    func used(_ models: any ModelMetadataRepository) async throws -> [String] {
      try await models.save([Sample.bareModel])
      try await models.recordDownload(of: "phi", at: "/m", date: nil, sizeBytes: nil)
      try await models.recordUse(of: "phi", tokens: 1, date: nil)
      #expect(try await models.modelsToEvict(toFit: 0, freeBytes: nil, keeping: [], by: "default") == [])
      #expect(try await models.evict(["none"], relativeTo: nil) == [])
      let listed = try await models.models(.downloaded, after: nil, limit: 5).items.map(\.id)
      #expect(try await models.checkModelFiles(relativeTo: nil).missing == listed)
      return try await models.models(.all, after: nil, limit: 5).items.map { "\($0.id) \($0.usageCount)" }
    }
    #expect(try await used(World.inMemory().inference) == ["phi 1"])
    #expect(try await used(NoModels()) == [])
    let configurations: any ConfigurationRepository = try World.inMemory().inference
    try await configurations.save(Sample.configuration)
    #expect(try await configurations.configuration("work") == Sample.configuration)
    #expect(try await configurations.deleteConfiguration("work"))
    #expect(try await configurations.configurations() == [])
  }
}
