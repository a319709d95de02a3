public import Foundation

extension StoreFiles {
  /// Moves these files to a new quarantine folder with a `reason.txt`. Returns the folder; nil when none of the files exists.
  ///
  /// The names are flushed. After a failure, the files that were already moved are moved back.
  func setAside(_ suffixes: [String], because reason: String, at now: Date) throws -> URL? {
    let found = suffixes.filter { DurableFile.stands(path + $0) }
    guard !found.isEmpty else { return nil }
    let place = try newQuarantine(because: reason, at: now)
    var moved: [String] = []
    do {
      for suffix in found {
        try DurableFile.place(beside(suffix), at: place.appendingPathComponent(url.lastPathComponent + suffix))
        moved.append(suffix)
      }
      try DurableFile.flushFolder(of: url)
      return place
    } catch {
      for suffix in moved.reversed() {
        try? DurableFile.place(place.appendingPathComponent(url.lastPathComponent + suffix), at: beside(suffix))
      }
      if (try? FileManager.default.contentsOfDirectory(atPath: place.path)) == [Self.reasonName] { _ = try? DurableFile.remove(place) }
      throw error
    }
  }

  /// Copies these files to a new quarantine folder, and returns the folder.
  func keepCopy(of suffixes: [String], because reason: String, at now: Date) throws -> URL {
    let place = try newQuarantine(because: reason, at: now)
    do {
      for suffix in suffixes where DurableFile.stands(path + suffix) {
        try DurableFile.copy(beside(suffix), to: place.appendingPathComponent(url.lastPathComponent + suffix))
      }
      return place
    } catch {
      _ = try? DurableFile.remove(place)
      throw error
    }
  }

  private static let reasonName = "reason.txt"

  /// Makes a new quarantine folder, named for the time, with the reason in it.
  func newQuarantine(because reason: String, at now: Date) throws -> URL {
    try DurableFile.makeFolder(quarantine)
    while true {
      let place = freeQuarantine(at: now)
      guard mkdir(place.path, 0o700) == 0 else {
        if errno == EEXIST { continue }
        throw DurableFile.posix(place.path, .cannotCreate)
      }
      do {
        try makeQuarantine(place, because: reason)
        return place
      } catch {
        _ = try? DurableFile.remove(place)
        throw error
      }
    }
  }

  /// A folder that does not exist yet, named for the time.
  func freeQuarantine(at now: Date) -> URL {
    let time = DateCodec.iso8601(DateCodec.milliseconds(now) ?? 0, fraction: true).filter { $0 != "-" && $0 != ":" && $0 != "." }
    var (place, number) = (quarantine.appendingPathComponent(time), 2)
    while DurableFile.stands(place.path) {
      place = quarantine.appendingPathComponent("\(time)-\(number)")
      number += 1
    }
    return place
  }

  /// Makes this quarantine folder, and its reason, where they do not exist.
  func makeQuarantine(_ place: URL, because reason: String) throws {
    try DurableFile.makeFolder(place)
    let file = place.appendingPathComponent(Self.reasonName)
    // A kill may have cut it off.
    guard (try? DurableFile.content(of: file)) != Data((reason + "\n").utf8) else { return try DurableFile.flushFolder(of: file) }
    try DurableFile.replace(file, with: Data((reason + "\n").utf8))
  }

  /// Removes the quarantine folder of an undone operation: its reason and these files. Where another process put a file, the folder stays.
  func removeQuarantine(_ place: URL, with names: [String]) throws {
    for name in [Self.reasonName] + names { _ = try DurableFile.remove(place.appendingPathComponent(name)) }
    rmdir(place.path)
  }
}

extension Store {
  /// The folders in `<store>.holdfast/quarantine`, one for each time that files were set aside, named for the time, newest first. Each has
  /// a `reason.txt`. The kit never removes them.
  public static func filesSetAside(of url: URL) throws -> [String] {
    let folder = try StoreFiles(url).quarantine
    return ((try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []).sorted(by: >)
  }
}
