/// The records of a source to which other records belong, by their ids in the source.
///
/// A source that is read table by table has children without a parent. They go into quarantine, and so do the children of a parent that cannot
/// be imported.
public struct Parents<ID: Hashable, Whole> {
  private let noun: String
  /// Nil for a record that cannot be imported.
  private var records: [ID: Whole?] = [:]
  private var children: [ID: Int] = [:]

  /// - Parameter noun: one such record, in the reasons for people: `collection`.
  public init(_ noun: String) { self.noun = noun }

  /// Remembers a record. Of several with one id, the first that can be imported counts.
  ///
  /// - Parameter whole: what the record's children need; nil when it cannot be imported.
  public mutating func add(_ id: ID, _ whole: Whole?) {
    if self[id] == nil { records.updateValue(whole, forKey: id) }
  }

  /// What the record's children need; nil when it cannot be imported, or is not in the source.
  public subscript(id: ID) -> Whole? { records[id] ?? nil }

  /// Whether the source has the record, also one that cannot be imported.
  public func contains(_ id: ID) -> Bool { records[id] != nil }

  /// Why the record's children cannot be imported: `its collection is quarantined`, `there is no such collection`. Nil when they can.
  public func problem(of id: ID) -> String? {
    guard self[id] == nil else { return nil }
    return contains(id) ? "its \(noun) is quarantined" : "there is no such \(noun)"
  }

  /// The parent of a child; without one that can be imported, the child gets a problem.
  ///
  /// - Parameter id: nil when it cannot be read, which is a problem of its own.
  @discardableResult
  public func find(_ id: ID?, for child: inout SourceMembers) -> Whole? {
    guard let id else { return nil }
    if let whole = self[id] { return whole }
    problem(of: id).map { child.fail($0) }
    return nil
  }

  /// The place of the record's next child, from 0; 0 for a child that names no record.
  public mutating func nextPlace(in id: ID?) -> Int {
    guard let id else { return 0 }
    let place = children[id, default: 0]
    children[id] = place + 1
    return place
  }

  /// Numbers the children from 0 again, for children of another kind.
  public mutating func restartPlaces() { children = [:] }
}
