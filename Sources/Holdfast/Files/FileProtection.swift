import Foundation

extension StoreFiles {
  /// Gives a new file (a store or its copy) the protection class of `options`. SQLite gives the log and its index the class of the file.
  ///
  /// Does nothing on platforms without such classes. Not run on the platforms where Holdfast is tested.
  func protect(_ options: StoreOptions) throws {
    // Platform: protection classes and backups are the system's.
    #if os(iOS)
      try DurableFile.naming(url) {
        try FileManager.default.setAttributes([.protectionKey: options.fileProtection], ofItemAtPath: path)
      }
    #endif
  }

  /// Leaves `folder` out of backups of the device, or takes it in, as `options` say.
  ///
  /// Does nothing on platforms without such backups. Not run on the platforms where Holdfast is tested.
  func leaveOutOfBackups(_ folder: URL, _ options: StoreOptions) throws {
    #if canImport(Darwin)
      var (marked, values) = (folder, URLResourceValues())
      values.isExcludedFromBackup = options.snapshots.leavesOutOfDeviceBackups
      try DurableFile.naming(folder) { try marked.setResourceValues(values) }
    #endif
  }
}
