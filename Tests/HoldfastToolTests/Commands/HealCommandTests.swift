import Foundation
import Testing

@Suite("Heal")
struct HealCommandTests {
  private func damage(_ store: String, _ range: Range<Int>) throws {
    let file = URL(fileURLWithPath: store)
    var bytes = try Data(contentsOf: file)
    bytes.replaceSubrange(range, with: Data(count: range.count))
    try bytes.write(to: file)
  }

  @Test("with an archive the first page comes back, after the plan, and the bytes are as before")
  func archived() throws {
    let bench = try Workbench()
    let store = try bench.archived()
    let sound = try Data(contentsOf: URL(fileURLWithPath: store))
    let nothing = try bench.run("heal", store, "--json")
    #expect(nothing.status == 0 && nothing.document["means"] as? String == "none", "\(nothing.errors)\(nothing.output)")
    try damage(store, 0..<4_096)
    let plan = try bench.run("heal", store, "--dry-run", "--json")
    #expect(plan.status == 0 && plan.document["healed"] as? Bool == false, "\(plan.errors)\(plan.output)")
    #expect(plan.document["means"] as? String == "pages" && plan.document["pages"] as? Int == 1)
    #expect(try bench.run("heal", store).status == 64, "nobody was asked")
    try bench.run("heal", store, "--yes", status: 0, output: "nothing is lost")
    #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == sound)
  }

  @Test("with a snapshot alone rows come back as 2; with neither, a file that tells no tables is 65")
  func snapshot() throws {
    let bench = try Workbench()
    let store = try bench.store()
    #expect(try bench.run("snapshot", "create", store).status == 0)
    try damage(store, 0..<4_096)
    let finished = try bench.run("heal", store, "--yes", "--json")
    #expect(finished.status == 2 && finished.document["means"] as? String == "rows", "\(finished.errors)\(finished.output)")
    #expect(try bench.run("check", store).status == 0)
    #expect(try bench.run("list", store, "tracks", "--json").document["total"] as? Int == 3)
    let alone = try Workbench()
    let other = try alone.store()
    try damage(other, 0..<4_096)
    #expect(try alone.run("heal", other, "--yes").status == 65)
    #expect(try alone.run("heal", other, "--yes", "--library", "audiobooks").status == 2)
    #expect(try alone.run("check", other).status == 0)
  }
}
