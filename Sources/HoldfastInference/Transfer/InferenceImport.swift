import Foundation
import Holdfast
import HoldfastTransfer

/// One reading of a database of the SDK: table by table.
protocol InferenceScan {
  static var formatName: String { get }
  /// The kinds in the report, each with our table for such records.
  static var kinds: [(name: String, table: String)] { get }

  static func version(of source: SQLiteSource) throws -> Int

  /// Whether the database has an API key, or may have one.
  static func keys(in source: SQLiteSource) throws -> APIKeyRecord.Found

  init(_ database: InferenceDatabase)
  mutating func run(_ reader: Reader, _ visit: InferenceDatabase.Visit) throws
}

extension InferenceScan {
  /// The tables that it reads, in this order.
  static var own: [String] { kinds.map(\.name).filter { $0 != APIKeyRecord.kind } }
}

/// An import of either form of the SDK's database.
struct InferenceImport<Scan: InferenceScan>: ImportFormat {
  let version: Int
  let noCopy: String?
  private let database: InferenceDatabase

  /// - Throws: `.wrongKey` when the key for secrets is invalid; the errors of reading a database.
  init(_ source: SQLiteSource, _ secretKey: SecretKey?) throws {
    let keys = try Scan.keys(in: source)
    noCopy = APIKeyRecord.noCopy(keys, isSealed: secretKey != nil)
    database = try InferenceDatabase(
      tables: SourceTables(source, own: Scan.own), sealing: keys == .nothing ? nil : secretKey?.key())
    version = try Scan.version(of: source)
  }

  var name: String { Scan.formatName }
  var kinds: [(name: String, table: String)] { Scan.kinds }
  var total: Int { database.tables.total }

  func scan(_ reader: Reader, _ visit: (Scanned<SaidContent>, Int) throws -> Void) throws {
    var scan = Scan(database)
    try scan.run(reader, visit)
    try database.tables.skipOthers("store", kept: "the source", visit)
  }
}
