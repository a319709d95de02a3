import Holdfast

/// How the process ends: the numbers of sysexits.h where they fit.
enum ExitStatus: Int32, CaseIterable {
  case fine = 0
  case failed = 1
  /// Done or checked, and problems were found.
  case problems = 2
  case usage = 64
  /// Damaged or invalid data, data of another kind, or of a newer version.
  case invalid = 65
  case notFound = 66
  /// Cannot create; also a missing permission.
  case cannotCreate = 73
  /// Also a full disk.
  case inputOutput = 74
  /// Try again.
  case busy = 75
  case wrongKey = 77
  case interrupted = 130

  init(_ code: StoreError.Code) {
    switch code {
    case .notFound: self = .notFound
    case .cannotCreate, .permissionDenied, .readOnly: self = .cannotCreate
    case .diskFull, .inputOutput: self = .inputOutput
    case .busy, .deviceLocked: self = .busy
    case .notADatabase, .damaged, .wrongKind, .newerSchema, .decoding, .invalidValue, .constraint, .invalidSource, .newerSource:
      self = .invalid
    case .wrongKey, .keyNeeded, .notEncrypted, .notSealed: self = .wrongKey
    case .cancelled: self = .interrupted
    case .encryptionUnavailable, .editedMigration, .migrationLostRows, .migrationFailed, .verificationFailed, .closed, .misuse,
      .outOfMemory, .rolledBack:
      self = .failed
    }
  }
}
