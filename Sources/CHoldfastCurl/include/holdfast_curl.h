#ifndef HOLDFAST_CURL_H
#define HOLDFAST_CURL_H

// HTTP by libcurl, on Linux: one blocking request at a time, of which another thread may cancel the waiting. Redirects are not followed,
// there are no cookies, and certificates are checked. Elsewhere nothing is compiled.

#include <stddef.h>
#include <stdint.h>

/// Keeps its connection open for the next request.
typedef struct holdfast_http holdfast_http;

typedef enum {
  /// There is a whole answer, of any status.
  HOLDFAST_HTTP_ANSWERED = 0,
  HOLDFAST_HTTP_CANCELLED,
  HOLDFAST_HTTP_TOO_LARGE,
  HOLDFAST_HTTP_NO_HOST,
  HOLDFAST_HTTP_NO_CONNECTION,
  /// The connection ended before the answer was whole.
  HOLDFAST_HTTP_LOST,
  /// The connection cannot be encrypted, or the certificate is not good.
  HOLDFAST_HTTP_NOT_SECURE,
  /// The answer is not HTTP, and everything else.
  HOLDFAST_HTTP_FAILED,
} holdfast_http_result;

typedef struct {
  holdfast_http_result result;
  /// What the library says of a failure. Valid until the next request.
  const char *reason;
  // Of a whole answer.
  int status;
  /// The value of `Retry-After`, or null. Valid until the next request.
  const char *retry_after;
  /// Decompressed; for the caller to free. May be null when `length` is 0.
  void *body;
  size_t length;
} holdfast_http_answer;

/// Null when there is no memory for it.
holdfast_http *holdfast_http_new(void);
void holdfast_http_free(holdfast_http *http);

/// Adds `name: value` to the next request.
void holdfast_http_header(holdfast_http *http, const char *line);

/// Sends a request and waits for its whole answer, however long. http goes through no proxy, because that may be another computer.
///
/// `most`: of an answer with more bytes, decompressed, no more is read.
holdfast_http_answer holdfast_http_run(
    holdfast_http *http, const char *method, const char *url, const void *body, size_t length, size_t most);

/// Ends the request under way, from any thread, and each later one.
void holdfast_http_cancel(holdfast_http *http);

#endif
