#ifndef HOLDFAST_XML_H
#define HOLDFAST_XML_H

// libxml2's SAX2 reader as a list of events: the parser's callbacks write them one after another into memory that is used again, and Swift
// reads them from there. Nothing outside of the document is loaded, and no entity is expanded but the five of XML itself.

#include <stddef.h>
#include <stdint.h>

typedef struct holdfast_xml holdfast_xml;

typedef enum {
  HOLDFAST_XML_START = 1,
  HOLDFAST_XML_END,
  /// All text between two tags, with white space.
  HOLDFAST_XML_TEXT,
} holdfast_xml_kind;

typedef struct {
  holdfast_xml_kind kind;
  /// A name's number, the same for each tag of this name; -1 beyond the first 255 names.
  int name;
  /// The tag's name with its prefix, or the text. Valid until more bytes are added.
  const char *text;
  size_t length;
  /// For a start: a name, a zero, a value, a zero and so on. Valid as `text`.
  const char *attributes;
  size_t attributes_length;
  /// From 1.
  int line;
  /// How many bytes of the file the parser had used: to the end of an end tag, before the > of a start tag, and as for the next tag where this
  /// is a text. -1 in another encoding than UTF-8.
  int64_t offset;
  /// How many characters that XML forbids were left out so far, and the line of the last.
  int64_t left_out;
  int left_out_line;
} holdfast_xml_event;

typedef enum {
  HOLDFAST_XML_FINE = 0,
  /// With a `code` of libxml2 (xmlParserErrors).
  HOLDFAST_XML_DAMAGED,
  /// At `offset`.
  HOLDFAST_XML_NOT_UTF8,
  HOLDFAST_XML_ENTITIES,
  HOLDFAST_XML_LONG_TEXT,
  HOLDFAST_XML_LONG_TAG,
  HOLDFAST_XML_MANY_ATTRIBUTES,
  HOLDFAST_XML_NO_MEMORY,
} holdfast_xml_problem_kind;

typedef struct {
  holdfast_xml_problem_kind kind;
  int code;
  /// The parser's last one.
  int last_code;
  int line;
  int column;
  int64_t offset;
} holdfast_xml_problem;

/// The most bytes of one text, and of one tag, comment or instruction; the most attributes of one tag.
enum { HOLDFAST_XML_MOST_TEXT = 1 << 24, HOLDFAST_XML_MOST_TAG = 1 << 16, HOLDFAST_XML_MOST_ATTRIBUTES = 4096 };

/// Null when there is no memory for it.
holdfast_xml *holdfast_xml_new(void);
void holdfast_xml_free(holdfast_xml *reader);

/// Parses more bytes, and forgets the events before. After a problem nothing more is parsed. `isLast`: no others follow.
void holdfast_xml_add(holdfast_xml *reader, const char *bytes, size_t count, int isLast);

/// The next event of the bytes that were added; 0 when there is none.
int holdfast_xml_next(holdfast_xml *reader, holdfast_xml_event *event);

/// How many characters that XML forbids were left out in all, and the line of the last.
int64_t holdfast_xml_left_out(const holdfast_xml *reader, int *line);

/// What ended the parsing; it counts after the events.
holdfast_xml_problem holdfast_xml_what(const holdfast_xml *reader);

#endif
