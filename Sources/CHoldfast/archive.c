#include "choldfast.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

uint32_t holdfast_crc32(uint32_t sum, const void *bytes, size_t count) {
  // zlib counts in 32 bits.
  const unsigned char *next = bytes;
  uLong crc = sum;
  while (count > 0) {
    uInt piece = count > 1u << 30 ? 1u << 30 : (uInt)count;
    crc = crc32(crc, next, piece);
    next += piece;
    count -= piece;
  }
  return (uint32_t)crc;
}

uint64_t holdfast_page_hash(uint32_t number, const void *page, size_t bytes) {
  // The finalizer of SplitMix64 (Steele, Lea, Flood 2014). CRC-32 alone is linear: two equal changes, or two pages that change places,
  // would cancel out.
  uint64_t x = (uint64_t)number << 32 | holdfast_crc32(0, page, bytes);
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9u;
  x = (x ^ x >> 27) * 0x94D049BB133111EBu;
  return x ^ x >> 31;
}

static uint32_t word(const unsigned char *bytes, int big_endian) {
  return big_endian ? (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3]
                    : (uint32_t)bytes[3] << 24 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[1] << 8 | bytes[0];
}

void holdfast_log_sum(int big_endian, const void *bytes, size_t count, uint32_t *one, uint32_t *two) {
  const unsigned char *next = bytes, *end = next + count / 8 * 8;
  uint32_t first = *one, second = *two;
  for (; next < end; next += 8) {
    first += word(next, big_endian) + second;
    second += word(next + 4, big_endian) + first;
  }
  *one = first;
  *two = second;
}

void holdfast_exclusive_or(void *into, const void *with, size_t count) {
  unsigned char *target = into;
  const unsigned char *source = with;
  for (size_t place = 0; place < count; place++) target[place] ^= source[place];
}

long holdfast_deflate(void **deflater, const void *bytes, size_t count, void *out, size_t capacity) {
  z_stream *stream = *deflater;
  if (count > UINT32_MAX / 2 || capacity > UINT32_MAX) return -1;
  if (!stream) {
    stream = calloc(1, sizeof *stream);
    if (!stream) return -1;
    if (deflateInit(stream, 1) != Z_OK) {
      free(stream);
      return -1;
    }
    *deflater = stream;
  } else if (deflateReset(stream) != Z_OK) {
    return -1;
  }
  stream->next_in = (Bytef *)bytes;
  stream->avail_in = (uInt)count;
  stream->next_out = out;
  stream->avail_out = (uInt)capacity;
  return deflate(stream, Z_FINISH) == Z_STREAM_END ? (long)(capacity - stream->avail_out) : -1;
}

void holdfast_deflater_free(void *deflater) {
  if (!deflater) return;
  deflateEnd(deflater);
  free(deflater);
}

long holdfast_gzip(const void *bytes, size_t count, void *out, size_t capacity) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  if (count > UINT32_MAX / 2 || capacity > UINT32_MAX) return -1;
  // 16 more than the largest window: gzip.
  if (deflateInit2(&stream, 1, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK) return -1;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  long length = deflate(&stream, Z_FINISH) == Z_STREAM_END ? (long)(capacity - stream.avail_out) : -1;
  deflateEnd(&stream);
  return length;
}

long holdfast_inflate(const void *bytes, size_t count, void *out, size_t capacity) {
  z_stream stream;
  memset(&stream, 0, sizeof stream);
  // 32 more than the largest window: zlib or gzip, by the first bytes.
  if (count > UINT32_MAX || capacity > UINT32_MAX || inflateInit2(&stream, 15 + 32) != Z_OK) return -1;
  stream.next_in = (Bytef *)bytes;
  stream.avail_in = (uInt)count;
  stream.next_out = out;
  stream.avail_out = (uInt)capacity;
  int code = inflate(&stream, Z_FINISH);
  long length = code == Z_STREAM_END && stream.avail_in == 0 ? (long)(capacity - stream.avail_out) : -1;
  inflateEnd(&stream);
  return length;
}
