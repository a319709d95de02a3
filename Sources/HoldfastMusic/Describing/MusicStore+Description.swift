import Foundation
import Holdfast
public import HoldfastTransfer

extension MusicStore {
  /// The library's formats, lists, kinds and counts, for the command line.
  public static let description: LibraryDescription = {
    var library = LibraryDescription(schema)
    @Sendable func begins(_ source: SourceLook, _ beginnings: String...) -> Bool {
      source.tables == nil && source.members.isEmpty && beginnings.contains(where: source.beginning.hasPrefix)
    }
    @Sendable func isXML(_ source: SourceLook, of roots: String...) -> Bool {
      begins(source, "<") && roots.contains(where: source.beginning.contains)
    }
    library.readable = [
      FormatDescription("music-json", "the player's own library.json or MusicLibrary.json") { source in
        if source.member("schemaVersion") != nil { return nil }
        if source.member("tracks") != nil { return .certain }
        guard let playlists = source.member("collections") else { return nil }
        if playlists.keys.isEmpty { return .possible }
        return playlists.keys.isSuperset(of: ["name", "trackIDs"]) ? .certain : nil
      },
      FormatDescription("music-sqlite", "the player's first databases, library.db") { source in
        // An audiobook player's database has collections and tracks, too.
        source.tables?.isSuperset(of: ["collections", "tracks", "collection_tracks"]) == true ? .certain : nil
      },
      FormatDescription("itunes-xml", "the Library.xml that iTunes and Apple's Music export", options: [.timeZone]) { source in
        begins(source, "bplist") || isXML(source, of: "apple.com/DTDs/PropertyList", "<plist") ? .certain : nil
      },
      FormatDescription("m3u", "a playlist, .m3u or .m3u8", options: [.encoding]) { source in
        // A list of paths may lack the mark #EXTM3U; then the file's extension decides.
        let isNamedSo = source.tables == nil && source.members.isEmpty && ["m3u", "m3u8"].contains(source.fileExtension)
        return begins(source, "#EXTM3U") || isNamedSo ? .certain : nil
      },
      FormatDescription("xspf", "a playlist in XSPF") { source in
        isXML(source, of: "xspf.org/ns/0", "<playlist") ? .certain : nil
      },
      .portable,
    ]
    let playlist = FormatDescription.Option(
      "playlist", "Write only this playlist, given by its id or name. Default: all tracks.", .thing("playlist"))
    library.writable = [
      .documentedExport,
      FormatDescription("m3u8", "a playlist as M3U in UTF-8, which nearly every player reads", options: [playlist], ending: "m3u8"),
      FormatDescription("xspf", "a playlist as XSPF", options: [playlist], ending: "xspf"),
    ]
    library.filesOfFolder = { folder, _, _ in
      let file = try file(of: folder)
      return file == folder ? [] : ["Contents/Resources/\(file.lastPathComponent)"]
    }
    library.counted = [("tracks", "track", "tracks"), ("collections", "playlist", "playlists")]
    library.lists = [
      ListDescription("albums", "by name", ShownMusic.albums) {
        try counts(in: $0).albums
      } page: {
        try albums(after: $1, limit: $2, in: $0)
      },
      ListDescription("artists", "by name", ShownMusic.artists) {
        try counts(in: $0).artists
      } page: {
        try artists(after: $1, limit: $2, in: $0)
      },
      ListDescription("playlists", "in their own order", ShownMusic.playlists) {
        let counts = try MusicStore.counts(in: $0)
        return counts.playlists + counts.folders
      } page: { reader, key, limit in
        let folders = try reader.values("SELECT id, name FROM collections WHERE is_folder") { row in (try row.id(), try row.text()) }
        let names = Dictionary(folders, uniquingKeysWith: { first, _ in first })
        let page = try summaries(where: "true", after: key, limit: limit, in: reader)
        return Page(items: page.items.map { ShownMusic.Listed(list: $0, folder: $0.parentID.flatMap { names[$0] }) }, next: page.next)
      },
      ListDescription("tracks", "by title", ShownMusic.tracks) {
        try counts(in: $0).tracks
      } page: {
        try tracks(.byTitle, after: $1, limit: $2, in: $0)
      },
    ]
    library.kinds = ShownMusic.kinds
    library.searched = "tracks by title, artist, album, album artist and genre"
    library.search = { text, ranked, limit, reader in
      let tracks = try search(text, ranked: ranked, limit: limit, in: reader)
      return (ShownMusic.tracks.hits("track", tracks), [ShownMusic.tracks.table(of: tracks)])
    }
    library.info = { ShownMusic.numbers.shown(try statistics(in: $0)) }
    library.stats = ShownMusic.stats
    library.importing = { try importLibrary($0) }
    library.exporting = { store, url, format, values in
      let id = values[playlist.name].flatMap { IDCodec.parse($0) }
      switch format {
      case "m3u8": return try MusicStore(store).exportM3U(playlist: id, to: url)
      case "xspf": return try MusicStore(store).exportXSPF(playlist: id, to: url)
      default: return try store.export(to: url)
      }
    }
    return library
  }()
}
