import Foundation
import Holdfast
import HoldfastTesting
import HoldfastWorkouts

typealias World = LibraryWorld<WorkoutLog>

extension LibraryWorld<WorkoutLog> {
  var log: WorkoutLog { library }

  static func temporary() throws -> World { try World() }
  static func inMemory() throws -> World { try World(inMemory: true) }

  /// Each row that the statements since the last call wrote, as `INSERT workouts`; deletes by cascade are not told.
  func writes() -> [String] {
    // In a slow run the store also writes its figures of the day.
    statements.take().filter { !$0.contains("holdfast_") }.compactMap { text in
      let words = text.replacingOccurrences(of: "\"", with: "").split(separator: " ")
      return switch words.first {
      case "INSERT", "DELETE": words.count > 2 ? "\(words[0]) \(words[2])" : nil
      case "UPDATE": words.count > 1 ? "UPDATE \(words[1])" : nil
      default: nil
      }
    }
  }
}
