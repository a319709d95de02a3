import Foundation
import Holdfast
import HoldfastMusic

extension MusicCommands {
  func show(_ text: String, _ console: Console) throws -> Answer {
    try library.store.read { reader in
      let item = try MusicLookup(text: text, in: reader).item()
      var answer =
        switch item {
        case .album(let id): try album(id, reader, console)
        case .artist(let name): try artist(name, reader, console)
        case .playlist(let id): try playlist(id, reader, console)
        case .track(let id): try track(id, reader)
        }
      answer.document["kind"] = .string(item.kind)
      return answer
    }
  }

  private func album(_ id: MusicAlbum.ID, _ reader: Reader, _ console: Console) throws -> Answer {
    let tracks = try gather { try MusicStore.tracks(.ofAlbum(id), after: $0, limit: $1, in: reader) }
    let seconds = tracks.reduce(0) { $0 + ($1.duration ?? 0) }
    let year = tracks.compactMap(\.year).max()
    let genres = Set(tracks.compactMap(\.genre).filter { !$0.isEmpty }).sorted()
    var facts = FactList()
    facts.add("album", id.name)
    facts.add("artist", id.artist)
    facts.add("year", year.map(String.init))
    facts.add("genre", genres.joined(separator: ", "))
    facts.add("length", ShownLine.length(seconds))
    facts.add("id", IDCodec.lowercase(MusicItem.album(id).id))
    var table = TextTable([
      .number("DISC"), .number("#"), .flexible("TITLE"), .flexible("ARTIST"), .number("LENGTH"), .number("PLAYS"), .number("STARS"),
      .text("ID"),
    ])
    for track in tracks {
      table.add([
        track.discNumber.map(String.init) ?? "", track.trackNumber.map(String.init) ?? "", track.title, track.artist,
        DisplayText.length(track.duration), track.playCount > 0 ? String(track.playCount) : "", ShownLine.stars(track.rating),
        IDCodec.lowercase(track.id),
      ])
    }
    return Answer(
      document: [
        "album": .object([
          "id": .id(MusicItem.album(id).id), "name": .string(id.name), "artist": .string(id.artist),
          "year": year.map(JSONValue.number) ?? .null, "genres": .texts(genres), "total_seconds": .double(seconds),
          "tracks": .array(tracks.map { ShownLine($0).json }),
        ])
      ], text: facts.text + "\n" + table.text(width: console.outputWidth))
  }

  private func artist(_ name: String, _ reader: Reader, _ console: Console) throws -> Answer {
    let albums = try gather { try MusicStore.albums(of: name, after: $0, limit: $1, in: reader) }
    let tracks = try gather { try MusicStore.tracks(.ofArtist(name), after: $0, limit: $1, in: reader) }
    let guest = tracks.filter { $0.groupArtist != name }.map(ShownLine.init(_:))
    let seconds = albums.reduce(0) { $0 + $1.totalSeconds }
    var facts = FactList()
    facts.add("artist", name)
    facts.add("albums", String(albums.count))
    facts.add("tracks", String(albums.reduce(0) { $0 + $1.tracks }))
    facts.add("length", ShownLine.length(seconds))
    facts.add("id", IDCodec.lowercase(MusicItem.artist(name).id))
    let lines = albums.map(ShownLine.init(_:))
    var text = facts.text + "\n" + ShownLine.table(ShownLine.albumColumns, lines, console)
    if !guest.isEmpty { text += "\nOn albums of others\n" + ShownLine.table(ShownLine.trackColumns, guest, console) }
    return Answer(
      document: [
        "artist": .object([
          "id": .id(MusicItem.artist(name).id), "name": .string(name), "total_seconds": .double(seconds),
          "albums": .array(lines.map(\.json)), "tracks_on_other_albums": .array(guest.map(\.json)),
        ])
      ], text: text)
  }

  private func playlist(_ id: UUID, _ reader: Reader, _ console: Console) throws -> Answer {
    guard let playlist = try MusicStore.playlist(id, in: reader) else {
      throw StoreError(.notFound, "there is no playlist \(IDCodec.lowercase(id))")
    }
    let tracks = try gather { try MusicStore.entries(of: id, after: $0, limit: $1, in: reader) }.map(\.track)
    func line(_ list: PlaylistSummary) -> ShownLine { ShownLine(list, folder: playlist.name) }
    let inside = try gather(nil, as: line) { try MusicStore.playlists(in: id, after: $0, limit: $1, in: reader) }
    let folder = try playlist.parentID.flatMap { id in
      try reader.value("SELECT name FROM collections WHERE id = \(id)") { row in try row.text() }
    }
    let seconds = tracks.reduce(0) { $0 + ($1.duration ?? 0) }
    var facts = FactList()
    facts.add(playlist.isFolder ? "folder" : "playlist", playlist.name)
    facts.add("in", folder)
    facts.add("tracks", playlist.isFolder ? nil : String(tracks.count))
    facts.add("length", ShownLine.length(seconds))
    facts.add("id", IDCodec.lowercase(id))
    var table = TextTable([.number("#"), .flexible("TITLE"), .flexible("ARTIST"), .flexible("ALBUM"), .number("LENGTH"), .text("ID")])
    for (index, track) in tracks.enumerated() {
      table.add([
        String(index + 1), track.title, track.artist, track.album, DisplayText.length(track.duration), IDCodec.lowercase(track.id),
      ])
    }
    var text = facts.text
    if !inside.isEmpty { text += "\n" + ShownLine.table(ShownLine.playlistColumns, inside, console) }
    if !tracks.isEmpty { text += "\n" + table.text(width: console.outputWidth) }
    return Answer(
      document: [
        "playlist": .object([
          "id": .id(id), "name": .string(playlist.name), "is_folder": .bool(playlist.isFolder), "folder_id": .id(playlist.parentID),
          "total_seconds": .double(seconds), "tracks": .array(tracks.map { ShownLine($0).json }),
          "playlists": .array(inside.map(\.json)), "persistent_id": .text(playlist.persistentID),
        ])
      ], text: text)
  }

  private func track(_ id: UUID, _ reader: Reader) throws -> Answer {
    guard let track = try MusicStore.track(id, in: reader) else {
      throw StoreError(.notFound, "there is no track \(IDCodec.lowercase(id))")
    }
    var facts = FactList()
    facts.add("title", track.title)
    facts.add("artist", track.artist)
    facts.add("album", track.album)
    facts.add("album artist", track.albumArtist)
    facts.add("disc", track.discNumber.map(String.init))
    facts.add("number", track.trackNumber.map(String.init))
    facts.add("genre", track.genre)
    facts.add("year", track.year.map(String.init))
    facts.add("length", DisplayText.length(track.duration))
    facts.add("stars", ShownLine.stars(track.rating))
    facts.add("plays", track.playCount > 0 ? String(track.playCount) : nil)
    facts.add("last played", DisplayText.time(track.lastPlayedAt))
    facts.add("added", DisplayText.time(track.addedAt))
    facts.add("file", track.file.location.map { $0.path ?? $0.text })
    facts.add("is", track.file.availability.rawValue)
    facts.add("size", track.file.sizeBytes.map(DisplayText.size))
    facts.add("id", IDCodec.lowercase(track.id))
    var members = ShownLine.members(track)
    members["file_url"] = .text(track.file.location?.text)
    members["file_size"] = track.file.sizeBytes.map(JSONValue.integer) ?? .null
    members["file_modified_at"] = .time(track.file.modifiedAt)
    members["content_hash"] = .text(track.file.contentHash)
    members["artwork_url"] = .text(track.artworkURL)
    members["artwork_hash"] = .text(track.artworkHash)
    members["persistent_id"] = .text(track.persistentID)
    members["metadata"] = .stored(track.metadata.text)
    return Answer(document: ["track": .object(members)], text: facts.text)
  }
}
