public import Foundation

/// An error: a code to switch on, a sentence for people, and what to do next.
///
/// `message` says what happened and names the file; `recoverySuggestion` can be shown unchanged. Unless its documentation says otherwise,
/// the operation that throws has changed nothing. `Documentation/Errors.md` lists every code. New codes may come: write a `default` when
/// switching.
public struct StoreError: Error, Sendable {
  /// The kind of failure. The raw value is stable; `--json` prints it.
  public enum Code: String, Sendable, CaseIterable {
    /// No such file or folder.
    case notFound = "not_found"
    /// The file or its folder could not be made.
    case cannotCreate = "cannot_create"
    /// The file system refuses the access.
    case permissionDenied = "permission_denied"
    /// No space is left on the volume, or what should be stored exceeds a limit that the person has set.
    case diskFull = "disk_full"
    /// The volume reported a read or write failure.
    case inputOutput = "input_output"
    /// Another connection or process holds the lock for longer than the busy timeout.
    case busy
    /// SQLite had no memory for the work.
    case outOfMemory = "out_of_memory"
    /// SQLite ended the transaction by itself, and stored none of its changes. The error before this one is the cause.
    case rolledBack = "rolled_back"
    /// The device is locked and data protection withholds the file. Retry after unlock.
    case deviceLocked = "device_locked"
    /// The file is not a SQLite database.
    case notADatabase = "not_a_database"
    /// The file is a database, but its content is malformed.
    case damaged
    /// The file cannot be read with this key: it was encrypted with another key, or its beginning is damaged.
    case wrongKey = "wrong_key"
    /// The file is encrypted, and no key was given.
    case keyNeeded = "key_needed"
    /// A key was given, and the file is not encrypted.
    case notEncrypted = "not_encrypted"
    /// A key was given, and the space with which the store syncs is not sealed.
    case notSealed = "not_sealed"
    /// A key was given, and the SQLite in use cannot encrypt.
    case encryptionUnavailable = "encryption_unavailable"
    /// The file belongs to another program or holds another library.
    case wrongKind = "wrong_kind"
    /// The file was written by a newer version of the app.
    case newerSchema = "newer_schema"
    /// The text of a migration has changed after it ran, or a new migration was put before it.
    case editedMigration = "edited_migration"
    /// A migration would have lost rows that it did not declare.
    case migrationLostRows = "migration_lost_rows"
    /// A migration failed, or left a schema other than the declared one.
    case migrationFailed = "migration_failed"
    /// Written rows do not equal the source, or a copy or snapshot does not match its description.
    case verificationFailed = "verification_failed"
    /// The store was opened read-only, or the statement would write in a read.
    case readOnly = "read_only"
    /// A constraint of the schema refuses the row; `table` and `column` say which, where SQLite tells.
    case constraint
    /// A stored value does not have the type or form of its column; `table`, `column` and `row` say where.
    case decoding
    /// A value cannot be stored, for example a date that is not finite.
    case invalidValue = "invalid_value"
    /// The source to import has no readable format; `offset` is the byte where reading failed.
    case invalidSource = "invalid_source"
    /// The source to import has a newer version than this code knows.
    case newerSource = "newer_source"
    /// The task or the person cancelled.
    case cancelled
    /// The store, or the transaction, is closed.
    case closed
    /// The SQL is wrong, or a call is not allowed here, such as `read` inside another call on the same store.
    case misuse
  }

  /// An action that the app can offer as a button.
  public enum RecoveryOption: Sendable, Equatable {
    /// Heal the file with `Store.heal(at:schemas:options:trustsArchive:)`, which takes the best way that there is; the damaged file is kept.
    case heal
    /// Go back to the newest moment of the archive with `Store.rewind(at:to:)` and `.time(.distantFuture)`. `newest` is the time of that moment,
    /// as far as the archive's files tell without proving them.
    case rewind(newest: Date)
    /// Restore a snapshot with `Store.restore(at:snapshot:)`. Not offered where a migration failed in a store that syncs, which it refuses.
    case restoreSnapshot(id: String)
    /// Open with `StoreOptions.opensReadOnly`, to look and to export.
    case openReadOnly
    /// Try again later: the cause passes by itself.
    case retry
    /// Update the app, because the file is newer.
    case updateApp
  }

  /// The code, to switch on.
  public var code: Code
  /// What happened, in one sentence that names the file or the row.
  public var message: String
  /// What to do, when the throwing code knows more than `code` says; see `recoverySuggestion`.
  public var suggestion: String?
  /// Actions that may help, the best first. Empty when only the suggestion can help.
  public var recoveryOptions: [RecoveryOption]
  /// The path of the store that `recoveryOptions` bring back.
  package var store: String?
  /// The table of a `.constraint` or `.decoding` error, and of `.invalidValue` for a record; nil when it is not known.
  public var table: String?
  /// The column of such an error; nil when it is not known.
  public var column: String?
  /// The row of such an error, by its first column, usually the id; nil when it is not known.
  public var row: String?
  /// What the reader of a `.decoding` error's column takes it for; nil when it did not tell.
  var columnKind: ColumnKind?
  /// The byte at which reading a source failed, counted from 0; nil for other errors.
  public var offset: Int?
  /// The verb that threw the error: the function that called `read` or `write`, or the name that the call was given. Nil for an error that
  /// did not come out of such a call.
  public internal(set) var verb: String?
  /// SQLite's extended result code; nil when it is not known.
  var sqliteCode: Int32?
  /// The underlying error of SQLite or of the file system.
  public var cause: (any Error)?

  /// Makes an error, also for your own verbs. `table`, `column` and `row` can be set afterwards.
  public init(
    _ code: Code, _ message: String, offset: Int? = nil, suggestion: String? = nil, recoveryOptions: [RecoveryOption] = [],
    cause: (any Error)? = nil
  ) {
    self.code = code
    self.message = message
    self.offset = offset
    self.suggestion = suggestion
    self.recoveryOptions = recoveryOptions
    self.cause = cause
  }
}

extension StoreError: LocalizedError, CustomStringConvertible {
  public var errorDescription: String? { message }
  public var failureReason: String? { cause.map { String(describing: $0) } }
  public var recoverySuggestion: String? { suggestion ?? code.defaultSuggestion }
  public var description: String { "\(code.rawValue): \(message)" + (cause.map { " (\($0))" } ?? "") }
}

extension StoreError.Code {
  /// The suggestion for the code, when the throwing code gave none.
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
    case .damaged: "Heal the store; the damaged file is kept."
    case .wrongKey: "Give the key that the file was encrypted with; nothing was changed."
    case .keyNeeded: "Give the key that the file was encrypted with."
    case .notEncrypted: "Open it without a key, or encrypt it with Store.encrypt."
    case .notSealed: "Sync without a key, or in a new space; nothing was changed."
    case .encryptionUnavailable: "Use a SQLite with encryption, or open without a key."
    case .wrongKind: "Choose another file; this one was left as it is."
    case .newerSchema: "Update the app; nothing was changed."
    case .editedMigration: "Put the old text of the migration back, and add a new migration after it."
    case .migrationLostRows, .migrationFailed:
      "Nothing was changed: the version of the app before this one still opens the store. Report this to the app's developer."
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
