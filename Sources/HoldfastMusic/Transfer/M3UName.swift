import Foundation
import Holdfast

/// Decides which part of `A - B` is the artist, and which the title.
enum M3UName {
  struct Reading {
    var halves: (artist: String?, title: String?)
    /// Whether there are two halves with text.
    var hasHalves = false
    /// Whether the first half is the title; nil where the path does not tell.
    var isTitleFirst: Bool?
  }

  /// Where the path does not tell: the first half is the title if `isTitleFirst` says so, or if the second half, and not the first, is
  /// the name of a folder above the album; otherwise it is the artist. Without a dash the whole name is the title.
  static func read(_ name: String, of path: some StringProtocol, isTitleFirst assumed: Bool? = nil) -> Reading {
    let path = Path(String(path))
    var best: (artist: String, title: String, likeness: Int, isTitleFirst: Bool)?
    for dash in dashes(in: name) {
      let (first, second) = (String(name[..<dash.lowerBound]), String(name[dash.upperBound...]))
      for (artist, title, isTitleFirst) in [(first, second, false), (second, first, true)] {
        let likeness = path.likeness(artist: artist, title: title)
        if likeness > best?.likeness ?? -1 { best = (artist, title, likeness, isTitleFirst) }
      }
    }
    guard let best else { return Reading(halves: (nil, text(name))) }
    guard let artist = text(best.artist), let title = text(best.title) else {
      // Only one half has text. It is the title, unless the path says that it is the artist.
      let half = text(best.artist) ?? text(best.title)
      return Reading(halves: half.map(path.isArtist) == true ? (half, nil) : (nil, half))
    }
    guard best.likeness == 0 else { return Reading(halves: (artist, title), hasHalves: true, isTitleFirst: best.isTitleFirst) }
    let isSwapped = assumed ?? (path.isArtist(title) && !path.isArtist(artist))
    // The first dash parts an artist from the title; the last one parts a title from the artist.
    guard isSwapped, let dash = dashes(in: name).last, let last = text(String(name[dash.upperBound...])) else {
      return Reading(halves: (artist, title), hasHalves: true)
    }
    return Reading(halves: (last, text(String(name[..<dash.lowerBound]))), hasHalves: true)
  }

  private static func text(_ half: String) -> String? { half.contains { !$0.isWhitespace } ? half : nil }

  private static func dashes(in name: String) -> [Range<String.Index>] {
    var dashes: [Range<String.Index>] = []
    var rest = name[...]
    // Eight dashes are enough, even for a line of nothing but dashes.
    while dashes.count < 8, let dash = rest.range(of: " - ") {
      dashes.append(dash)
      rest = rest[name.index(before: dash.upperBound)...]
    }
    // One half may be empty, and the space after the dash may have been trimmed.
    if dashes.isEmpty, name.hasSuffix(" -") { dashes.append(name.index(name.endIndex, offsetBy: -2)..<name.endIndex) }
    return dashes
  }

  /// The letters and digits of the names in a path; volumes replace other characters differently.
  private struct Path {
    private let folders: Set<String>
    /// The folders above the file's own folder, which may be an album.
    private let upperFolders: Set<String>
    private let file: String

    init(_ path: String) {
      let plain = path.contains("://") ? path.removingPercentEncoding ?? path : path
      var names = plain.split { $0 == "/" || $0 == "\\" }.map(String.init)
      let last = names.popLast() ?? ""
      folders = Set(names.map(Self.letters))
      upperFolders = Set(names.dropLast().map(Self.letters))
      file = Self.letters(last.lastIndex(of: ".").map { String(last[..<$0]) } ?? last)
    }

    /// 1 if the title is the file's name, 2 if also a folder has the artist's name. A folder alone may be an album.
    func likeness(artist: String, title: String) -> Int {
      let (artist, title) = (Self.letters(artist), Self.letters(title))
      guard !title.isEmpty, isFile(title) else { return 0 }
      return !artist.isEmpty && folders.contains(artist) ? 2 : 1
    }

    /// Whether a name is the artist's and not the title: a folder above the album has it, and the file has not.
    func isArtist(_ name: String) -> Bool {
      let name = Self.letters(name)
      return !name.isEmpty && upperFolders.contains(name) && !isFile(name)
    }

    /// Whether the file is named by the title, after an optional number. iTunes cuts long file names.
    private func isFile(_ title: String) -> Bool {
      if file.hasSuffix(title) { return file.dropLast(title.count).allSatisfy(\.isNumber) }
      let name = file.drop { $0.isNumber }
      return name.count >= 20 && title.hasPrefix(name)
    }

    private static func letters(_ name: String) -> String { SortText.folded(name).filter { $0.isLetter || $0.isNumber } }
  }
}
