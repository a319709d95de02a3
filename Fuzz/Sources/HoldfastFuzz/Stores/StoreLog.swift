/// A write-ahead log, whose checksums are made when its bytes are asked for: so damage of a frame need not end the log there.
/// Format: https://www.sqlite.org/fileformat2.html#the_write_ahead_log
struct StoreLog: Sendable {
  struct Frame: Sendable {
    var page: UInt32
    /// The size of the file after a commit; 0 in other frames.
    var pages: UInt32
    var content: [UInt8]
  }

  var pageBytes: Int
  var frames: [Frame]

  var bytes: [UInt8] {
    var sum: (UInt32, UInt32) = (0, 0)
    func big(_ numbers: UInt32...) -> [UInt8] { numbers.flatMap { number in withUnsafeBytes(of: number.bigEndian) { Array($0) } } }
    /// The words are those of a big-endian machine, as the header says.
    func add(_ bytes: ArraySlice<UInt8>) {
      var place = bytes.startIndex
      func word() -> UInt32 {
        defer { place += 4 }
        return bytes[place..<place + 4].reduce(0) { $0 << 8 | UInt32($1) }
      }
      while place < bytes.endIndex {
        sum.0 = sum.0 &+ word() &+ sum.1
        sum.1 = sum.1 &+ word() &+ sum.0
      }
    }
    let salts: [UInt32] = [0x1234_5678, 0x9ABC_DEF0]
    var all = big(0x377F_0683, 3_007_000, UInt32(pageBytes), 0, salts[0], salts[1])
    add(all[...])
    all += big(sum.0, sum.1)
    for frame in frames {
      let head = big(frame.page, frame.pages)
      add(head[...])
      add(frame.content[...])
      all += head + big(salts[0], salts[1], sum.0, sum.1) + frame.content
    }
    return all
  }
}
