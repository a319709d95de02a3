public import Foundation

/// What went wrong, as a code to switch on, a sentence for people, and what to do next.
///
/// `message` says what happened and names the file; `recoverySuggestion` can be printed on a screen as it is.
/// Nothing was changed by the operation that throws, unless its own documentation says otherwise.
/// `Documentation/Errors.md` lists every code. Cases may be added: write a `default` when switching.
public struct StoreError: Error, Sendable {
  /// The kind of failure. The raw value is stable and is what `--json` prints.
  public enum Code: String, Sendable, CaseIterable {
    /// No such file or folder.
    case notFound = "not_found"
    /// The file or its folder could not be made.
    case cannotCreate = "cannot_create"
    /// The file system refuses the access.
    case permissionDenied = "permission_denied"
    /// No space is left on the volume.
    case diskFull = "disk_full"
    /// The volume reported a read or write failure.
    case inputOutput = "input_output"
    /// Another connection or process holds the lock for longer than the busy timeout.
    case busy
    /// SQLite had no memory for the work.
    case outOfMemory = "out_of_memory"
    /// SQLite ended the transaction by itself: nothing of it is stored. The error before says why.
    case rolledBack = "rolled_back"
    /// The device is locked and data protection withholds the file. Retry after unlock.
    case deviceLocked = "device_locked"
    /// The file is not a SQLite database.
    case notADatabase = "not_a_database"
    /// The file is a database, and its content is malformed.
    case damaged
    /// The file is encrypted and the key is wrong or missing.
    case wrongKey = "wrong_key"
    /// A key was given, and the SQLite in use cannot encrypt.
    case encryptionUnavailable = "encryption_unavailable"
    /// The file belongs to another program or holds another library.
    case wrongKind = "wrong_kind"
    /// The file was written by a newer version of the app.
    case newerSchema = "newer_schema"
    /// A migration that already ran has another text now.
    case editedMigration = "edited_migration"
    /// A migration would have lost rows that it did not declare.
    case migrationLostRows = "migration_lost_rows"
    /// A migration failed, or left a schema other than the declared one.
    case migrationFailed = "migration_failed"
    /// What was written does not equal what was read, or a snapshot is not what it says.
    case verificationFailed = "verification_failed"
    /// The store was opened read-only, or the statement would write in a read.
    case readOnly = "read_only"
    /// A constraint of the schema refuses the value; `table` and `column` say which, where SQLite tells.
    case constraint
    /// A stored value is not what its column declares; `table`, `column` and `row` say where.
    case decoding
    /// A value cannot be stored: a date that is not finite, for example.
    case invalidValue = "invalid_value"
    /// The source to import is not in a format that can be read; `offset` says where it stops making sense.
    case invalidSource = "invalid_source"
    /// The source to import has a newer version than this code knows.
    case newerSource = "newer_source"
    /// The task or the person cancelled.
    case cancelled
    /// The store, or the transaction, is closed.
    case closed
    /// The SQL text is wrong, or a door was used in a way that it does not allow.
    case misuse
  }

  /// A way out that the app can offer as a button.
  public enum RecoveryOption: Sendable, Equatable {
    /// Put a snapshot back with `Store.restore(at:snapshot:)`.
    case restoreSnapshot(id: String)
    /// Open with `StoreOptions.opensReadOnly`, to look and to export.
    case openReadOnly
    /// Try the same again later: the cause passes by itself.
    case retry
    /// Update the app: the file is newer.
    case updateApp
  }

  /// To switch on.
  public var code: Code
  /// What happened, in one sentence that names the file or the row.
  public var message: String
  /// What to do, where the place that threw knows better than the code; see `recoverySuggestion`.
  public var suggestion: String?
  /// Ways out, the best first. Empty when there is none but the suggestion.
  public var recoveryOptions: [RecoveryOption]
  /// The table, column and row a `.constraint` or `.decoding` error is about.
  public var table: String?
  /// Nil where it is not known.
  public var column: String?
  /// The row's id where it is known, otherwise its place in the result.
  public var row: String?
  /// The byte at which a source stops making sense, counted from 0.
  public var offset: Int?
  /// SQLite's extended result code, where it is known.
  var sqliteCode: Int32?
  /// What lies underneath: SQLite's or the file system's error.
  public var cause: (any Error)?

  /// An error of your own verbs; `table`, `column`, `row` and `offset` can be set afterwards.
  public init(
    _ code: Code, _ message: String, suggestion: String? = nil, recoveryOptions: [RecoveryOption] = [], cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.suggestion = suggestion
    self.recoveryOptions = recoveryOptions
    self.cause = cause
  }
}

extension StoreError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var failureReason: String? { cause.map { String(describing: $0) } }
  public var recoverySuggestion: String? { suggestion ?? code.defaultSuggestion }
  public var description: String {
    var text = "\(code.rawValue): \(message)"
    if let cause { text += " (\(cause))" }
    return text
  }
}

extension StoreError.Code {
  /// What to do about the code when the place that threw had nothing better to say.
  var defaultSuggestion: String? {
    switch self {
    case .notFound: "Check the path or the id."
    case .cannotCreate: "Check that the folder exists and may be written to."
    case .permissionDenied: "Check who owns the file and its folder, and that both may be read and written."
    case .diskFull: "Free some space, then try again; nothing was changed."
    case .inputOutput: "Check the volume; copy the file to another one before you try again."
    case .busy: "Another process is writing; try again in a moment."
    case .outOfMemory: "Close what you do not need and try again; nothing was changed."
    case .rolledBack: "Nothing of the transaction is stored. Look at the error before this one, and run the whole transaction again."
    case .deviceLocked: "Unlock the device and try again; the data are intact."
    case .notADatabase: "Choose another file; this one was left as it is."
    case .damaged: "Restore a snapshot; the damaged file is kept."
    case .wrongKey: "Give the key that the file was made with."
    case .encryptionUnavailable: "Use a SQLite with encryption, or open without a key."
    case .wrongKind: "Choose another file; this one was left as it is."
    case .newerSchema: "Update the app; nothing was changed."
    case .editedMigration: "Put the old text of the migration back, and add a new migration after it."
    case .migrationLostRows, .migrationFailed: "Nothing was changed. Report this to the app's developer; the data are as before."
    case .verificationFailed: "Nothing was changed. Keep the source, and report this."
    case .readOnly: "Open the store for writing."
    case .constraint, .invalidValue: "Change the value and save again."
    case .decoding: "Run an integrity check; the row was left as it is."
    case .invalidSource: "Check that the file is complete and of the expected kind; it was left as it is."
    case .newerSource: "Update this program; nothing was changed."
    case .cancelled: nil
    case .closed: "Open the store again."
    case .misuse: "Correct the call; nothing was changed."
    }
  }
}
