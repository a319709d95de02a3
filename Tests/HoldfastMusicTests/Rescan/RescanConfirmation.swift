import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTesting
import Testing

@Suite("Rescan when much is missing") struct RescanConfirmation {
  private let files = (0..<10).map { ScannedFile.of("/Music/\($0).mp3", "content \($0)") }

  @Test("an empty listing, as of a volume that is not mounted, changes nothing")
  func emptyListing() async throws {
    let world = try await RescanWorld(files)
    let before = try await world.library.state()
    let result = try await world.library.rescan([], under: ["/Music"])
    guard case .needsConfirmation(let plan) = result else { throw StoreError(.misuse, "the rescan was done") }
    #expect(plan.missing.count == 10 && plan.missingShare == 1 && plan.judged == 10)
    #expect(!result.isDone && result.plan == plan)
    #expect(try await world.library.state() == before)
  }

  @Test(
    "up to the allowed share a rescan is done, beyond it is not",
    arguments: [(0.2, 2, true), (0.2, 3, false), (0, 1, false), (1, 10, true)])
  func share(allowed: Double, missing: Int, isDone: Bool) async throws {
    let world = try await RescanWorld(files)
    let result = try await world.library.rescan(Array(files.dropFirst(missing)), under: ["/Music"], missingShareAllowed: allowed)
    #expect(result.isDone == isDone)
    #expect(try await world.library.tracks().filter { $0.file.availability == .offline }.count == (isDone ? missing : 0))
  }

  @Test("a share that is no number allows nothing")
  func noNumber() async throws {
    let world = try await RescanWorld(files)
    #expect(try await world.library.rescan(Array(files.dropFirst()), under: ["/Music"], missingShareAllowed: .nan).isDone == false)
    #expect(try await world.library.rescan(files, under: ["/Music"], missingShareAllowed: .nan).isDone)
  }

  @Test("tracks that are offline already are no reason to ask again, and do not hide that the others go")
  func offlineBefore() async throws {
    let world = try await RescanWorld(files)
    let some = Array(files.suffix(5))
    #expect(try await world.library.rescan(some, under: ["/Music"], missingShareAllowed: 0.5).isDone)
    #expect(try await world.library.rescan(some, under: ["/Music"], missingShareAllowed: 0).isDone)
    // 2 of the 5 that were there.
    #expect(try await world.library.rescan(Array(some.dropFirst(2)), under: ["/Music"], missingShareAllowed: 0.3).isDone == false)
  }

  @Test("a confirmed plan is done, with everything in it in one transaction")
  func confirmed() async throws {
    let world = try await RescanWorld(files)
    let plan = try await world.library.rescanPlan(of: [], under: ["/Music"])
    let changes = try world.library.store.rowsChanged { tx in
      let result = try MusicStore.rescan([], under: ["/Music"], confirmed: plan.token, in: tx)
      #expect(result == .done(plan))
    }
    #expect(changes == 10)
    #expect(try await world.library.tracks().allSatisfy { $0.file.availability == .offline })
    #expect(try await world.library.rescan([], under: ["/Music"]).isDone)
  }

  @Test("a confirmation is for one plan: another listing or a changed library asks again")
  func exactlyThisPlan() async throws {
    let world = try await RescanWorld(files)
    let token = try await world.library.rescan([files[0]], under: ["/Music"]).plan.token
    let changed = [
      [files[1]], [files[0], ScannedFile.of("/Music/new.mp3", "new")], [ScannedFile.of("/Music/0.mp3", "edited")], [files[0], files[1]],
    ]
    for listing in changed { #expect(try await world.library.rescan(listing, under: ["/Music"], confirmed: token).isDone == false) }
    try await world.library.saveTracks([
      LibraryTrack(id: NewID.derived(from: "x"), title: "x", file: TrackFile(location: FileLocation(path: "/Music/x.mp3")), addedAt: Date())
    ])
    let again = try await world.library.rescan([files[0]], under: ["/Music"], confirmed: token)
    #expect(!again.isDone && again.plan.missing.count == 10)
    #expect(try await world.library.rescan([files[0]], under: ["/Music"], confirmed: again.plan.token).isDone)
  }

  @Test("the order of a listing does not change the plan")
  func order() async throws {
    let world = try await RescanWorld(files)
    let listing = files.dropFirst(5) + [ScannedFile.of("/Music/y.mp3", "y"), .of("/Music/x.mp3", "x")]
    let token = try await world.library.rescanPlan(of: Array(listing), under: ["/Music"]).token
    #expect(try await world.library.rescan(listing.reversed(), under: ["/Music"], confirmed: token).isDone)
  }

  @Test("who watches the tracks sees a rescan once")
  func liveUpdates() async throws {
    let world = try await RescanWorld(files)
    var tracks = try await FollowedUpdates(world.library.trackUpdates())
    #expect(tracks.first.filter { $0.file.availability == .offline }.count == 0)
    #expect(try await world.library.rescan([], under: ["/Music"], missingShareAllowed: 1).isDone)
    #expect(try await tracks.next()?.filter { $0.file.availability == .offline }.count == 10)
    #expect(!tracks.hasHeard)
  }

  @Test("a rescan of a store that is read-only is refused")
  func readOnly() async throws {
    let folder = try TemporaryFolder()
    let url = folder.file("library.sqlite")
    try MusicStore.open(at: url).store.close()
    var options = StoreOptions.testing
    options.opensReadOnly = true
    let library = try MusicStore.open(at: url, options: options)
    #expect(await asyncCode { _ = try await library.rescan([], under: ["/Music"]) } == .readOnly)
    #expect(try await library.rescanPlan(of: [], under: ["/Music"]).changes == [])
  }
}
