import Foundation
import Holdfast
import HoldfastTesting
import Testing

/// How the statements of verbs find their rows, and which public verbs there are.
struct VerbPlans {
  /// The steps that walk through an index or a table, by verb.
  private(set) var walks: [String: Set<String>] = [:]
  /// The steps that sort in memory, with their verb.
  private(set) var sorts: [String] = []
  private(set) var statements = 0

  /// Runs a verb and reads the plan of each of its statements.
  mutating func add(_ name: String, in world: World, _ run: () throws -> Void) throws {
    _ = world.statements.take()
    try run()
    let texts = world.statements.take()
    #expect(!texts.isEmpty, "\(name) runs no statement")
    statements += texts.count
    for text in texts {
      let steps = try world.store.read { try $0.queryPlan(text) }
      sorts += steps.filter { $0.hasPrefix("USE TEMP B-TREE") }.map { "\(name): \($0)" }
      // A page that goes on after a key must not begin at the beginning.
      let isFirstPage = text.contains(" LIMIT ") && !text.contains(") > (") && !text.contains(") < (")
      let walked = steps.filter { $0.hasPrefix("SCAN ") && !$0.contains("CONSTANT ROW") && !(isFirstPage && $0.contains(" USING ")) }
      if !walked.isEmpty { walks[name, default: []].formUnion(walked) }
    }
  }

  /// The files with the library's verbs, without those that only import, by their path below its sources.
  static func files() throws -> Set<String> {
    let names = try FileManager.default.subpathsOfDirectory(atPath: sources.path)
    return Set(names.filter { $0.hasSuffix(".swift") && !$0.hasPrefix("Transfer/") })
  }

  /// The names of every public verb in these files, live updates among them.
  static func names(in files: Set<String>) throws -> Set<String> {
    var names: Set<String> = []
    for file in files {
      let text = try String(contentsOf: sources.appendingPathComponent(file), encoding: .utf8)
      // The extensions end where a line is a brace.
      let verbs = text.components(separatedBy: "\nextension InferenceStore {").dropFirst().map { $0.components(separatedBy: "\n}\n")[0] }
      names.formUnion(verbs.joined().matches(of: #/  public func (\w+)\(/#).map { String($0.1) })
    }
    return names
  }

  /// Each of these verbs is a case of the blocking ones, is called from a task, or is followed; in files of the folder of the verbs.
  static func expect(_ names: Set<String>, in files: (blocking: String, async: String, observed: String)) throws {
    let here = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("Verbs")
    func text(_ file: String) throws -> String { try String(contentsOf: here.appendingPathComponent(file), encoding: .utf8) }
    let (blocking, async, observed) = (try text(files.blocking), try text(files.async), try text(files.observed))
    for name in names.sorted() {
      if name.hasSuffix("Updates") {
        #expect(observed.contains("store.\(name)("), "\(name) is not followed")
      } else {
        #expect(blocking.contains("store.\(name)("), "\(name) is no verb case")
        #expect(async.contains("await store.\(name)("), "\(name) is not called from a task")
      }
    }
  }

  static let sources = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().appendingPathComponent("Sources/HoldfastInference")
}
