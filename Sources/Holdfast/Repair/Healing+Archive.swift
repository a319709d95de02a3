import Foundation

// What the archive gives to a healing.
extension Healing {
  /// The archive's newest state; nil where there is none, or it is of another store.
  mutating func archivedState() throws -> ArchivedState? {
    do {
      let state = try ArchivedState(of: files, copy: copy, at: folder.file("archived.sqlite"), options.key)
      return try state.flatMap { try isOwn($0.file, "the archive beside the store") ? $0 : nil }
    } catch let error as StoreError where present == nil && [.wrongKey, .keyNeeded, .notEncrypted].contains(error.code) {
      // Nothing else tells whether the key is right.
      throw error
    } catch {
      report.notes.append("the archive could not help: \(try StoreError(error, path: files.path).ofContent().message)")
      return nil
    }
  }

  /// Whether a copy is of this store: by its id. Where the file does not tell its id any more, half of the pages must be as in the copy, or the
  /// archive be trusted. If not, notes it.
  mutating func isOwn(_ file: URL, _ words: String) throws -> Bool {
    switch try present?.owner(of: file, options.key) ?? .same {
    case .other(let owner, let own):
      report.notes.append("\(words) is of another store, with the id \(owner), and was not used: this store has the id \(own)")
      return false
    case .unproven where !trustsArchive:
      hasUnprovenCopy = true
      report.notes.append(
        """
        \(words) was not used: the file does not tell its id any more, and most of its pages are not as there, so nothing proves whose it is. \
        Heal with trust in the archive if it is this store's, and no other program writes to the store.
        """)
      return false
    case .same, .unproven: return true
    }
  }

  /// The archive's state, where it is the newest that can be known, and differences are damage; or that state with the pages that it does
  /// not know.
  mutating func fromArchive(_ archived: ArchivedState) throws -> URL? {
    let line = try? LogLine.stored(ConnectionFactory(copy.path, options).still())
    // A missing index is made again, and every row is in the file.
    guard trustsArchive || damagedParts != [.schema] else { return nil }
    // Trust says that nobody else writes, and not that the archive has all: its own end may be damaged.
    let isWhole = archived.isWhole && archived.commit.number >= lastCommit ?? 0
    guard isWhole, !archived.isBehind(line), trustsArchive || archived.isCurrent else {
      report.notes.append("the archive does not end where the store does, so its pages do not replace the store's: \(archived.words)")
      return nil
    }
    let difference = try present.map { try PageDifference(of: $0, from: archived) }
    try present?.check()
    report.pages = difference?.count
    guard difference?.count != 0 else { return try beforeGap(archived) }
    let isUnproven = report.damage.isEmpty && !trustsArchive
    guard !isUnproven || difference?.unknown.isEmpty ?? true else {
      report.mayBeLost.append(
        """
        \(difference?.count ?? 0) pages differ from the archive, and no check finds damage. This is damage that no check sees, or another \
        program changed the store without archiving. Heal with trust in the archive if no other program writes to this store.
        """)
      return nil
    }
    if let present, let difference, !trustsArchive, !difference.unknown.isEmpty {
      if let healed = try keeping(difference, present, archived) { return healed }
      guard !difference.provesCommits else {
        report.notes.append("another program has committed without archiving, so the archive's pages do not replace the store's")
        return nil
      }
      report.mayBeLost.append(
        """
        \(difference.unknown.count) of the replaced pages held what no state of the archive has. If another program committed without \
        archiving, that commit is only in the damaged files, which are kept.
        """)
    }
    guard let healed = try sound(archived.file, archived.words) else {
      report.mayBeLost = []
      return try beforeGap(archived)
    }
    if isUnproven {
      report.mayBeLost.append(
        """
        the replaced pages had the content of an earlier time, and no check finds damage: a log was lost, or another program has undone \
        a change. What it wrote is only in the former files, which are kept.
        """)
    }
    exact = archived
    (report.means, report.source) = (.pages, archived.words)
    return healed
  }

  /// The archive's state with the pages of the store that it does not know: only what is damaged is replaced. Nil where that is not sound.
  private mutating func keeping(
    _ difference: PageDifference, _ present: DamagedFile, _ archived: ArchivedState
  ) throws -> URL? {
    let (notes, all) = (report.notes, difference.unknown)
    // Of a few pages each may be the one that is damaged, although it has kept its form.
    let choices = [all] + ((2...8).contains(all.count) ? all.map { page in all.filter { $0 != page } } : [])
    for (place, kept) in choices.enumerated() {
      let file = folder.file("kept-\(place).sqlite")
      guard try archived.copy(keeping: kept, of: present, at: file) else { return nil }
      var healed = try sound(file, "the store with these pages")
      // An index whose page was replaced does not know the kept rows.
      if healed == nil, place == 0, !difference.damaged.isEmpty { healed = try indexesMadeAgain(in: file) }
      // What the tries met is of no interest.
      report.notes = notes
      guard let healed else { continue }
      (report.means, report.source) = (.pages, archived.words)
      report.mayBeLost.append(
        """
        \(kept.count) pages hold what no state of the archive has, and stay: another program committed without archiving, or damage \
        hides from every check. What such commits changed in the \(difference.count - kept.count) replaced pages is only in the damaged \
        files, which are kept.
        """)
      return healed
    }
    return nil
  }

  /// Where the archive has followed a damaged store: its state with the pages of before.
  private mutating func beforeGap(_ archived: ArchivedState) throws -> URL? {
    guard !report.damage.isEmpty, damagedParts != [.schema] else { return nil }
    do {
      guard let (file, pages, words) = try archived.beforeGap(of: files, in: folder), let healed = try sound(file, words) else {
        return nil
      }
      (report.means, report.source, report.pages) = (.pages, words, pages)
      report.mayBeLost.append("the archive had followed the damaged store: what another program changed while it was closed then is gone")
      return healed
    } catch {
      _ = try StoreError(error).ofContent()
      return nil
    }
  }
}
