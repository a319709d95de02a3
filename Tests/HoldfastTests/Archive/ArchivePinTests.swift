import Foundation
import HoldfastTesting
import Testing

@testable import Holdfast

/// What retention leaves alone: a part that is read, or whose label is not old.
struct ArchivePinTests {
  private let world: RetentionWorld

  init() throws { world = try RetentionWorld() }

  @Test("what a call or another process reads stays, on a full disk, under the cap and when it is too old; then it goes")
  func pinned() throws {
    try world.makeTwoParts()
    let before = try world.commits()
    var pin = try world.reader.pin()
    #expect(pin.count == 1)
    let full = try world.run(maximumBytes: 1, freeBytes: 0)
    #expect(full.notes == [] && !full.isComplete)
    world.keeps = { $0.keepsOnePerDay = .zero }
    #expect(try world.run().notes == [])
    #expect(try world.commits() == before)
    try withExtendedLifetime(pin) { try world.open(maximumBytes: 1) }
    #expect(try world.commits() == before)
    try world.checkAll()
    pin = []
    #expect(try world.run(maximumBytes: 1).notes.count == 1)
    try world.checkAll()
  }

  @Test("two read an archive at once, also where it may not be written to, and leave nothing behind")
  func shared() throws {
    try world.session(3)
    let before = try world.folder.contents()
    let (one, other) = (try world.reader.pin(), try world.reader.pin())
    #expect(one.count == 1 && other.count == 1)
    #expect(try world.folder.contents() == before)
  }

  @Test("a part whose only young thing is a label stays for the label")
  func youngLabel() throws {
    try world.session(3)
    world.pass(hours: 400 * 24)
    try world.session(0) { store in try store.label("young") }
    try world.session(1, mode: .off)
    try world.session(3)
    #expect(try world.archive.generations().map(\.number) == [1, 2])
    #expect(try world.run().notes == [])
    world.pass(hours: 400 * 24)
    #expect(try world.run().notes.count == 1)
  }

  @Test("a commit stays alone while one of the rules keeps each, also when the next rule is shorter")
  func longerRule() throws {
    world.keeps = { ($0.keepsEachCommit, $0.keepsOnePerMinute) = (.seconds(3_600), .seconds(1_800)) }
    for _ in 0..<2 { try world.session(24) }
    world.pass(hours: 0.75)
    try world.session(1)
    let before = try world.commits()
    #expect(try world.run().merged == 0)
    #expect(try world.commits() == before)
  }

  @Test(
    "a smaller cap is held soon after opening, but not while the store is known to be damaged: the oldest part may be the only sound one"
  )
  func damaged() throws {
    try world.makeTwoParts()
    let (before, files) = (try world.commits(), try StoreFiles(world.url))
    let damage = StoreDamage(foundAt: Date(timeIntervalSince1970: 1), source: .check, message: "a page is damaged")
    try StoreHealth.change(files) { $0.damage = damage }
    try world.open(maximumBytes: 1)
    #expect(try world.commits() == before)
    try StoreHealth.change(files) { $0.damage = nil }
    try world.open(maximumBytes: 1)
    #expect(try world.archive.generation(1).bases.count == 1)
    try world.checkAll()
  }
}
