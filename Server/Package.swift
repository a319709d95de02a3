// swift-tools-version: 6.1
// A package of its own: an app that uses Holdfast does not resolve an HTTP server.
import PackageDescription

let strict: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "server",
  platforms: [.macOS(.v15)],
  products: [
    .executable(name: "holdfast-server", targets: ["HoldfastServer"]), .executable(name: "sync-bench", targets: ["SyncBench"]),
  ],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/hummingbird-project/hummingbird", from: "2.5.0"),
    .package(url: "https://github.com/apple/swift-nio", from: "2.65.0"),
    .package(url: "https://github.com/apple/swift-http-types", from: "1.0.0"),
    .package(url: "https://github.com/swift-server/swift-service-lifecycle", from: "2.0.0"),
    .package(url: "https://github.com/apple/swift-log", from: "1.10.0"),
    .package(url: "https://github.com/apple/swift-argument-parser", from: "1.5.0"),
    .package(url: "https://github.com/vapor/jwt-kit", from: "5.7.1"),
    .package(url: "https://github.com/apple/swift-crypto", from: "4.1.0"),
  ],
  targets: [
    .systemLibrary(name: "CZlib"),
    .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
    .target(
      name: "HoldfastPostgres",
      dependencies: [
        "CPostgres",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .target(
      name: "HoldfastServing",
      dependencies: [
        "CZlib",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "HummingbirdCore", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    // What `holdfast-server doctor` says.
    .target(
      name: "HoldfastDoctor",
      dependencies: [
        "HoldfastPostgres",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastHTTP", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
      ],
      swiftSettings: strict),
    // The tokens of an identity provider.
    .target(
      name: "HoldfastIdentity",
      dependencies: [
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastHTTP", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "HoldfastServer",
      dependencies: [
        "HoldfastDoctor",
        "HoldfastIdentity",
        "HoldfastPostgres",
        "HoldfastServing",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    .executableTarget(
      name: "SyncBench",
      dependencies: [
        "HoldfastPostgres",
        "HoldfastServing",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastHTTP", package: "holdfast"),
        .product(name: "HoldfastSync", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "Logging", package: "swift-log"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
      ],
      swiftSettings: strict),
    // What devices tell under real faults, and what of it breaks a promise.
    .target(name: "SyncHistory", swiftSettings: strict),
    .testTarget(
      name: "HoldfastServerTests",
      dependencies: [
        "HoldfastDoctor",
        "HoldfastIdentity",
        "HoldfastPostgres",
        "HoldfastServing",
        "SyncHistory",
        // Started by the tests as a process.
        "HoldfastServer",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastSync", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "Hummingbird", package: "hummingbird"),
        .product(name: "NIOCore", package: "swift-nio"),
        .product(name: "HTTPTypes", package: "swift-http-types"),
        // They make the keys of an identity provider.
        .product(name: "Crypto", package: "swift-crypto"),
        .product(name: "CryptoExtras", package: "swift-crypto"),
        .product(name: "JWTKit", package: "jwt-kit"),
        .product(name: "Logging", package: "swift-log"),
      ],
      swiftSettings: strict),
  ],
  swiftLanguageModes: [.v6]
)

#if os(Linux)
  // Starts holdfast-server, which is built beside it. With the limits of Linux.
  package.products.append(.executable(name: "sync-faults", targets: ["SyncFaults"]))
  package.targets.append(
    .executableTarget(
      name: "SyncFaults",
      dependencies: [
        "SyncHistory",
        .product(name: "Holdfast", package: "holdfast"),
        .product(name: "HoldfastSync", package: "holdfast"),
        .product(name: "HoldfastSyncServer", package: "holdfast"),
        .product(name: "ArgumentParser", package: "swift-argument-parser"),
        .product(name: "Crypto", package: "swift-crypto"),
      ],
      swiftSettings: strict))
#endif
