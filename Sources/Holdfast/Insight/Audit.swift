/// The audit of a store: who changed which row, when, by which verb, and how. Off by default: a schema declares it for its tables with
/// `SchemaDeclaration.audit`.
///
///     try await Audit.$actor.withValue("anna") { try await list.save(book) }
///     for entry in try await store.history(of: "books", id: id) { print(entry.time, entry.actor ?? "", entry.before, entry.after) }
///
/// Triggers write the entries, in the transaction that changes the row. Before its commit, the kit writes actor and verb into them, and a
/// hash that continues the one of the entry before. `Store.checkAudit()` finds an entry that was changed or removed.
/// `Documentation/Audit.md` tells what that proves and what not.
public enum Audit {
  /// Who writes: a person, a device, a part of the app. The app sets it for a task; nil by default. It is read when `write` is called, so
  /// it holds for the whole transaction.
  @TaskLocal public static var actor: String?
}

/// Who makes the transaction of a writer.
struct AuditedWrite {
  let actor: String?
  let verb: StaticString
  /// The newest entry when the transaction began. Nil where no entry is expected.
  var before: AuditEnd?
}
