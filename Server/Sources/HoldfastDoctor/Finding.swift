/// What a deployment lacks.
package struct Finding: Sendable, Equatable {
  /// What it is about. The table of `holdfast-server doctor` in Server/README.md has a row for each.
  package enum Kind: String, Sendable, CaseIterable {
    // The store.
    case noSpace = "no-space"
    case noToken = "no-token"
    case quota, counts
    // A file.
    case archive, readable, disk
    // A database.
    case version, encoding, tables, recovery, fsync
    case fullPageWrites = "full-page-writes"
    case walLevel = "wal-level"
    case replicas, synchronous, waiting, spare, lag, monitor, connections, clock, rights, superuser
    case databaseTLS = "database-tls"
    // The way to the server.
    case tls, unreachable, health, metrics, host, store
    case retryAfter = "retry-after"
    case gzip
    case bodyLimit = "body-limit"
    case poll
  }

  package let kind: Kind
  /// What was seen.
  package let message: String

  package init(_ kind: Kind, _ message: String) { (self.kind, self.message) = (kind, message) }
}

extension Finding.Kind {
  /// What to do.
  package var remedy: String {
    switch self {
    case .noSpace: "Run holdfast-server space create NAME."
    case .noToken: "Run holdfast-server token create SPACE for each device, or remove the space."
    case .quota: "Raise the limit with holdfast-server space limits: devices keep what is refused, and send it again."
    case .counts:
      """
      Run holdfast-server check. A part of a space: remove it, and move the space again. Another file: start its server again, and devices \
      bring back what is missing. A database, or where check names only a digest: go back to a backup.
      """
    case .archive: "Stop the server, run holdfast archive begin STORE, and start it again."
    case .readable: "Give the folder of the store the mode 0700."
    case .disk:
      "Free space, or move the store to a larger volume: a backup, a snapshot and a base of the archive need as much as the store."
    case .version: "Upgrade PostgreSQL to 15 or newer."
    case .encoding: "Make another database: CREATE DATABASE holdfast ENCODING 'UTF8' TEMPLATE template0. Move the spaces there."
    case .tables: "Run holdfast-server migrate, which makes them or brings them up to date; or use the newer holdfast-server."
    case .recovery: "Promote a replica with pg_ctl promote, or name the primary in the address."
    case .fsync, .fullPageWrites: "Set it on in postgresql.conf, and reload."
    case .walLevel: "Set wal_level to replica in postgresql.conf, and restart PostgreSQL."
    case .replicas: "Add two replicas; or accept it, and back up often."
    case .synchronous: "Set synchronous_standby_names to 'ANY 1 (NAME, NAME)' with the names of two replicas, and reload."
    case .waiting: "Start the replicas that are missing, or name fewer in synchronous_standby_names."
    case .spare: "Add a replica, and name it in synchronous_standby_names."
    case .lag: "Look at the network and the disk of the replica. It loses this much if it takes over and others have it not."
    case .monitor: "Run GRANT pg_monitor TO the role of the server."
    case .connections: "Raise max_connections, and restart PostgreSQL."
    case .clock: "Run a time service, such as chrony, on both machines."
    case .rights: "Let the role that owns the database run holdfast-server, or grant what is missing."
    case .superuser: "Make a role for the server: CREATE ROLE holdfast LOGIN PASSWORD '…', and let it own the database."
    case .databaseTLS: "Switch ssl on in postgresql.conf, and add ?sslmode=verify-full to the address."
    case .tls: "Put a proxy with TLS before the server, and give its https address."
    case .unreachable: "Look whether the proxy and the server run, and whether the certificate is for this name."
    case .health: "Look at the log of the server. It answers 503 while its store cannot be used."
    case .metrics: "Let the proxy answer /metrics with 404."
    case .host: "Start the server with --behind-proxy --host NAME, and let the proxy pass the header Host on."
    case .store: "Give the address and the store of one server."
    case .retryAfter: "Let the proxy pass the header Retry-After on."
    case .gzip: "Let the proxy pass bodies and the header Content-Encoding on as they are."
    case .bodyLimit: "Let the proxy take bodies of 1 MB: client_max_body_size 2m in nginx."
    case .poll: "Let the proxy wait 30 seconds for /wait, and 10 for the rest: proxy_read_timeout in nginx."
    }
  }
}

/// What `holdfast-server doctor` says of one part of a deployment.
package struct Diagnosis: Sendable {
  /// What was looked at, in a few words.
  package var facts: String
  package var findings: [Finding]
}
