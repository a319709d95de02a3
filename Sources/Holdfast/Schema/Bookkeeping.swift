import Foundation

/// The kit's bookkeeping of a file's schemas: their versions, and the migrations that ran.
///
/// The file holds a hash of it. A flipped bit in a name or hash would look like another library or an edited migration. The hash shows that
/// it is damage.
package struct Bookkeeping {
  var versions: [String: Int] = [:]
  var ran: [MigrationRunner.Ran] = []
  /// The hash of all values here.
  let sha256: String
  /// Whether the file holds the same hash, or none.
  let isWhole: Bool

  init(_ query: TextQuery) throws {
    let schemas = try query("SELECT name, version FROM holdfast_schemas ORDER BY rowid")
    for row in schemas {
      guard let name = row[0], let version = row[1].flatMap(Int.init) else {
        throw StoreError(.damaged, "holdfast_schemas has a row that cannot be read")
      }
      versions[name] = version
    }
    ran = try MigrationRunner.ran(query)
    let lines = schemas.map { "\($0[0] ?? "") \($0[1] ?? "")" } + ran.map { "\($0.name) \($0.hash)" }
    sha256 = SHA256Hex.of(lines.joined(separator: "\n"))
    let stored = try query("SELECT bookkeeping_sha256 FROM holdfast_store WHERE place = 1").first?.first ?? nil
    isWhole = stored == nil || stored == sha256
  }
}
