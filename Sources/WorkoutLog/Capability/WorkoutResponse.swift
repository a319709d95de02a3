public import Foundation
import Holdfast

/// What the log answers to the app's core. `Codable` in JSON as `WorkoutOperation` is.
public enum WorkoutResponse: Sendable, Hashable, Codable {
  /// The workout with this id is stored.
  case workoutSaved(UUID)
  /// In the order that the operation promises.
  case workoutsLoaded([CoreWorkout])
  /// Nil: there is none.
  case workoutLoaded(CoreWorkout?)
  /// There is no workout with this id; `existed` says whether there was one before.
  case workoutDeleted(UUID, existed: Bool)
  /// Nothing was changed.
  case error(Failure)

  /// What went wrong.
  public struct Failure: Error, Sendable, Hashable {
    /// The raw value of a `StoreError.Code`, to switch on.
    public var code: String
    /// What happened, in one sentence.
    public var message: String
    /// What to do; nil where there is nothing.
    public var suggestion: String?

    /// Says what and what to do.
    public init(code: String, message: String, suggestion: String?) {
      self.code = code
      self.message = message
      self.suggestion = suggestion
    }
  }

  /// - Throws: `StoreError`, code `.invalidSource`, that says what is wrong and where.
  public init(from decoder: any Decoder) throws { self = try JSONTree(from: decoder).read { try WorkoutResponse(&$0) } }
  public func encode(to encoder: any Encoder) throws { try JSONTree { write(into: &$0) }.encode(to: encoder) }

  /// As bytes for the core.
  var json: Data {
    var text = JSONText()
    write(into: &text)
    return Data(text.bytes)
  }

  private init(_ scanner: inout JSONScanner) throws {
    self = try scanner.variant(of: "response", Self.names) { name, value in
      switch name {
      case "workoutSaved": return .workoutSaved(try value.id())
      case "workoutsLoaded":
        var workouts: [CoreWorkout] = []
        try value.array { _, element in workouts.append(try CoreWorkout(&element)) }
        return .workoutsLoaded(workouts)
      case "workoutLoaded": return .workoutLoaded(try value.null() ? nil : CoreWorkout(&value))
      case "workoutDeleted":
        var (id, existed) = (UUID.zero, false)
        try value.members(["id", "existed"], required: 2) { fields, number, value in
          if number == 0 { id = try fields.id("id", &value)?.value ?? .zero } else { existed = try fields.bool("existed", &value) }
        }
        return .workoutDeleted(id, existed: existed)
      case "error":
        var failure = Failure(code: "", message: "", suggestion: nil)
        try value.members(["code", "message", "suggestion"], required: 3) { fields, number, value in
          switch number {
          case 0: failure.code = try fields.text("code", &value)
          case 1: failure.message = try fields.text("message", &value)
          default: failure.suggestion = try fields.textOrNil("suggestion", &value)
          }
        }
        return .error(failure)
      default: return nil
      }
    }
  }

  static let names = ["workoutSaved", "workoutsLoaded", "workoutLoaded", "workoutDeleted", "error"]

  func write(into text: inout JSONText) {
    switch self {
    case .workoutSaved(let id): text.variant("workoutSaved") { $0.value(id) }
    case .workoutsLoaded(let workouts):
      text.variant("workoutsLoaded") { $0.array(workouts) { text, workout in workout.write(into: &text) } }
    case .workoutLoaded(let workout):
      text.variant("workoutLoaded") { text in
        if let workout { workout.write(into: &text) } else { text.null() }
      }
    case .workoutDeleted(let id, let existed):
      text.variant("workoutDeleted") { text in
        text.object { text in
          text.member("id", id)
          text.member("existed", existed)
        }
      }
    case .error(let failure):
      text.variant("error") { text in
        text.object { text in
          text.member("code", failure.code)
          text.member("message", failure.message)
          text.member("suggestion", failure.suggestion)
        }
      }
    }
  }
}
