"""Syncs rows through a space on a Holdfast server, by Documentation/SyncProtocol.md and in the words of that page.
It keeps the rows of a space in a SQLite file, as the lines in which they travel. It needs Python 3.9 and nothing else.
  sync_client.py FILE set notes n1 title='"Emma"' cover_kind,cover='["jpeg",{"b":"/9g="}]'
  sync_client.py FILE delete notes n1
  sync_client.py FILE list notes
  sync_client.py FILE sync http://127.0.0.1:8377 anna
`set` takes a column, or a group of columns with the list of their values. What it writes waits for the next `sync`,
which takes its token from HOLDFAST_SYNC_TOKEN. Exit code 1: it failed, and what waited still waits. 2: rows were refused."""
import argparse, base64, hashlib, json, math, os, secrets, sqlite3, sys, time
import urllib.error, urllib.parse, urllib.request
TOLERANCE = 120_000  # the farthest that a stamp may lie in the server's future, in milliseconds
GREATEST_ROWS, GREATEST_BYTES = 1_000, 2**20 - 4_096  # of a push
DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUV"
# sequence: 0 for a row that the server may not have. dirty: 1 for a row to send, 2 for one that the server refused.
TABLES = """
CREATE TABLE IF NOT EXISTS row (tbl TEXT, key TEXT, line TEXT, sequence INTEGER, dirty INTEGER, PRIMARY KEY (tbl, key));
CREATE TABLE IF NOT EXISTS state (one PRIMARY KEY, space TEXT, epoch TEXT, cursor INTEGER, resync INTEGER, ahead INTEGER);
INSERT OR IGNORE INTO state VALUES (1, NULL, NULL, 0, 1, 0);
"""
class Wrong(Exception): pass  # The text is a sentence for people.
def check(is_right, sentence):
    if not is_right:
        raise Wrong(sentence)

def stamp(time, node):
    """A text that sorts as the stamps do."""
    return "".join(DIGITS[(time << 40 | node) >> 5 * place & 31] for place in reversed(range(21)))
def time_of(stamp): return int(stamp[:13], 32)
def text_of(value):
    """A value as canonical JSON: equal values have equal texts."""
    if isinstance(value, dict) and len(value) == 1:
        (kind, content), = value.items()
        if kind == "b":
            return '{"b":"%s"}' % base64.b64encode(base64.b64decode(content, validate=True)).decode()
        value = int(content) if kind == "i" else float({"inf": "inf", "-inf": "-inf"}.get(content, "nan"))
    check(not isinstance(value, (bool, dict, list)) and value == value, f"{value} is no value of SQLite")
    if isinstance(value, int) and -2**63 <= value < 2**63:
        return str(value) if abs(value) <= 2**53 else '{"i":"%d"}' % value
    if isinstance(value, (int, float)):
        value = float(value)
        if math.isinf(value):
            return '{"r":"%sinf"}' % ("-" if value < 0 else "")
        if 2**53 < abs(value) < 1e16:  # Python gives an exponent from 1e16 on
            first, rest = repr(abs(value))[0], repr(abs(value))[1:-2].rstrip("0")
            return "-" * (value < 0) + f"{first}.{rest}e+15"
        return repr(value) if value else "0.0"
    return json.dumps(value, ensure_ascii=False)  # null and strings
def object_of(members):
    return "{" + ",".join(f"{text_of(name)}:{text}" for name, text in sorted(members.items())) + "}"

class Row:
    """A birth, with the texts of its values by column, and exceptions: of each group a stamp and the texts."""
    def __init__(self, table, key, generation, birth=None, values={}, exceptions={}, forgets=False):
        self.table, self.key, self.generation, self.is_alive = table, key, generation, generation % 2 == 1
        self.exceptions = {group: it for group, it in exceptions.items() if self.is_alive and it[0] > birth}
        gone = {column for group in self.exceptions for column in group.split(",")}  # below: the one form of a row
        self.values = {c: text for c, text in values.items() if self.is_alive and text != "null" and c not in gone}
        self.birth, self.forgets = (birth, False) if self.is_alive else (None, forgets)
        lists = {group: f'["{it[0]}",' + ",".join(it[1]) + "]" for group, it in self.exceptions.items()}
        members = {"g": str(generation), "k": text_of(key), "t": text_of(table)}
        members |= ({"h": f'"{birth}"'} if self.is_alive else {}) | ({"v": object_of(self.values)} if self.values else {})
        self.line = object_of(members | ({"x": object_of(lists)} if lists else {}) | ({"f": "true"} if self.forgets else {}))
    @staticmethod
    def of(line):
        """The row of a line, and its sequence number in an answer."""
        it = json.loads(line)
        values = {column: text_of(value) for column, value in it.get("v", {}).items()}
        exceptions = {group: (x[0], [text_of(value) for value in x[1:]]) for group, x in it.get("x", {}).items()}
        return Row(it["t"], it["k"], it["g"], it.get("h"), values, exceptions, it.get("f", False)), it.get("q", 0)
    def current(self):
        """The value of each column. Of two groups with one column, the later exception counts."""
        values = dict(self.values)
        for group, (_, texts) in sorted(self.exceptions.items(), key=lambda item: (item[1][0], item[0])):
            values.update(zip(group.split(","), texts))
        return values
    def merged(self, other):
        if self.generation != other.generation:
            return max(self, other, key=lambda row: row.generation)
        if not self.is_alive:
            return self if self.forgets else other
        values = self.values if self.birth > other.birth else other.values
        if self.birth == other.birth:
            values = {c: max(it[c] for it in (self.values, other.values) if c in it) for c in self.values | other.values}
        exceptions = dict(self.exceptions)
        for group, it in other.exceptions.items():
            exceptions[group] = max(it, exceptions.get(group, it))
        return Row(self.table, self.key, self.generation, max(self.birth, other.birth), values, exceptions)
    def stamped_again(self, now, node):
        """The row with the stamps that the server does not accept made the latest that it does, in their order."""
        stamps = {self.birth} | {it[0] for it in self.exceptions.values()} if self.is_alive else set()
        late = sorted(it for it in stamps if time_of(it) >> 15 > now + TOLERANCE)
        first = max(now + TOLERANCE << 15, time_of(self.birth) + 1 if late and late[0] != self.birth else 0)
        again = {it: stamp(first + place, node) for place, it in enumerate(late)}
        exceptions = {group: (again.get(it[0], it[0]), it[1]) for group, it in self.exceptions.items()}
        return Row(self.table, self.key, self.generation, again.get(self.birth, self.birth), self.values, exceptions)

class Space:
    def __init__(self, path):
        self.db, self.node = sqlite3.connect(path), secrets.randbits(40)
        self.db.executescript(TABLES)
        self.run = self.db.execute
    def state(self, columns): return self.run(f"SELECT {columns} FROM state").fetchone()
    def put(self, row, sequence, dirty):
        self.run("INSERT OR REPLACE INTO row VALUES (?, ?, ?, ?, ?)", (row.table, row.key, row.line, sequence, dirty))
    def get(self, table, key):
        """The row, its sequence number, and whether it is to be sent."""
        found = self.run("SELECT line, sequence, dirty FROM row WHERE tbl = ? AND key = ?", (table, key)).fetchone()
        return (Row.of(found[0])[0], *found[1:]) if found else (None, 0, 0)
    def set(self, table, key, groups):
        old, sequence, _ = self.get(table, key)
        now = int(time.time() * 1000) + self.state("ahead")[0] << 15
        if old and old.is_alive:
            exceptions = dict(old.exceptions)
            for group, texts in groups.items():
                latest = time_of(exceptions[group][0] if group in exceptions else old.birth)
                exceptions[group] = stamp(max(now, latest + 1), self.node), texts
            row = Row(table, key, old.generation, old.birth, old.values, exceptions)
        else:
            values = {"id": text_of(key)}  # the columns of the key travel, too
            values |= {column: text for group, texts in groups.items() for column, text in zip(group.split(","), texts)}
            row = Row(table, key, old.generation + 1 if old else 1, stamp(now, self.node), values)
        with self.db:
            self.put(row, sequence, 1)
    def delete(self, table, key):
        old, sequence, _ = self.get(table, key)
        check(old and old.is_alive, f"There is no row {key} in {table}")
        with self.db:
            self.put(Row(table, key, old.generation + 1), sequence, 1)
    def take(self, rows):
        """Takes what comes from the server, as a page or as the answer to a push."""
        for remote, sequence in rows:
            local, _, dirty = self.get(remote.table, remote.key)
            merged = local.merged(remote) if local else remote
            self.put(merged, sequence, 0 if merged.line == remote.line else dirty or 1)
    def refuse(self, lines): self.db.executemany("UPDATE row SET dirty = 2 WHERE line = ?", [(line,) for line in lines])
    def begin_resync(self):
        self.run("UPDATE row SET sequence = 0")
        self.run("UPDATE state SET epoch = NULL, cursor = 0, resync = 1")
    def unsent(self):
        lines, room = [], GREATEST_BYTES
        for line, in self.run("SELECT line FROM row WHERE dirty = 1 ORDER BY tbl, key LIMIT ?", (GREATEST_ROWS,)):
            room -= len(line.encode()) + 1
            if lines and room < 0:
                break
            lines.append(line)
        return lines
    def round(self, server):
        """Pulls, and pushes while something is to be sent. Each answer is one transaction."""
        pulls, page, repairs = True, None, 0
        if self.state("resync")[0]:  # what an earlier run has pulled may be of an epoch that has ended since
            self.begin_resync()
        while pulls or self.unsent():
            epoch, cursor = page or self.state("epoch, cursor")
            sent = [] if pulls else self.unsent()
            status, head, rows = server.ask("pull" if pulls else "push", epoch, cursor, sent)
            with self.db:
                check(not head.get("floor") and not any(it[0].table[:7] == "sealed:" for it in rows), "The space is sealed, or has a floor")
                self.run("UPDATE state SET ahead = ?", (head["now"] - int(time.time() * 1000),))
                if status == 200:
                    check(epoch in (None, head["epoch"]), "The answer is of another epoch")
                    # Without a cursor others have pushed meanwhile: what they changed comes with the rest of their pushes.
                    self.take(rows if pulls or "cursor" in head else [it for it in rows if it[0].line in sent or it[1] <= cursor])
                if status == 200 and pulls:
                    pulls = page = (head["epoch"], head["cursor"]) if head["more"] else None
                    if not page:
                        if self.state("resync")[0]:
                            self.run("UPDATE row SET dirty = 1 WHERE sequence = 0 OR dirty = 2")
                        self.run("UPDATE state SET epoch = ?, cursor = ?, resync = 0", (head["epoch"], head["cursor"]))
                elif status == 200:
                    refused = [it[:2] for it in head["refused"]]
                    self.refuse(it for it in sent if [Row.of(it)[0].table, Row.of(it)[0].key] in refused)
                    if "cursor" in head:
                        self.run("UPDATE state SET cursor = ?", (head["cursor"],))
                    pulls = "cursor" not in head
                elif status == 409:
                    if "fork" in head and not self.state("resync")[0]:
                        self.run("UPDATE row SET sequence = 0, dirty = 1 WHERE sequence > ? OR dirty = 2", (head["fork"],))
                        self.run("UPDATE state SET epoch = ?, cursor = min(cursor, ?)", (head["epoch"], head["fork"]))
                    else:
                        self.begin_resync()
                    pulls, page = True, None
                elif status == 422:
                    for line, *state in self.run("SELECT line, sequence, dirty FROM row WHERE dirty").fetchall():
                        self.put(Row.of(line)[0].stamped_again(head["now"], self.node), *state)
                elif status == 413 and len(sent) == 1:
                    self.refuse(sent)
                else:
                    raise Wrong(head.get("message", f"The server answers {status}"))
            repairs += status in (409, 422) or bool(page and page[1] <= cursor)
            check(repairs < 10, "The server's answers contradict each other")
    def digest(self):
        hashes = (hashlib.sha256(line.encode()).hexdigest() for line, in self.run("SELECT line FROM row"))
        return sum(int(it[:16], 16) for it in hashes) % 2**64
class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_): return None  # the token is for this server alone
class Server:
    def __init__(self, address, space, token, schema):
        self.url, self.schema = f"{address.rstrip('/')}/v1/spaces/{urllib.parse.quote(space, safe='')}/", schema
        self.headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/x-ndjson"}
        self.opener = urllib.request.build_opener(NoRedirects)
    def ask(self, verb, epoch, cursor, lines):
        """Sends a request, and gives the answer's status, its head, and its rows with their sequence numbers."""
        head = {"cursor": cursor, "epoch": epoch, "schema": self.schema} | ({"rows": len(lines)} if verb == "push" else {})
        body = "".join(line + "\n" for line in [json.dumps(head)] + lines).encode()
        try:
            answer = self.opener.open(urllib.request.Request(self.url + verb, body, self.headers), timeout=30)
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            status, text = answer.status, answer.read().decode()
        try:
            first, *rest = text.split("\n")[:-1]
            head, rows = json.loads(first), [Row.of(line) for line in rest]
            check(head.get("rows", 0) == len(rows) and "now" in head, "The answer is not whole")
        except (ValueError, LookupError) as error:
            raise Wrong(f"The answer, with the status {status}, is not one of a Holdfast server") from error
        return status, head, rows

def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, values in [("file", None), ("verb", ["set", "delete", "list", "sync"])]:
        parser.add_argument(name, choices=values)
    parser.add_argument("arguments", nargs="+")
    parser.add_argument("--schema", type=int, default=1, help="the version of the app that this program stands for")
    it = parser.parse_args()
    space, (first, *rest) = Space(it.file), it.arguments
    if it.verb == "set":
        groups = {group: json.loads(value) for group, value in (text.split("=", 1) for text in rest[1:])}
        groups = {group: value if "," in group else [value] for group, value in groups.items()}
        check(all(len(it) == len(group.split(",")) for group, it in groups.items()), "A group needs a value for each column")
        space.set(first, rest[0], {group: [text_of(value) for value in it] for group, it in groups.items()})
    elif it.verb == "delete":
        space.delete(first, rest[0])
    elif it.verb == "list":
        for line, in space.run("SELECT line FROM row WHERE tbl = ? ORDER BY key", (first,)):
            if Row.of(line)[0].is_alive:
                print(object_of({column: text for column, text in Row.of(line)[0].current().items() if text != "null"}))
    else:
        check(space.state("space")[0] in (None, rest[0]), f"The file is of the space {space.state('space')[0]}")
        with space.db:
            space.run("UPDATE state SET space = ?", rest)
        space.round(Server(first, rest[0], os.environ.get("HOLDFAST_SYNC_TOKEN", ""), it.schema))
        refused, = space.run("SELECT count(*) FROM row WHERE dirty = 2").fetchone()
        print(*space.state("epoch, cursor"), f"{space.digest():016x}", f"{refused} refused")
        return 2 if refused else 0
if __name__ == "__main__":
    try:
        sys.exit(main())
    except (Wrong, ValueError, LookupError, OSError, sqlite3.Error) as error:
        sys.exit(f"{error}")
