#define _GNU_SOURCE
#include "holdfast_curl.h"

// Apple's systems have URLSession.
#if defined(__linux__)

#include <curl/curl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

enum { MOST_RETRY_AFTER = 63 };

struct holdfast_http {
  CURLM *multi;
  CURL *easy;
  atomic_int is_cancelled;
  // Of the next request.
  struct curl_slist *headers;
  int lacks_memory;
  // Of its answer.
  size_t most, length, room;
  char *body;
  int is_too_large;
  /// The empty line behind the headers has come.
  int has_head;
  char retry_after[MOST_RETRY_AFTER + 1];
  char reason[CURL_ERROR_SIZE];
};

// MARK: SIGPIPE

typedef struct {
  sigset_t before;
  int was_pending;
} held_signal;

/// A library for TLS may write to a connection that the other side has closed, and the signal would end the process. It goes to the thread
/// that writes; the library's own protection changes the whole process, and two threads that do so at once undo each other's.
static held_signal hold_sigpipe(void) {
  held_signal held;
  sigset_t pipe, pending;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  sigpending(&pending);
  held.was_pending = sigismember(&pending, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe, &held.before);
  return held;
}

static void release_sigpipe(held_signal held) {
  sigset_t pipe;
  sigemptyset(&pipe);
  sigaddset(&pipe, SIGPIPE);
  if (!held.was_pending) sigtimedwait(&pipe, NULL, &(struct timespec){0, 0});
  pthread_sigmask(SIG_SETMASK, &held.before, NULL);
}

// MARK: What arrives

static size_t receive_line(char *line, size_t size, size_t count, void *context) {
  static const char name[] = "retry-after:";
  const size_t named = sizeof(name) - 1;
  holdfast_http *http = context;
  size_t length = size * count;
  if (length >= 5 && !strncasecmp(line, "HTTP/", 5)) {
    // The first line of an answer; one with a status of 1.. comes before the real one.
    http->has_head = 0;
    http->retry_after[0] = 0;
  } else if (!http->has_head && (length == 1 || (length == 2 && line[0] == '\r'))) {
    http->has_head = 1;
  } else if (!http->has_head && length > named && !strncasecmp(line, name, named)) {
    const char *from = line + named, *to = line + length;
    while (from < to && strchr(" \t", *from)) from++;
    while (from < to && strchr(" \t\r\n", to[-1])) to--;
    if (to - from <= MOST_RETRY_AFTER) {
      memcpy(http->retry_after, from, (size_t)(to - from));
      http->retry_after[to - from] = 0;
    }
  }
  return length;
}

/// Another count than that of the bytes ends the request.
static size_t receive(char *bytes, size_t size, size_t count, void *context) {
  holdfast_http *http = context;
  size_t length = size * count;
  if (length > http->most - http->length) {
    http->is_too_large = 1;
    return length + 1;
  }
  if (length > http->room - http->length) {
    size_t room = (http->length + length) * 2;
    char *grown = realloc(http->body, room);
    if (!grown) return length + 1;
    http->body = grown;
    http->room = room;
  }
  if (length) memcpy(http->body + http->length, bytes, length);
  http->length += length;
  return length;
}

// MARK: Requests

static pthread_once_t once = PTHREAD_ONCE_INIT;
static void begin(void) { curl_global_init(CURL_GLOBAL_DEFAULT); }

holdfast_http *holdfast_http_new(void) {
  pthread_once(&once, begin);
  holdfast_http *http = calloc(1, sizeof(holdfast_http));
  if (!http) return NULL;
  http->multi = curl_multi_init();
  http->easy = curl_easy_init();
  if (http->multi && http->easy) return http;
  holdfast_http_free(http);
  return NULL;
}

void holdfast_http_free(holdfast_http *http) {
  if (!http) return;
  held_signal held = hold_sigpipe();
  if (http->easy) curl_easy_cleanup(http->easy);
  if (http->multi) curl_multi_cleanup(http->multi);
  release_sigpipe(held);
  curl_slist_free_all(http->headers);
  free(http->body);
  free(http);
}

void holdfast_http_header(holdfast_http *http, const char *line) {
  struct curl_slist *longer = curl_slist_append(http->headers, line);
  if (longer) http->headers = longer;
  else http->lacks_memory = 1;
}

/// 0 when every option is set.
static int prepare(holdfast_http *http, const char *method, const char *url, const void *body, size_t length) {
  CURL *easy = http->easy;
  // The library would otherwise wait for "100 Continue" before a long body.
  holdfast_http_header(http, "Expect:");
  // And it would call an empty body a form.
  if (!length) holdfast_http_header(http, "Content-Type:");
  curl_easy_reset(easy);
  int failed = http->lacks_memory;
  if (length || strcmp(method, "GET")) {
    failed |= (int)curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)length);
    failed |= (int)curl_easy_setopt(easy, CURLOPT_POSTFIELDS, length ? body : "");
  }
  failed |= (int)curl_easy_setopt(easy, CURLOPT_CUSTOMREQUEST, method);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_URL, url);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_HTTPHEADER, http->headers);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
  // Every compression that it knows.
  failed |= (int)curl_easy_setopt(easy, CURLOPT_ACCEPT_ENCODING, "");
  // Some servers refuse a request that names no program.
  failed |= (int)curl_easy_setopt(easy, CURLOPT_USERAGENT, "Holdfast");
#if LIBCURL_VERSION_NUM >= 0x075500
  failed |= (int)curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, "http,https");
#else
  failed |= (int)curl_easy_setopt(easy, CURLOPT_PROTOCOLS, (long)(CURLPROTO_HTTP | CURLPROTO_HTTPS));
#endif
  if (!strncasecmp(url, "http:", 5)) failed |= (int)curl_easy_setopt(easy, CURLOPT_PROXY, "");
  // What a proxy answers to CONNECT is not the server's head.
  failed |= (int)curl_easy_setopt(easy, CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, receive_line);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_HEADERDATA, http);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, receive);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_WRITEDATA, http);
  failed |= (int)curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, http->reason);
  return failed;
}

static CURLcode transfer(holdfast_http *http) {
  if (curl_multi_add_handle(http->multi, http->easy) != CURLM_OK) return CURLE_FAILED_INIT;
  CURLcode code = CURLE_ABORTED_BY_CALLBACK;
  int running = 1, left;
  while (!atomic_load(&http->is_cancelled)) {
    if (curl_multi_perform(http->multi, &running) != CURLM_OK || !running) break;
    // Cancelling wakes it; the library shortens the time to its own next step.
    if (curl_multi_poll(http->multi, NULL, 0, 60000, NULL) != CURLM_OK) break;
  }
  for (CURLMsg *message; (message = curl_multi_info_read(http->multi, &left));) {
    if (message->msg == CURLMSG_DONE) code = message->data.result;
  }
  curl_multi_remove_handle(http->multi, http->easy);
  return code;
}

static holdfast_http_result result(const holdfast_http *http, CURLcode code, long status) {
  if (http->is_too_large) return HOLDFAST_HTTP_TOO_LARGE;
  switch (code) {
    // The library takes an answer that ends within its headers for a whole one.
    case CURLE_OK: return http->has_head && status >= 200 ? HOLDFAST_HTTP_ANSWERED : HOLDFAST_HTTP_LOST;
    case CURLE_ABORTED_BY_CALLBACK: return atomic_load(&http->is_cancelled) ? HOLDFAST_HTTP_CANCELLED : HOLDFAST_HTTP_FAILED;
    case CURLE_COULDNT_RESOLVE_HOST: case CURLE_COULDNT_RESOLVE_PROXY: return HOLDFAST_HTTP_NO_HOST;
    // Only connecting has a time limit of the library's.
    case CURLE_COULDNT_CONNECT: case CURLE_OPERATION_TIMEDOUT: return HOLDFAST_HTTP_NO_CONNECTION;
    case CURLE_GOT_NOTHING: case CURLE_PARTIAL_FILE: case CURLE_SEND_ERROR: case CURLE_RECV_ERROR: case CURLE_HTTP2:
    case CURLE_HTTP2_STREAM: return HOLDFAST_HTTP_LOST;
    case CURLE_SSL_CONNECT_ERROR: case CURLE_PEER_FAILED_VERIFICATION: case CURLE_SSL_CACERT_BADFILE: case CURLE_SSL_CERTPROBLEM:
    case CURLE_SSL_CIPHER: case CURLE_SSL_ISSUER_ERROR: case CURLE_SSL_INVALIDCERTSTATUS: return HOLDFAST_HTTP_NOT_SECURE;
    default: return HOLDFAST_HTTP_FAILED;
  }
}

holdfast_http_answer holdfast_http_run(
    holdfast_http *http, const char *method, const char *url, const void *body, size_t length, size_t most) {
  http->most = most;
  http->length = http->room = 0;
  http->is_too_large = http->has_head = 0;
  http->retry_after[0] = http->reason[0] = 0;
  held_signal held = hold_sigpipe();
  CURLcode code = prepare(http, method, url, body, length) ? CURLE_FAILED_INIT : transfer(http);
  release_sigpipe(held);
  curl_slist_free_all(http->headers);
  http->headers = NULL;
  http->lacks_memory = 0;
  long status = 0;
  curl_easy_getinfo(http->easy, CURLINFO_RESPONSE_CODE, &status);
  holdfast_http_answer answer = {.result = result(http, code, status)};
  if (answer.result == HOLDFAST_HTTP_ANSWERED) {
    answer.status = (int)status;
    answer.retry_after = http->retry_after[0] ? http->retry_after : NULL;
    answer.body = http->body;
    answer.length = http->length;
  } else {
    free(http->body);
    answer.reason =
      code == CURLE_OK ? "The answer ended within its headers" : http->reason[0] ? http->reason : curl_easy_strerror(code);
  }
  http->body = NULL;
  return answer;
}

void holdfast_http_cancel(holdfast_http *http) {
  atomic_store(&http->is_cancelled, 1);
  curl_multi_wakeup(http->multi);
}

#endif
