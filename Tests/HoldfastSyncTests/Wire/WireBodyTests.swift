import Foundation
import Holdfast
import HoldfastSync
import HoldfastTesting
import Testing

struct WireBodyTests {
  private static let rows = [SyncRow.book("1", at: 1, ["a": "1"]), .deletedBook("2")]

  // MARK: Requests

  @Test("a request is a head and the lines of its rows, and reads back")
  func requests() throws {
    let push = SyncRequest(.push(Self.rows), epoch: "e1", cursor: 7, schema: 3)
    #expect(
      String(decoding: push.body, as: UTF8.self) == """
        {"cursor":7,"epoch":"e1","rows":2,"schema":3}
        {"g":1,"h":"\(Stamp.at(1).text)","k":"1","t":"books","v":{"a":1}}
        {"g":2,"k":"2","t":"books"}

        """)
    let pull = SyncRequest(.pull, epoch: nil, cursor: 0, schema: 1)
    #expect(String(decoding: pull.body, as: UTF8.self) == "{\"cursor\":0,\"schema\":1}\n")
    for request in [push, pull, SyncRequest(.push([]), epoch: "", cursor: .max, schema: 0)] {
      #expect(try SyncRequest(body: request.body) == request)
    }
  }

  @Test(
    "a request with a wrong line is refused, with the number of the line",
    arguments: [
      ("", 1), ("{}", 1), ("[1]", 1), (#"{"cursor":-1,"schema":1}"#, 1), (#"{"cursor":1.5,"schema":1}"#, 1), (#"{"cursor":0}"#, 1),
      (#"{"cursor":0,"schema":9999999999}"#, 1), (#"{"cursor":0,"schema":1,"epoch":1}"#, 1), (#"{"cursor":0,"schema":1,"more":true}"#, 1),
      (#"{"cursor":0,"schema":1}\#n{}"#, 1), (#"{"cursor":0,"schema":1,"rows":2}\#n{}"#, 1),
      (#"{"cursor":0,"schema":1,"rows":9223372036854775807}"#, 1), (#"{"cursor":0,"schema":1,"rows":1}\#n{}"#, 2),
      (#"{"cursor":0,"schema":1,"rows":1}\#n{"g":2,"k":"1","q":1,"t":"books"}"#, 2),
      (#"{"cursor":0,"schema":1,"rows":2}\#n{"g":2,"k":"1","t":"books"}\#n"#, 1),
      (#"{"cursor":0,"schema":1,"rows":2}\#n{"g":2,"k":"1","t":"books"}\#n\#n"#, 3),
    ] as [(String, Int)])
  func wrongRequests(_ body: String, _ line: Int) throws {
    do {
      _ = try SyncRequest(body: Data(body.utf8))
      Issue.record("it was read")
    } catch let error as StoreError {
      #expect(error.code == .invalidSource)
      #expect(error.message.hasPrefix("line \(line): "), "\(error.message)")
    }
  }

  @Test("a request that was cut off anywhere, or is not UTF-8, is refused")
  func cutRequests() {
    let body = SyncRequest(.push(Self.rows), epoch: "e1", cursor: 7, schema: 3).body
    // Without the last line break the request is whole.
    for count in 0..<(body.count - 1) { #expect(code { _ = try SyncRequest(body: body.prefix(count)) } == .invalidSource, "\(count)") }
    #expect(code { _ = try SyncRequest(body: Data([0x7B, 0x22, 0xFF, 0x22, 0x3A, 0x31, 0x7D])) } == .invalidSource)
  }

  @Test("a request of more than 1,000 rows or 1 MB is refused, and one of 1,000 rows is read")
  func tooLarge() throws {
    func request(_ count: Int) -> SyncRequest {
      SyncRequest(.push((0..<count).map { .deletedBook("\($0)") }), epoch: "e1", cursor: 0, schema: 1)
    }
    #expect(try SyncRequest(body: request(1_000).body) == request(1_000))
    #expect(code { _ = try SyncRequest(body: request(1_001).body) } == .invalidValue)
    #expect(code { _ = try SyncRequest(body: Data(count: SyncRequest.greatestBytes + 1)) } == .invalidValue)
  }

  // MARK: Responses

  private static let stored = [SyncResponse.Stored(rows[0], at: 4), SyncResponse.Stored(rows[1], at: 9)]

  private struct Answer {
    var outcome: SyncResponse.Outcome
    var status: Int
    var body: String

    init(_ outcome: SyncResponse.Outcome, _ status: Int, _ body: String, floor: Int64 = 0) {
      (self.outcome, self.status, self.body, self.floor) = (outcome, status, body, floor)
    }

    init(_ code: StoreError.Code, _ status: Int) {
      self.init(.failed(StoreError(code, "no")), status, #"{"code":"\#(code.rawValue)","epoch":"e1","message":"no","now":5}"#)
    }

    var floor: Int64 = 0
    var response: SyncResponse { SyncResponse(outcome, now: 5, epoch: "e1", floor: floor) }
  }

  private static let answers: [Answer] = [
    Answer(
      .page(stored, cursor: 9, more: false), 200,
      """
      {"cursor":9,"epoch":"e1","floor":0,"more":false,"now":5,"rows":2}
      {"g":1,"h":"\(Stamp.at(1).text)","k":"1","q":4,"t":"books","v":{"a":1}}
      {"g":2,"k":"2","q":9,"t":"books"}
      """),
    Answer(.page([], cursor: 9, more: true), 200, #"{"cursor":9,"epoch":"e1","floor":0,"more":true,"now":5,"rows":0}"#),
    Answer(.page([], cursor: 9, more: false), 200, #"{"cursor":9,"epoch":"e1","floor":7,"more":false,"now":5,"rows":0}"#, floor: 7),
    Answer(
      .pushed([stored[1]], refused: [SyncResponse.Refused(SyncRow.Name("books", "3"), "quota")], cursor: 9), 200,
      """
      {"cursor":9,"epoch":"e1","floor":0,"now":5,"refused":[["books","3","quota"]],"rows":1}
      {"g":2,"k":"2","q":9,"t":"books"}
      """),
    Answer(.pushed([], refused: [], cursor: nil), 200, #"{"epoch":"e1","floor":0,"now":5,"refused":[],"rows":0}"#),
    Answer(.branched(fork: 3), 409, #"{"epoch":"e1","floor":2,"fork":3,"now":5}"#, floor: 2),
    Answer(.branched(fork: nil), 409, #"{"epoch":"e1","floor":0,"now":5}"#),
    Answer(.future, 422, #"{"epoch":"e1","now":5}"#),
    Answer(.oldSchema, 426, #"{"epoch":"e1","now":5}"#),
    Answer(.invalidSource, 400),
    Answer(.permissionDenied, 401),
    Answer(.notFound, 404),
    Answer(.invalidValue, 413),
    Answer(
      .failed(StoreError(.diskFull, "/srv is full")), 503,
      #"{"code":"disk_full","epoch":"e1","message":"the server cannot answer now","now":5}"#),
  ]

  @Test("each answer has its status and its body, and reads back", arguments: answers.indices)
  func responses(_ place: Int) throws {
    let answer = Self.answers[place]
    #expect(answer.response.status == answer.status)
    #expect(String(decoding: answer.response.body, as: UTF8.self) == answer.body + "\n")
    let again = try SyncResponse(body: answer.response.body, status: answer.status)
    #expect(again.status == answer.status && again.body == answer.response.body && again.now == 5 && again.epoch == "e1")
    #expect(again.floor == answer.floor)
  }

  @Test("an answer may leave out its floor, which is 0 then, and its head may have members that only a newer server sends; a row may not")
  func newerServers() throws {
    let head = #"{"cursor":9,"epoch":"e1","load":[0.5],"more":false,"now":5,"rows":1}"#
    let row = #"{"g":2,"k":"2","q":9,"t":"books""#
    let answer = try SyncResponse(body: Data("\(head)\n\(row)}\n".utf8), status: 200)
    #expect(answer.picture == "page: 9 books/2; cursor 9" && answer.floor == 0)
    let forked = try SyncResponse(body: Data(#"{"epoch":"e1","fork":1,"more":true,"now":5}"#.utf8), status: 409)
    #expect(forked.picture == "branched at 1")
    #expect(code { _ = try SyncResponse(body: Data("\(head)\n\(row),\"load\":1}\n".utf8), status: 200) } == .inputOutput)
  }

  @Test("an answer that was cut off anywhere is an error of the connection", arguments: answers.indices)
  func cutResponses(_ place: Int) {
    let (body, status) = (Self.answers[place].response.body, Self.answers[place].status)
    for count in 0..<(body.count - 1) {
      #expect(code { _ = try SyncResponse(body: body.prefix(count), status: status) } == .inputOutput, "\(count)")
    }
  }

  @Test(
    "an answer of another program is an error of the connection",
    arguments: [
      (200, "<html>Sign in</html>"), (200, "{}"), (200, #"{"epoch":"e1","now":5}"#),
      (200, #"{"epoch":"e1","more":false,"now":5,"rows":0}"#),
      (200, #"{"cursor":-1,"epoch":"e1","more":false,"now":5,"rows":0}"#),
      (200, #"{"cursor":1,"epoch":"e1","more":false,"now":-1,"rows":0}"#),
      (200, #"{"cursor":1,"epoch":"e1","more":false,"now":253402300800000,"rows":0}"#),
      (200, #"{"cursor":1,"epoch":"e1","more":false,"now":5,"rows":1}\#n{"g":2,"k":"2","t":"books"}"#),
      (200, #"{"cursor":1,"epoch":"e1","more":false,"now":5,"rows":1}\#n{"g":2,"k":"2","q":0,"t":"books"}"#),
      (200, #"{"epoch":"e1","now":5,"refused":[["books"]],"rows":0}"#), (200, #"{"code":"busy","epoch":"e1","message":"","now":5}"#),
      (409, #"{"epoch":"e1","fork":-1,"now":5}"#), (409, #"{"epoch":"e1","floor":-1,"now":5}"#), (502, "Bad Gateway"), (404, ""),
      (200, #"{"cursor":1,"epoch":"e1","floor":0.5,"more":false,"now":5,"rows":0}"#), (302, "{}"),
    ] as [(Int, String)])
  func foreign(_ status: Int, _ body: String) {
    #expect(code { _ = try SyncResponse(body: Data(body.utf8), status: status) } == .inputOutput)
  }
}
