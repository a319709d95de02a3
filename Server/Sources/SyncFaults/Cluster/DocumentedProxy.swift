internal import Foundation

/// nginx's settings as `Documentation/RunningAServer.md` has them: what people are told to write is what is broken here.
enum DocumentedProxy {
  /// The settings with these ports, and without TLS.
  ///
  /// - Throws: when the page has no such settings any more.
  static func settings(at port: Int, nodes: [Int]) throws -> String {
    let folders = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../../../../Documentation")
    let page = try String(contentsOf: folders.appendingPathComponent("RunningAServer.md").standardized, encoding: .utf8)
    let blocks = page.components(separatedBy: "```nginx\n").dropFirst().compactMap { $0.components(separatedBy: "```").first }
    let node = "    server 127.0.0.1:8377"
    guard let block = blocks.first, block.contains("\n\(node) "), block.contains("\n    listen 443 ssl;\n") else {
      throw ServerProgram.Failure("Documentation/RunningAServer.md has no settings of nginx with a server at 127.0.0.1:8377 and a port 443")
    }
    let lines = block.components(separatedBy: "\n").flatMap { line in
      if line.hasPrefix(node + " ") { return nodes.map { "    server 127.0.0.1:\($0)" + line.dropFirst(node.count) } }
      if line == "    listen 443 ssl;" { return ["    listen 127.0.0.1:\(port);"] }
      return line.contains("server_name ") || line.contains("ssl_certificate") ? [] : [line]
    }
    return lines.joined(separator: "\n")
  }
}
