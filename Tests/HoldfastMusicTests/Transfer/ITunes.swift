import Foundation
import Holdfast
import HoldfastTesting

/// Pieces of a `Library.xml`, with ids from small numbers.
enum ITunes {
  static func id(_ number: Int) -> String { "4E2A6B9C0D1F" + String(format: "%04X", number) }
  static func uuid(_ number: Int) -> UUID { NewID.derived(from: "itunes/\(id(number))") }

  static func library(_ tracks: [String], _ playlists: [String] = [], head: String = "") -> String {
    """
    <?xml version="1.0" encoding="UTF-8"?>
    <!DOCTYPE plist PUBLIC "-//Apple Computer//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
    <plist version="1.0">
    <dict>
    \t<key>Major Version</key><integer>1</integer>
    \t<key>Minor Version</key><integer>1</integer>
    \t<key>Date</key><date>2024-05-01T10:00:00Z</date>
    \(head)\t<key>Tracks</key>
    \t<dict>
    \(tracks.joined())\t</dict>
    \t<key>Playlists</key>
    \t<array>
    \(playlists.joined())\t</array>
    </dict>
    </plist>

    """
  }

  /// Track ID 100 + number; `more` are keys with values.
  static func track(_ number: Int, _ name: String? = nil, id: String? = nil, more: String = "") -> String {
    """
    \t\t<key>\(100 + number)</key>
    \t\t<dict>
    \t\t\t<key>Track ID</key><integer>\(100 + number)</integer>
    \t\t\t<key>Name</key><string>\(name ?? "song \(number)")</string>
    \t\t\t<key>Date Added</key><date>2020-01-02T03:04:05Z</date>
    \(more)\t\t\t<key>Persistent ID</key><string>\(id ?? Self.id(number))</string>
    \t\t\t<key>Track Type</key><string>File</string>
    \t\t\t<key>Location</key><string>file:///Music/\(number).mp3</string>
    \t\t</dict>

    """
  }

  static func playlist(_ number: Int, _ name: String, _ trackIDs: [Int]? = nil, more: String = "") -> String {
    let items = trackIDs.map { ids in
      "<key>Playlist Items</key><array>" + ids.map { "<dict><key>Track ID</key><integer>\(100 + $0)</integer></dict>" }.joined()
        + "</array>"
    }
    return """
      \t\t<dict>
      \t\t\t<key>Name</key><string>\(name)</string>
      \t\t\t<key>Playlist ID</key><integer>\(9000 + number)</integer>
      \t\t\t<key>Playlist Persistent ID</key><string>\(id(number))</string>
      \(more)\t\t\t<key>All Items</key><true/>
      \t\t\t\(items ?? "")
      \t\t</dict>

      """
  }

  static func string(_ key: String, _ value: String) -> String { "<key>\(key)</key><string>\(value)</string>" }
  static func integer(_ key: String, _ value: String) -> String { "<key>\(key)</key><integer>\(value)</integer>" }
  static func date(_ key: String, _ value: String) -> String { "<key>\(key)</key><date>\(value)</date>" }
  static func parent(_ number: Int) -> String { string("Parent Persistent ID", id(number)) }
  static let folder = "<key>Folder</key><true/>"
}
