#include "holdfast_xml.h"

// Apple's SDKs have the headers one folder deeper than they name each other; `system/` leads there.
#include <libxml/parser.h>
#include <libxml/xmlerror.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_NAMES = 255 };

/// An event with places in `bytes` instead of addresses: that memory moves while it grows.
typedef struct {
  holdfast_xml_event event;
  size_t text, attributes;
} entry;

struct holdfast_xml {
  xmlParserCtxtPtr parser;
  /// The names that the parser's dictionary has: one name is one address.
  const xmlChar *names[MOST_NAMES], *prefixes[MOST_NAMES];
  int name_count;
  entry *entries;
  size_t entry_count, entry_room, next;
  char *bytes;
  size_t byte_count, byte_room;
  /// Where the text begins that is not complete yet; it goes on to the end of `bytes`.
  size_t text;
  holdfast_xml_problem problem;
  /// How many bytes the parser never got, because XML forbids them.
  int64_t skipped;
  int64_t left_out, left_out_at;
  int left_out_line;
  /// The line of the next byte; the parser's own is behind where a text is not complete yet.
  int line;
  int is_filtered, has_begun;
};

/// How many bytes of the file the parser has used; -1 where it converts them from another encoding: to count them, it would convert them back.
static int64_t used(const holdfast_xml *reader) {
  xmlParserInputPtr input = reader->parser->input;
  if (!input || !input->buf || input->buf->encoder) return -1;
  long bytes = xmlByteConsumed(reader->parser);
  return bytes < 0 ? -1 : bytes + reader->skipped;
}

static void fail(holdfast_xml *reader, holdfast_xml_problem_kind kind, int code, int line, int column) {
  reader->problem.last_code = code;
  if (reader->problem.kind != HOLDFAST_XML_FINE) return;
  reader->problem = (holdfast_xml_problem){kind, code, code, line, column, used(reader)};
}

static void fail_here(holdfast_xml *reader, holdfast_xml_problem_kind kind) {
  fail(reader, kind, 0, xmlSAX2GetLineNumber(reader->parser), xmlSAX2GetColumnNumber(reader->parser));
}

/// Adds to `bytes`; 0 when there is no memory.
static int put(holdfast_xml *reader, const void *from, size_t count) {
  if (count > reader->byte_room - reader->byte_count) {
    size_t room = (reader->byte_count + count) * 2 + 4096;
    char *grown = realloc(reader->bytes, room);
    if (!grown) {
      fail_here(reader, HOLDFAST_XML_NO_MEMORY);
      return 0;
    }
    reader->bytes = grown;
    reader->byte_room = room;
  }
  if (count) memcpy(reader->bytes + reader->byte_count, from, count);
  reader->byte_count += count;
  return 1;
}

static entry *add(holdfast_xml *reader, holdfast_xml_kind kind) {
  if (reader->entry_count == reader->entry_room) {
    size_t room = reader->entry_room * 2 + 256;
    entry *grown = realloc(reader->entries, room * sizeof(entry));
    if (!grown) {
      fail_here(reader, HOLDFAST_XML_NO_MEMORY);
      return NULL;
    }
    reader->entries = grown;
    reader->entry_room = room;
  }
  entry *added = &reader->entries[reader->entry_count++];
  *added = (entry){.event = {
    .kind = kind, .name = -1, .line = xmlSAX2GetLineNumber(reader->parser), .offset = used(reader), .left_out = reader->left_out,
    .left_out_line = reader->left_out_line}};
  return added;
}

static void flush(holdfast_xml *reader) {
  size_t length = reader->byte_count - reader->text;
  if (length) {
    entry *added = add(reader, HOLDFAST_XML_TEXT);
    if (added) {
      added->text = reader->text;
      added->event.length = length;
    }
  }
  reader->text = reader->byte_count;
}

static int number(holdfast_xml *reader, const xmlChar *name, const xmlChar *prefix) {
  for (int place = 0; place < reader->name_count; place++) {
    if (reader->names[place] == name && reader->prefixes[place] == prefix) return place;
  }
  if (reader->name_count == MOST_NAMES) return -1;
  reader->names[reader->name_count] = name;
  reader->prefixes[reader->name_count] = prefix;
  return reader->name_count++;
}

static int put_name(holdfast_xml *reader, const xmlChar *name, const xmlChar *prefix) {
  if (prefix && (!put(reader, prefix, strlen((const char *)prefix)) || !put(reader, ":", 1))) return 0;
  return put(reader, name, strlen((const char *)name));
}

static void tag(holdfast_xml *reader, holdfast_xml_kind kind, const xmlChar *name, const xmlChar *prefix, int count, const xmlChar **values) {
  if (reader->problem.kind != HOLDFAST_XML_FINE) return;
  flush(reader);
  if (count > HOLDFAST_XML_MOST_ATTRIBUTES) return fail_here(reader, HOLDFAST_XML_MANY_ATTRIBUTES);
  size_t start = reader->byte_count;
  if (!put_name(reader, name, prefix)) return;
  size_t attributes = reader->byte_count;
  for (int place = 0; place < count; place++) {
    const xmlChar **value = values + 5 * place;
    if (!put_name(reader, value[0], value[1]) || !put(reader, "", 1)) return;
    if (!put(reader, value[3], (size_t)(value[4] - value[3])) || !put(reader, "", 1)) return;
  }
  entry *added = add(reader, kind);
  if (!added) return;
  added->event.name = number(reader, name, prefix);
  added->text = start;
  added->event.length = attributes - start;
  added->attributes = attributes;
  added->event.attributes_length = reader->byte_count - attributes;
  reader->text = reader->byte_count;
}

// MARK: libxml2's events

static void started(
    void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int nb_namespaces, const xmlChar **namespaces,
    int nb_attributes, int nb_defaulted, const xmlChar **attributes) {
  (void)uri, (void)nb_namespaces, (void)namespaces;
  // Those that the document's declarations add stand last.
  tag(context, HOLDFAST_XML_START, name, prefix, nb_attributes - nb_defaulted, attributes);
}

static void ended(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri) {
  (void)uri;
  tag(context, HOLDFAST_XML_END, name, prefix, 0, NULL);
}

static void characters(void *context, const xmlChar *text, int length) {
  holdfast_xml *reader = context;
  if (reader->problem.kind != HOLDFAST_XML_FINE || length <= 0) return;
  if (reader->byte_count - reader->text + (size_t)length > HOLDFAST_XML_MOST_TEXT) return fail_here(reader, HOLDFAST_XML_LONG_TEXT);
  put(reader, text, (size_t)length);
}

static void declared(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id, xmlChar *content) {
  (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
  fail_here(context, HOLDFAST_XML_ENTITIES);
}

/// An entity that is not declared, in a document with declarations elsewhere: its text is not known.
static void referred(void *context, const xmlChar *name) {
  (void)name;
  holdfast_xml *reader = context;
  fail(
    reader, HOLDFAST_XML_DAMAGED, XML_ERR_UNDECLARED_ENTITY, xmlSAX2GetLineNumber(reader->parser), xmlSAX2GetColumnNumber(reader->parser));
}

static void leave_out(holdfast_xml *reader) {
  // The parser may report one character twice.
  xmlParserInputPtr input = reader->parser->input;
  int64_t at = input ? (int64_t)input->consumed + (input->cur - input->base) : -1;
  if (reader->left_out && at >= 0 && at == reader->left_out_at) return;
  reader->left_out_at = at;
  reader->left_out++;
  reader->left_out_line = xmlSAX2GetLineNumber(reader->parser);
}

/// Whether UTF-8 begins there, also of a character that XML forbids, or the bytes end.
static int is_character(const xmlChar *at, const xmlChar *end) {
  if (at >= end || *at < 0x80) return 1;
  int more = *at >= 0xC2 && *at <= 0xDF ? 1 : (*at & 0xF0) == 0xE0 ? 2 : *at >= 0xF0 && *at <= 0xF4 ? 3 : 0;
  if (!more) return 0;
  // The second byte has a narrower range after some first bytes (Unicode, table 3-7).
  unsigned char low = *at == 0xE0 ? 0xA0 : *at == 0xF0 ? 0x90 : 0x80, high = *at == 0xED ? 0x9F : *at == 0xF4 ? 0x8F : 0xBF;
  for (int place = 1; place <= more && at + place < end; place++, low = 0x80, high = 0xBF) {
    if (at[place] < low || at[place] > high) return 0;
  }
  return 1;
}

#if LIBXML_VERSION >= 21200
static void complained(void *context, const xmlError *error) {
#else
static void complained(void *context, xmlErrorPtr error) {
#endif
  holdfast_xml *reader = context;
  if (!reader->parser) return;
  // A prefix without a namespace is common, and harmless here.
  if (error->level == XML_ERR_WARNING || error->domain == XML_FROM_NAMESPACE) return;
  xmlParserInputPtr input = reader->parser->input;
  if (input && !is_character(input->cur, input->end) && used(reader) >= 0) {
    return fail(reader, HOLDFAST_XML_NOT_UTF8, error->code, error->line, error->int2);
  }
  // The parser goes on without the character in a text and a value. Elsewhere it would lose its place: the rest of a comment would be content.
  xmlParserInputState state = reader->parser->instate;
  if (error->code == XML_ERR_INVALID_CHAR && (state == XML_PARSER_CONTENT || state == XML_PARSER_ATTRIBUTE_VALUE)) return leave_out(reader);
  // A document that says UTF-16 and is UTF-8: the parser reads what it is.
  if (error->code == XML_ERR_INVALID_ENCODING && error->line <= 1 && reader->parser->instate == XML_PARSER_START) return;
  // An error of the encoding has no place of its own.
  int line = error->line > 0 ? error->line : xmlSAX2GetLineNumber(reader->parser);
  fail(reader, error->code == XML_ERR_NO_MEMORY ? HOLDFAST_XML_NO_MEMORY : HOLDFAST_XML_DAMAGED, error->code, line, error->int2);
}

// MARK: Reading

holdfast_xml *holdfast_xml_new(void) {
  holdfast_xml *reader = calloc(1, sizeof(holdfast_xml));
  if (!reader) return NULL;
  xmlSAXHandler handler;
  memset(&handler, 0, sizeof(handler));
  handler.initialized = XML_SAX2_MAGIC;
  handler.startElementNs = started;
  handler.endElementNs = ended;
  handler.characters = characters;
  handler.ignorableWhitespace = characters;
  handler.cdataBlock = characters;
  handler.entityDecl = declared;
  handler.reference = referred;
  handler.serror = complained;
  // With a context of our own, no entity that the document declares is ever looked up, and so no file is opened for it.
  reader->parser = xmlCreatePushParserCtxt(&handler, reader, NULL, 0, NULL);
  if (!reader->parser) {
    free(reader);
    return NULL;
  }
  // Recover: a forbidden character is reported and left out; every other error ends the reading here. No entity is left in an attribute: a
  // document that declares its own is refused.
  xmlCtxtUseOptions(reader->parser, XML_PARSE_RECOVER | XML_PARSE_NOENT | XML_PARSE_NONET);
  return reader;
}

void holdfast_xml_free(holdfast_xml *reader) {
  if (!reader) return;
  if (reader->parser) {
    if (reader->parser->myDoc) xmlFreeDoc(reader->parser->myDoc);
    reader->parser->myDoc = NULL;
    xmlFreeParserCtxt(reader->parser);
  }
  free(reader->entries);
  free(reader->bytes);
  free(reader);
}

/// Whether a byte below space is a forbidden character and nothing else: not where characters are wide, and not in an encoding that
/// begins another alphabet by ESC.
static int has_plain_controls(const char *bytes, size_t count) {
  if (count >= 2 && ((unsigned char)bytes[0] >= 0xFE || !bytes[0] || !bytes[1])) return 0;
  size_t start = count < 200 ? count : 200;
  if (!strchr("<\xEF \t\r\n", bytes[0]) || !bytes[0]) return 0;
  for (size_t place = 0; place + 4 <= start && bytes[place] != '>'; place++) {
    if (!memcmp(bytes + place, "2022", 4)) return 0;
  }
  return 1;
}

/// Errors without a document, such as those of an encoding, come here too, and not to the standard error.
static void parse(holdfast_xml *reader, const char *bytes, int count, int is_last) {
  xmlStructuredErrorFunc before = xmlStructuredError;
  void *context = xmlStructuredErrorContext;
  xmlSetStructuredErrorFunc(reader, (xmlStructuredErrorFunc)complained);
  xmlParseChunk(reader->parser, bytes, count, is_last);
  xmlSetStructuredErrorFunc(context, before);
}

static int is_forbidden(unsigned char byte) { return byte < 0x20 && byte != '\t' && byte != '\n' && byte != '\r'; }

static void feed(holdfast_xml *reader, const char *bytes, size_t count) {
  while (count && reader->problem.kind == HOLDFAST_XML_FINE) {
    size_t plain = 0;
    if (!reader->is_filtered) plain = count;
    for (; plain < count && !is_forbidden((unsigned char)bytes[plain]); plain++) reader->line += bytes[plain] == '\n';
    if (plain) parse(reader, bytes, (int)plain, 0);
    if (plain < count) {
      reader->left_out++;
      reader->left_out_line = reader->line;
      reader->skipped++;
      plain++;
    }
    bytes += plain;
    count -= plain;
  }
}

void holdfast_xml_add(holdfast_xml *reader, const char *bytes, size_t count, int isLast) {
  // The text that is not complete stays.
  size_t open = reader->byte_count - reader->text;
  if (open && reader->text) memmove(reader->bytes, reader->bytes + reader->text, open);
  reader->byte_count = open;
  reader->text = 0;
  reader->entry_count = reader->next = 0;
  if (reader->problem.kind != HOLDFAST_XML_FINE) return;
  if (!reader->has_begun && count) {
    reader->has_begun = 1;
    reader->is_filtered = has_plain_controls(bytes, count);
    reader->line = 1;
  }
  // A long piece would hide a long tag.
  while (count && reader->problem.kind == HOLDFAST_XML_FINE) {
    size_t piece = count < HOLDFAST_XML_MOST_TAG / 4 ? count : HOLDFAST_XML_MOST_TAG / 4;
    feed(reader, bytes, piece);
    bytes += piece;
    count -= piece;
    xmlParserInputPtr input = reader->parser->input;
    if (input && input->end - input->cur > HOLDFAST_XML_MOST_TAG) fail_here(reader, HOLDFAST_XML_LONG_TAG);
  }
  if (!isLast || reader->problem.kind != HOLDFAST_XML_FINE) return;
  size_t before = reader->entry_count;
  parse(reader, "", 0, 1);
  // The parser tells a tag that is cut off as one with a shorter name.
  if (reader->problem.kind != HOLDFAST_XML_FINE) reader->entry_count = before;
}

int holdfast_xml_next(holdfast_xml *reader, holdfast_xml_event *event) {
  if (reader->next >= reader->entry_count) return 0;
  const entry *found = &reader->entries[reader->next++];
  *event = found->event;
  event->text = reader->bytes + found->text;
  event->attributes = reader->bytes + found->attributes;
  return 1;
}

holdfast_xml_problem holdfast_xml_what(const holdfast_xml *reader) { return reader->problem; }

int64_t holdfast_xml_left_out(const holdfast_xml *reader, int *line) {
  *line = reader->left_out_line;
  return reader->left_out;
}
