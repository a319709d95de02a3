// swift-tools-version: 6.1
// A package of its own: an app that uses Holdfast does not resolve swift-metrics.
import PackageDescription

let settings: [SwiftSetting] = [
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
  name: "metrics",
  platforms: [.macOS(.v13), .iOS(.v16), .tvOS(.v16), .watchOS(.v9)],
  products: [.library(name: "HoldfastMetrics", targets: ["HoldfastMetrics"])],
  dependencies: [
    .package(name: "holdfast", path: ".."),
    .package(url: "https://github.com/apple/swift-metrics", from: "2.5.0"),
  ],
  targets: [
    .target(
      name: "HoldfastMetrics",
      dependencies: [.product(name: "Holdfast", package: "holdfast"), .product(name: "CoreMetrics", package: "swift-metrics")],
      path: "Sources", swiftSettings: settings),
    .testTarget(
      name: "HoldfastMetricsTests",
      dependencies: [
        "HoldfastMetrics", .product(name: "Holdfast", package: "holdfast"), .product(name: "HoldfastTesting", package: "holdfast"),
        .product(name: "MetricsTestKit", package: "swift-metrics"),
      ],
      path: "Tests", swiftSettings: settings),
  ],
  swiftLanguageModes: [.v6]
)
