import Foundation
import Holdfast
import HoldfastTransfer

/// XSPF: `playlist/trackList/track`, each with `location`, `title`, `creator`, `album`, `trackNum`, `duration` in milliseconds.
///
/// The namespace and its prefix are optional. Locations are URLs, or references relative to `xml:base` or to the list's own
/// place; many are not escaped. If a track has several locations, the first one counts. Other elements of a track go into its
/// metadata by their names. Extensions are left out: they are private notes of one program.
enum XSPF {
  /// - Throws: `.invalidSource` with the line, or the offset when the file ends too early.
  static func list(_ source: ImportSource) throws -> FileList {
    let folder = source.url.standardizedFileURL.deletingLastPathComponent().path
    var reading = Reading(base: FileLocation(path: folder.hasSuffix("/") ? folder : folder + "/").text)
    let end = try source.xml { event, place in try reading.take(event, at: place) }
    reading.noteLeftOut(end)
    guard reading.hasTrackList else {
      throw StoreError(.invalidSource, "\(source.url.path) is no XSPF: its <playlist> has no <trackList>")
    }
    return reading.list
  }

  private struct Reading {
    private(set) var list = FileList()
    private(set) var hasTrackList = false
    private var base: String
    private var path: [String] = []
    private var text = ""
    /// The subject of a `meta` or `link`.
    private var about = ""
    private var entry: FileList.Entry?
    private var bases: [String] = []
    /// Where the track began, and the characters that were left out before it, or that the list's notes name.
    private var begun: (start: Int?, leftOut: Int) = (nil, 0)
    /// How many notes of each name the entry has.
    private var notes: [String: Int] = [:]

    init(base: String) { self.base = base }

    mutating func take(_ event: XMLEvent, at place: XMLReading) throws {
      switch event {
      case .text(let piece): text += piece
      case .start(let name, let attributes):
        path.append(local(name))
        guard path.first == "playlist" else {
          throw StoreError(.invalidSource, "this is no XSPF: it is a <\(name)>, where <playlist> was expected, at line \(place.line)")
        }
        if path == ["playlist", "trackList"] { hasTrackList = true }
        if path.count <= depth { (text, about) = ("", attributes["rel"] ?? "") }
        bases.append(base)
        // Without the last part of the path, because references are resolved so.
        if let own = attributes["xml:base"].map({ WebReference.base(WebReference.resolved($0, in: base)) }) {
          let resolved = FileList.Location(url: own, base: base)?.stored.text ?? base
          base =
            resolved.hasSuffix("/")
            ? resolved : resolved.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/") + "/"
        }
        if path == ["playlist", "trackList", "track"] {
          entry = FileList.Entry(path: "line \(place.line)", original: "")
          notes = [:]
          noteLeftOut(place)
          begun = (place.offset, place.leftOut)
        }
      case .end:
        if path.count <= depth {
          end(at: place)
          text = ""
        }
        _ = path.popLast()
        base = bases.popLast() ?? base
      }
    }

    /// The depth of the elements with a value. Elements inside them only add their text.
    private var depth: Int { path.dropFirst().first == "trackList" ? 4 : 2 }

    private func local(_ name: String) -> String { name.split(separator: ":").last.map(String.init) ?? name }

    private mutating func end(at place: XMLReading) {
      let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
      if entry == nil { noteLeftOut(place) }
      switch path.count {
      case 2: member(path[1], value, place)
      case 3 where path[1] == "trackList" && path[2] == "track":
        guard var entry else { return }
        if entry.location == nil { entry.problem = entry.problem ?? "it names no file" }
        entry.original = "<track>\(entry.original)</track>"
        if place.leftOut > begun.leftOut {
          entry.original = place.original(from: begun.start).map { String(decoding: $0, as: UTF8.self) } ?? entry.original
          entry.damage("track", "\(XMLLeftOut.reason) at line \(place.leftOutLine)", line: place.line, entry.original)
          begun.leftOut = place.leftOut
        }
        list.entries.append(entry)
        self.entry = nil
      case 4 where path[1] == "trackList" && path[2] == "track":
        entry?.original += "<\(path[3])>\(XMLText.escaped(text))</\(path[3])>"
        track(path[3], value, place)
      default: break
      }
    }

    mutating func noteLeftOut(_ place: XMLReading) {
      guard place.leftOut > begun.leftOut else { return }
      begun.leftOut = place.leftOut
      list.notes.append((XMLLeftOut.reason, "line \(place.leftOutLine)"))
    }

    private mutating func member(_ name: String, _ value: String, _ place: XMLReading) {
      guard !value.isEmpty else { return }
      switch name {
      case "title": list.title = list.title ?? value
      case "trackList", "extension": break
      default: list.leftOut.append((name, "line \(place.line)"))
      }
    }

    private mutating func track(_ name: String, _ value: String, _ place: XMLReading) {
      guard var entry, !value.isEmpty else { return }
      self.entry = nil
      func damaged(_ reason: String) { entry.damage(name, reason, line: place.line, value) }
      func note(_ name: String) {
        var number = notes[name, default: 0] + 1
        func key() -> String { number == 1 ? name : "\(name) \(number)" }
        while entry.metadata[key()] != nil { number += 1 }
        notes[name] = number
        entry.metadata[key()] = value
      }
      switch name {
      case "location" where entry.location == nil:
        entry.location = FileList.Location(url: WebReference.resolved(value, in: base), base: base)
        entry.problem = "this location cannot be kept as it is"
      case "title", "creator", "album", "image":
        // If an element is repeated, the first one counts.
        if entry.members[name] == nil { entry.members[name] = .string(value) } else { note(name) }
      case "trackNum":
        if let number = Int64(value), number >= 0 {
          entry.members[name] = .integer(number)
        } else {
          damaged("trackNum should be a whole number")
        }
      case "duration":
        if let number = Int64(value), (0...(1 << 48)).contains(number) {
          entry.members[name] = .double(Double(number))
        } else {
          damaged("duration should be a whole number of milliseconds")
        }
      case "extension": break
      default: note(about.isEmpty ? name : "\(name) \(about)")
      }
      self.entry = entry
    }
  }
}
