public import Foundation

/// The damage that a healing found, and how it repaired it.
public struct HealReport: Sendable, Equatable, Codable {
  /// The ways to heal, the exact ones first.
  public enum Means: String, Sendable, Codable, CaseIterable {
    /// Nothing was done.
    case none
    /// Damaged pages were replaced by those of the archive.
    case pages
    /// Indexes were made again from their tables, and so were missing triggers and views: no row is lost. Where an index and its table
    /// disagreed about a value, the table's value stays.
    case indexes
    /// Every row that could be read was put into a new store; the rows of lost pages came from a snapshot or the archive, where there is one.
    case rows
    /// No row could be read; the store is a snapshot now, or an older state of the archive.
    case copy
  }

  /// How the store was healed.
  public internal(set) var means = Means.none
  /// What the check of the store found, at most 100 sentences. Empty, and `means` is `.none`: the store is sound.
  public internal(set) var damage: [String] = []
  /// The pages that differ from the archive's; nil without an archive that reaches to now.
  public internal(set) var pages: Int?
  /// The snapshot or the commit of the archive that took part, in words; nil when none did.
  public internal(set) var source: String?
  /// For `.rows`: the rows that came back, by table.
  public internal(set) var salvage: SalvageReport?
  /// What may be lost, a sentence each. Empty: no sign of a loss was found in the store and its archive: each page that was replaced was
  /// unreadable or had the content of an earlier time, and every other page is as the archive has it; with `.indexes`, no row is lost.
  public internal(set) var mayBeLost: [String] = []
  /// What to know before trusting the result, a sentence each.
  public internal(set) var notes: [String] = []
  /// The folder with the damaged files, and with the rows that were set aside; nil when nothing was replaced.
  public internal(set) var kept: URL?

  /// Whether the store is as sound as checks can tell, after the healing.
  public var isHealed: Bool { means != .none || damage.isEmpty }
}
