import Foundation
import Holdfast
import HoldfastMusic
import HoldfastTransfer

#if canImport(FoundationXML)
  import FoundationXML
#endif

/// Bringing iTunes' file in, verified, against Python's plistlib only reading the same file, and against Foundation's parser, which
/// tells every element and text and does nothing with them.
struct MusicImport {
  static let python = "Python plistlib, reading only"
  static let parser = "XMLParser, one bare pass"
  var contestant: String
  var megabytes: Double
  var tracks: Int
  var milliseconds: [Double] = []

  static func run(_ file: String, tracks: Int, _ dataSets: DataSets, rounds: Int) throws -> [MusicImport] {
    let size = try FileManager.default.attributesOfItem(atPath: file)[.size] as? Int ?? 0
    var own = MusicImport(contestant: Gate.contestant, megabytes: Double(size) / 1_000_000, tracks: tracks)
    var other = MusicImport(contestant: python, megabytes: own.megabytes, tracks: tracks)
    var bare = MusicImport(contestant: parser, megabytes: own.megabytes, tracks: tracks)
    for _ in 0..<rounds {
      bare.milliseconds.append(try parse(file))
      other.milliseconds.append(try readByPython(file, expecting: tracks))
      let folder = try dataSets.newFolder()
      let stopwatch = Stopwatch()
      let report = try stopwatch.time {
        try MusicStore.importLibrary(
          from: URL(fileURLWithPath: file), into: URL(fileURLWithPath: folder + "/" + DataSet.databaseName))
      }
      guard report.verified, report.isClean, report.counts["tracks"]?.imported == tracks else { throw Failure("the import is not whole") }
      own.milliseconds += stopwatch.operations
      try FileManager.default.removeItem(atPath: folder)
    }
    return [other, bare, own]
  }

  private final class Deaf: NSObject, XMLParserDelegate {
    var elements = 0
    func parser(
      _ parser: XMLParser, didStartElement elementName: String, namespaceURI: String?, qualifiedName qName: String?,
      attributes attributeDict: [String: String]
    ) { elements += 1 }
    func parser(_ parser: XMLParser, didEndElement elementName: String, namespaceURI: String?, qualifiedName qName: String?) {}
    func parser(_ parser: XMLParser, foundCharacters string: String) {}
  }

  private static func parse(_ file: String) throws -> Double {
    guard let stream = InputStream(fileAtPath: file) else { throw Failure("the library cannot be read") }
    let (parser, deaf, stopwatch) = (XMLParser(stream: stream), Deaf(), Stopwatch())
    parser.delegate = deaf
    stopwatch.time { _ = parser.parse() }
    guard parser.parserError == nil, deaf.elements > 0 else { throw Failure("the parser read \(deaf.elements) elements") }
    return stopwatch.operations.reduce(0, +)
  }

  /// Milliseconds of `plistlib.load` alone, without Python's start.
  private static func readByPython(_ file: String, expecting tracks: Int) throws -> Double {
    let program = """
      import plistlib, sys, time
      start = time.perf_counter()
      library = plistlib.load(open(sys.argv[1], 'rb'))
      print((time.perf_counter() - start) * 1000, len(library['Tracks']))
      """
    let found = try Python.numbers(2, program, reading: file)
    guard found[1] == Double(tracks) else { throw Failure("python3 found \(found[1]) tracks") }
    return found[0]
  }
}
