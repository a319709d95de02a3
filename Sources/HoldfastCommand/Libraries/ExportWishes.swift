import Foundation
import Holdfast

/// What a person wants of an export beside its format.
struct ExportWishes {
  /// By its id or name, the only one to write; nil: everything.
  var playlist: String?
  /// `kg` or `lb`; nil: the format's own.
  var weightUnit: String?
  /// Where the clock stands whose times are written; nil: where this computer is.
  var timeZone: TimeZone?

  /// - Throws: `.wrongKind` when there is a playlist.
  func refusePlaylist(of library: String) throws {
    guard playlist == nil else {
      throw StoreError(.wrongKind, "a library of \(library) has no playlists", suggestion: "the same without --playlist")
    }
  }

  /// - Throws: `.wrongKind` when there is a unit or a time zone.
  func refuseUnit(of what: String) throws {
    guard weightUnit == nil, timeZone == nil else {
      throw StoreError(
        .wrongKind, "\(what) has neither a unit of weights nor a clock", suggestion: "the same without --unit and --time-zone")
    }
  }
}
