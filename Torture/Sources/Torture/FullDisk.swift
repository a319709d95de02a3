import Foundation
import Holdfast

/// Real disks of many sizes: small file systems in memory, on which a workload runs out of space somewhere. Needs the right to mount.
struct FullDisk: Sabotaged {
  var seed: UInt64
  var wanted: Int
  var deadline: Date
  var only: Attack?
  /// Pages of 4,096 bytes that are free before the workload, to repeat one.
  var free: Int?
  var environment: [String: String] = [:]

  private struct Job: Sendable {
    var attack: Attack
    var free: Int
  }

  func run(_ name: String = "full disks") throws -> Tally {
    let tally = Tally(name)
    guard SmallDisk.isPossible else {
      tally.note("skipped: mounting needs the superuser")
      return tally
    }
    var random = Chance(seed &+ 5)
    try tally.rounds(wanted, until: deadline, isSingle: free != nil) { _ in
      var jobs: [Job] = []
      for attack in only.map({ [$0] }) ?? Attack.all(seed: seed) {
        _ = try attack.prepare()
        let most = attack.workload == .largeCommit ? 1_200 : attack.workload.isPrepared ? 60 : 140
        jobs.append(Job(attack: attack, free: free ?? random.below(most)))
      }
      inLanes(jobs, until: deadline) { job, worker, lane in try fill(job, worker, lane, tally) }
    }
    return tally
  }

  private func fill(_ job: Job, _ worker: Worker, _ lane: Int, _ tally: Tally) throws {
    let root = try Paths.fresh("full-\(lane)").appendingPathComponent("live")
    let prepared = try job.attack.prepare()
    let disk = try SmallDisk(at: root, pages: SmallDisk.pages(of: prepared) + job.free)
    defer { disk.remove() }
    for name in try FileManager.default.contentsOfDirectory(atPath: prepared.path) {
      try FileManager.default.copyItem(at: prepared.appendingPathComponent(name), to: root.appendingPathComponent(name))
    }
    let outcome = try job.attack.run(in: root, environment: environment)
    tally.count()
    let name = "\(job.attack.workload.rawValue) \(job.attack.durability.rawValue)"
    let command = "torture full-disk \(job.attack.arguments) --at \(job.free)"
    outcome.judge(name, tally, repeatBy: command, otherwise: "had room") { _ in ["disk_full"] }
    // What is there can be read while the disk is still full; then somebody makes room.
    if FileManager.default.fileExists(atPath: Workload.store(root).path), job.attack.workload != .importNew, !job.attack.workload.makesFile
    {
      let raw = Oracle(Workload.store(root).path, readOnly: true)
      if raw.batches == 0, outcome.done.contains(where: { $0.hasPrefix("commit") }) {
        tally.find(Finding(kind: "unreadable-while-full", detail: raw.problems.joined(separator: "; ")), name, repeatBy: command)
      }
    }
    let copy = try Paths.fresh("full-\(lane)-copy").appendingPathComponent("state")
    try FileManager.default.copyItem(at: root, to: copy)
    for file in try FileManager.default.subpathsOfDirectory(atPath: copy.path) where file.hasSuffix("-shm") {
      try FileManager.default.removeItem(at: copy.appendingPathComponent(file))
    }
    try job.attack.judged(copy, outcome.done, losesPower: false)
      .judge(by: worker, name, tally, repeatBy: command, as: "full-disk", keeps: self.environment.isEmpty)
  }
}

/// A file system of its own in memory, mounted at a folder.
struct SmallDisk {
  let folder: URL

  init(at folder: URL, pages: Int) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    guard mount("torture", folder.path, "tmpfs", 0, "size=\(max(1, pages) * 4096)") == 0 else {
      throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
    }
  }

  func makeReadOnly() throws {
    // Busy as long as a child of another lane holds a file that was being copied when it began.
    for _ in 0..<1_000 {
      if mount("torture", folder.path, "tmpfs", UInt(MS_REMOUNT | MS_RDONLY), nil) == 0 { return }
      guard errno == EBUSY else { break }
      usleep(10_000)
    }
    throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
  }

  func remove() {
    umount2(folder.path, Int32(MNT_DETACH))
  }

  static let isPossible: Bool = {
    guard let folder = try? Paths.fresh("mounted"), let disk = try? SmallDisk(at: folder, pages: 1) else { return false }
    disk.remove()
    return true
  }()

  /// What a folder takes up: tmpfs counts pages of files, and nothing for folders and names.
  static func pages(of folder: URL) throws -> Int {
    try FileManager.default.subpathsOfDirectory(atPath: folder.path).reduce(0) { sum, path in
      let attributes = try FileManager.default.attributesOfItem(atPath: folder.appendingPathComponent(path).path)
      let bytes = attributes[.type] as? FileAttributeType == .typeDirectory ? 0 : (attributes[.size] as? NSNumber)?.intValue ?? 0
      return sum + (bytes + 4095) / 4096
    }
  }
}
