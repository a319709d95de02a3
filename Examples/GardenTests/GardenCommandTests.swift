import Foundation
import GardenExample
import Holdfast
import HoldfastTesting
import Testing

/// The command `garden`, as a process: five lines beside the library.
@Suite("The garden's command") struct GardenCommandTests {
  private let programs: Programs

  init() throws {
    programs = try Programs()
    let (bed, plant) = (NewID.derived(from: "kitchen"), NewID.derived(from: "basil"))
    let text = """
      {"beds": [{"id": "\(bed)", "name": "Kitchen"}],
       "plants": [{"id": "\(plant)", "bed": "\(bed)", "place": 1, "name": "Basil", "variety": "Genovese", "tags": ["herb"]}],
       "waterings": [{"id": "\(NewID.derived(from: "watering"))", "plant": "\(plant)", "at": "2026-05-01T06:00:00Z", "litres": 1.5}]}
      """
    try Data(text.utf8).write(to: programs.folder.file("garden.json"))
  }

  private func garden(_ arguments: String..., status: Int32 = 0) throws -> String {
    try programs.run("garden", arguments, status: status)
  }

  @Test("its version is that of Holdfast, after its own name")
  func version() throws {
    let version = try garden("--version")
    #expect(version.hasPrefix("garden (Holdfast ") && version.hasSuffix(")\n"), "\(version)")
  }

  @Test("the journal's file is recognised and imported; lists, a bed with its plants, search and counts follow from the schema")
  func looking() throws {
    #expect(try garden("import", "garden.json", "--into", "garden.sqlite").contains("garden-json"))
    let list = try garden("list", "garden.sqlite", "plants")
    #expect(list.contains("Basil") && list.contains("SOWN_AT"), "\(list)")
    let bed = try garden("show", "garden.sqlite", "kitchen")
    #expect(bed.contains("Kitchen") && bed.contains("Genovese"), "\(bed)")
    let waterings = try garden("show", "garden.sqlite", "Basil", "--json")
    #expect(waterings.contains(#""watered_at": "2026-05-01T06:00:00.000Z""#) && waterings.contains(#""contents""#), "\(waterings)")
    let newest = try garden("list", "garden.sqlite", "waterings")
    #expect(newest == "WATERED               LITRES  CANS\n2026-05-01T06:00:00Z     1.5  0.15\n")
    #expect(try garden("search", "garden.sqlite", "geno").contains("Basil"))
    #expect(try garden("stats", "garden.sqlite").contains("waterings"))
    #expect(try garden("snapshot", "create", "garden.sqlite").contains("1 bed, 1 plant, 1 watering"))
    #expect(try garden("check", "garden.sqlite").contains("records"))
  }

  @Test("what was exported comes back")
  func exported() throws {
    _ = try garden("import", "garden.json", "--into", "garden.sqlite")
    _ = try garden("export", "garden.sqlite", "--to", "export.json")
    _ = try garden("import", "export.json", "--into", "copy.sqlite")
    let lists = try ["garden.sqlite", "copy.sqlite"].map { try garden("list", $0, "plants") }
    #expect(lists[0] == lists[1])
  }

  @Test("the command calls itself by its file's name, and has no command that none of its libraries needs")
  func named() throws {
    let help = try garden("help", "list")
    #expect(help.contains("USAGE: garden list") && help.contains("Example: garden list") && help.contains("garden: beds,"), "\(help)")
    #expect(try garden("show", "missing.sqlite", "x", status: 66).contains("Error: "))
    #expect(try garden("lst", "garden.sqlite", status: 64).contains("Try: garden list\n"))
    for command in ["send", "demo"] { #expect(try !garden("help").contains("\n  \(command) ")) }
  }
}
