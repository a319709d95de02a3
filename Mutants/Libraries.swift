// swift-tools-version: 6.1
// The kit, the four libraries and their tests alone: a mutant of a library builds nothing that it cannot reach.
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]
let grdb: Target.Dependency = .product(name: "GRDB", package: "GRDB.swift")
let sqlite: Target.Dependency = .product(name: "GRDBSQLite", package: "GRDB.swift")
let log: Target.Dependency = .product(name: "Logging", package: "swift-log")
let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let libraries = ["HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference"]

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v16), .macOS(.v13)],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
  ],
  targets: [
    .target(name: "CHoldfast", linkerSettings: [.linkedLibrary("z")]),
    .target(name: "CHoldfastXML", cSettings: [.headerSearchPath("system")], linkerSettings: [.linkedLibrary("xml2")]),
    .target(name: "Holdfast", dependencies: ["CHoldfast", grdb, sqlite, crypto, log], swiftSettings: strict),
    .target(name: "HoldfastTransfer", dependencies: ["Holdfast", sqlite, log], swiftSettings: strict),
    .target(name: "HoldfastGRDB", dependencies: ["Holdfast", grdb], swiftSettings: strict),
    .target(name: "CHoldfastCurl", linkerSettings: [.linkedLibrary("curl", .when(platforms: [.linux]))]),
    .target(name: "HoldfastHTTP", dependencies: ["CHoldfastCurl", "Holdfast"], swiftSettings: strict),
    .target(name: "HoldfastSync", dependencies: ["Holdfast", "HoldfastHTTP", crypto, log], swiftSettings: strict),
    .target(name: "HoldfastSyncServer", dependencies: ["Holdfast", "HoldfastSync"], swiftSettings: strict),
    .target(
      name: "HoldfastTesting", dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastSyncServer", sqlite, log],
      swiftSettings: strict),
  ]
    + libraries.flatMap { library -> [Target] in
      [
        .target(
          name: library,
          dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastHTTP", crypto, log]
            + (library == "HoldfastMusic" ? ["CHoldfastXML"] : []),
          swiftSettings: strict),
        .testTarget(
          name: library + "Tests",
          dependencies: [.init(stringLiteral: library), "Holdfast", "HoldfastTransfer", "HoldfastTesting", sqlite, log, crypto],
          // Test snippets and examples, which need the whole package.
          exclude: ["Fixtures"]
            + (library == "HoldfastAudiobooks" ? ["SnippetTests.swift"] : ["Transfer/ExampleTests.swift"]),
          swiftSettings: strict),
      ]
    },
  swiftLanguageModes: [.v6]
)
