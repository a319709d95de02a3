package import Holdfast

/// The values of a row by column, in the order of the columns' bytes: that in which a line has them. A row has few columns, and those of two
/// rows are compared, merged and written side by side.
package struct RowValues: Sendable, Hashable {
  private struct Member: Sendable, Hashable {
    let key: ExactText
    var value: ExactText
  }

  // Ascending, no key twice.
  private var members: [Member] = []

  package init() {}

  /// Of two values of a column the later one counts.
  package init(_ pairs: some Sequence<(ExactText, ExactText)>) {
    members.reserveCapacity(pairs.underestimatedCount)
    for (key, value) in pairs { self[key] = value }
  }

  package var keys: [ExactText] { members.map(\.key) }

  package var values: [ExactText] { members.map(\.value) }

  package subscript(key: ExactText) -> ExactText? {
    get {
      let place = place(of: key)
      return has(key, at: place) ? members[place].value : nil
    }
    set {
      // Nearly always they come in order.
      let place = members.last.map { $0.key < key } ?? true ? members.count : place(of: key)
      switch (has(key, at: place), newValue) {
      case (true, let value?): members[place].value = value
      case (true, nil): members.remove(at: place)
      case (false, let value?): members.insert(Member(key: key, value: value), at: place)
      case (false, nil): break
      }
    }
  }

  /// The first place whose key is not below `key`.
  private func place(of key: ExactText) -> Int {
    var (low, high) = (0, members.count)
    while low < high {
      let middle = (low + high) / 2
      if members[middle].key < key { low = middle + 1 } else { high = middle }
    }
    return low
  }

  private func has(_ key: ExactText, at place: Int) -> Bool { place < members.count && members[place].key == key }

  package mutating func reserveCapacity(_ count: Int) { members.reserveCapacity(count) }

  package mutating func removeAll(where isGone: (Element) -> Bool) { members.removeAll { isGone(($0.key, $0.value)) } }

  package func filter(_ stays: (Element) -> Bool) -> RowValues {
    var result = self
    result.removeAll { !stays($0) }
    return result
  }

  /// The columns of both. Where both have one, `combine` chooses from the own and the other value.
  ///
  /// One walk along both: a row that another program has pushed may have very many columns.
  package func merging(_ others: RowValues, _ combine: (ExactText, ExactText) -> ExactText) -> RowValues {
    var result = RowValues()
    result.reserveCapacity(Swift.max(count, others.count))
    var rest = members[...]
    for other in others.members {
      while let own = rest.first, own.key < other.key {
        result.members.append(own)
        rest.removeFirst()
      }
      if let own = rest.first, own.key == other.key {
        result.members.append(Member(key: own.key, value: combine(own.value, other.value)))
        rest.removeFirst()
      } else {
        result.members.append(other)
      }
    }
    result.members += rest
    return result
  }

  package mutating func merge(_ others: RowValues, _ combine: (ExactText, ExactText) -> ExactText) { self = merging(others, combine) }
}

extension RowValues: RandomAccessCollection {
  package typealias Element = (key: ExactText, value: ExactText)

  package var startIndex: Int { 0 }
  package var endIndex: Int { members.count }
  package subscript(position: Int) -> Element { (members[position].key, members[position].value) }
}

extension RowValues: ExpressibleByDictionaryLiteral {
  package init(dictionaryLiteral elements: (ExactText, ExactText)...) { self.init(elements) }
}
