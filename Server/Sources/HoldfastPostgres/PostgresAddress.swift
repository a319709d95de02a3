internal import CPostgres
internal import Foundation
internal import Synchronization

/// The address of a database, and which of its hosts had the primary last.
///
/// libpq tries several hosts one after the other, but gives each its own time only where it blocks. So each host is an attempt of ours.
final class PostgresAddress: Sendable {
  /// As it was given.
  let url: String
  /// For each host what replaces the lists in the URL; one without anything when the URL names no host.
  let hosts: [[String: String]]
  /// The URL's `connect_timeout`; nil when it has none.
  let seconds: Int?
  private let last = Mutex(0)

  init(_ url: String) {
    let parts = Self.parts(of: url)
    self.url = url
    seconds = parts["connect_timeout"].flatMap { Int($0) }.flatMap { $0 > 0 ? $0 : nil }
    hosts = Self.hosts(parts)
  }

  /// Calls `connect` with each host until it returns, first with the one that did so last.
  ///
  /// - Throws: the error of the last attempt. A password that one host refuses is not tried with the others.
  func first<T>(_ connect: (_ host: [String: String]) throws -> T) throws -> T {
    let begin = last.withLock { $0 }
    var failure = PostgresError(.unavailable, "the address has no host")
    for number in hosts.indices.map({ ($0 + begin) % hosts.count }) {
      do {
        let connected = try connect(hosts[number])
        last.withLock { $0 = number }
        return connected
      } catch let error as PostgresError where error.kind != .refused { failure = error }
    }
    throw failure
  }

  /// The hosts with their ports, the database and the user: all that may be shown of an address.
  static func shown(_ url: String) -> String {
    let parts = parts(of: url)
    let hosts = hosts(parts).map { host in
      let name = host["host"] ?? host["hostaddr"] ?? parts["host"] ?? parts["hostaddr"] ?? ""
      let port = host["port"] ?? parts["port"] ?? ""
      // Of a password with @ libpq takes the rest for the host.
      return String(name.split(separator: "@").last ?? "") + (port.isEmpty ? "" : ":\(port)")
    }
    let user = parts["user"].map { "\($0)@" } ?? ""
    return "postgres://\(user)\(hosts.joined(separator: ","))/\(parts["dbname"] ?? "")"
  }

  /// What the URL says itself, by libpq's names; empty for a text that is no address.
  static func parts(of url: String) -> [String: String] {
    guard let options = PQconninfoParse(url, nil) else { return [:] }
    defer { PQconninfoFree(options) }
    var parts: [String: String] = [:]
    var option = options
    while let keyword = option.pointee.keyword {
      if let value = option.pointee.val { parts[String(cString: keyword)] = String(cString: value) }
      option = option.advanced(by: 1)
    }
    return parts
  }

  private static func hosts(_ parts: [String: String]) -> [[String: String]] {
    let lists = ["host", "hostaddr", "port"].compactMap { name in
      parts[name].map { (name: name, values: $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init)) }
    }
    let count = lists.map(\.values.count).max() ?? 1
    // One port is for all hosts. Of other lengths libpq says itself what is wrong.
    let fits = lists.allSatisfy { list in
      list.name == "port" ? [1, count].contains(list.values.count) : list.values.count == count && !list.values.contains("")
    }
    guard count > 1, fits else { return [[:]] }
    return (0..<count).map { number in
      let values = lists.map { ($0.name, $0.values.count == 1 ? $0.values[0] : $0.values[number]) }
      // libpq's own port for none in a list; an empty text would not replace the list.
      return Dictionary(uniqueKeysWithValues: values.map { ($0.0, $0.1.isEmpty ? "5432" : $0.1) })
    }
  }
}
