import Foundation
import Holdfast
import HoldfastAudiobooks
import HoldfastTransfer

/// Opening a library, and what to say when it cannot be written to or not be opened.
func openLibrary(in folder: URL) throws -> AudiobookLibrary {
  // snippet: open
  let library = try AudiobookLibrary.open(at: folder.appendingPathComponent("library.sqlite"))
  // end
  return library
}

/// The same in the program's own place.
func openLibrary() throws -> AudiobookLibrary { try AudiobookLibrary.open() }

/// As above, for an app that kept its library in a JSON file until now.
func openWithLegacy(in folder: URL) throws -> AudiobookLibrary {
  // snippet: open-legacy
  let library = try AudiobookLibrary.open(
    at: folder.appendingPathComponent("library.sqlite"), legacy: folder.appendingPathComponent("library.json"))
  switch library.access {
  case .readWrite:
    if let report = library.importReport { print(report.isClean ? "Everything is in." : "\(report.problemCount) problems") }
  case .readOnly(let reason): print("Nothing is saved: \(reason)")
  case .legacy(let reason): print("The old file is still in use: \(reason)")
  }
  // end
  return library
}

/// As above, with a bar and a button "Not now".
func openWithProgress(
  in folder: URL, show: @escaping @Sendable (_ part: Double) -> Void, saysNotNow: @escaping @Sendable () -> Bool
) throws -> AudiobookLibrary {
  let library = try AudiobookLibrary.open(
    at: folder.appendingPathComponent("library.sqlite"), legacy: folder.appendingPathComponent("library.json")
  ) { step in
    if case .importing(let now) = step { show(Double(now.done) / Double(max(1, now.total))) }
    return !saysNotNow()
  }
  return library
}

func openOrExplain(at file: URL) -> AudiobookLibrary? {
  // snippet: open-or-explain
  do {
    let library = try AudiobookLibrary.open(at: file)
    if case .readOnly(let reason) = library.access {
      print("You can listen and look around, but nothing is saved: \(reason)")
    }
    return library
  } catch let error as StoreError {
    print(error.message)
    print(error.recoverySuggestion ?? "")
    for option in error.recoveryOptions { print("A button: \(option)") }
  } catch {
    print(error)
  }
  // end
  return nil
}
