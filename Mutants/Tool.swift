// swift-tools-version: 6.1
// The kit, the four libraries, the command and its tests alone: a mutant of the command builds nothing that it cannot reach.
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
let arguments: Target.Dependency = .product(name: "ArgumentParser", package: "swift-argument-parser")
let libraries = ["HoldfastAudiobooks", "HoldfastMusic", "HoldfastWorkouts", "HoldfastInference"]

let package = Package(
  name: "holdfast",
  platforms: [.iOS(.v16), .macOS(.v13)],
  products: [.executable(name: "holdfast", targets: ["HoldfastCommand"])],
  dependencies: [
    .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.6.0"),
    .package(url: "https://github.com/apple/swift-crypto", "3.12.3"..<"5.0.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
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
    .target(
      name: "HoldfastTool", dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastSync", "HoldfastHTTP", arguments], swiftSettings: strict
    ),
    .executableTarget(
      name: "HoldfastCommand",
      dependencies: ["HoldfastTool", "Holdfast", "HoldfastTransfer", arguments] + libraries.map { .init(stringLiteral: $0) },
      swiftSettings: strict),
    .testTarget(
      name: "HoldfastToolTests",
      dependencies: [
        "HoldfastTool", "HoldfastCommand", "Holdfast", "HoldfastTransfer", "HoldfastTesting", "HoldfastSync", "HoldfastSyncServer",
        arguments,
      ] + libraries.map { .init(stringLiteral: $0) },
      exclude: ["Fixtures", "Golden"], swiftSettings: strict),
  ]
    + libraries.map { library in
      .target(
        name: library,
        dependencies: ["Holdfast", "HoldfastTransfer", "HoldfastHTTP", crypto, log] + (library == "HoldfastMusic" ? ["CHoldfastXML"] : []),
        swiftSettings: strict)
    },
  swiftLanguageModes: [.v6]
)
