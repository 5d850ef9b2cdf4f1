/** A call to sign out with these header lines. */
const post = (lines: string, body = '') =>
  `POST /auth/logout HTTP/1.1\r\nHost: x\r\n${lines}\r\n${body}`;

/** Bytes that no reader of HTTP/1.1 may understand, or two could understand differently. */
export const BROKEN_HTTP: readonly (readonly [what: string, bytes: string | Uint8Array])[] = [
  ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
  ['lines that end in LF alone', 'GET /health HTTP/1.1\nHost: x\n\n'],
  ['a space in a header name', 'GET /health HTTP/1.1\r\nHost: x\r\nA b: c\r\n\r\n'],
  ['a folded header', 'GET /health HTTP/1.1\r\nHost: x\r\nA: b\r\n c\r\n\r\n'],
  ['a zero character in a header', 'GET /health HTTP/1.1\r\nHost: x\r\nA: b\0c\r\n\r\n'],
  ['a path of raw bytes', Buffer.from('GET /\x80\xff HTTP/1.1\r\nHost: x\r\n\r\n', 'latin1')],
  ['a length and chunks', post('Content-Length: 2\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['two lengths', post('Content-Length: 1\r\nContent-Length: 2\r\n', '{}')],
  ['a list of lengths', post('Content-Length: 2, 2\r\n', '{}')],
  ['a negative length', post('Content-Length: -1\r\n')],
  ['a length that is no number', post('Content-Length: 0x2\r\n', '{}')],
  ['a length that no number holds', post('Content-Length: 99999999999999999999\r\n')],
  ['an encoding that is not chunks', post('Transfer-Encoding: gzip\r\n', '{}')],
  ['chunks before another encoding', post('Transfer-Encoding: chunked, gzip\r\n', '{}')],
  ['chunks in disguise', post('Transfer-Encoding: xchunked\r\n', '0\r\n\r\n')],
];

/** Almost paths of operations. */
export const STRAY_PATHS: readonly string[] = [
  '/V2/requests',
  '//v2/requests',
  '/v2//requests',
  '/v2/requests/',
  '/v2/requests/../requests',
  '/v2/./requests',
  '/v2/%72equests',
  '/v2/requests%2f',
  '/v2\\requests',
  '/v2/requests;x',
  '/assets/../package.json',
  '*',
  '/errors/../',
];

/** Values in a path in place of an id, percent-encoded as they are sent. */
export const WRONG_IDS: readonly string[] = [
  ...['-', '0', '-1', 'null', 'undefined', '__proto__', 'constructor', '*', "'; --", '{id}'],
  ...[
    '%00',
    '%0a',
    '%',
    '%zz',
    '%E0%A4%A',
    '%c0%af',
    '%2e%2e',
    '%2F',
    'a%2Fb',
    'ü',
    '%F0%9F%98%80',
  ],
  '0198C1DE-0000-7000-8000-000000000001',
  '0198c1de-0000-7000-8000-00000000000',
  '0198c1de-0000-7000-8000-0000000000011',
  '0198c1de-0000-7000-8000-000000000001%0a',
  '0198c1de-0000-7000-8000-00000000000%31%20',
  '0198c1de000070008000000000000001',
  '{0198c1de-0000-7000-8000-000000000001}',
  'urn:uuid:0198c1de-0000-7000-8000-000000000001',
  '0198c1de-0000-7000-8000-00000000000g',
  '-'.repeat(36),
  'a'.repeat(36),
  'x'.repeat(8000),
];

/** The answers to a valid body of that declared type, about a request that does not exist. */
export const CONTENT_TYPES: readonly (readonly [type: string, answer: string])[] = [
  ['application/json', '404 not_found'],
  ['APPLICATION/JSON', '404 not_found'],
  ['application/json;charset=utf-8', '404 not_found'],
  ['application/json; charset="UTF-8"', '404 not_found'],
  ['application/json; profile=x', '404 not_found'],
  ['application/json; charset=utf8', '400 utf8_required'],
  ['application/json; charset=utf-16', '400 utf8_required'],
  ['application/json; charset=iso-8859-1', '400 utf8_required'],
  ['application/json; charset=utf-8; charset=latin1', '400 utf8_required'],
  ['application/json; charset=', '400 utf8_required'],
  ['application/problem+json', '400 json_required'],
  ['application/jsonp', '400 json_required'],
  ['application/json, text/plain', '400 json_required'],
  ['text/json', '400 json_required'],
  ['text/plain', '400 json_required'],
  ['multipart/form-data; boundary=x', '400 json_required'],
  ['application/x-www-form-urlencoded', '400 json_required'],
  ['*/*', '400 json_required'],
];
export const CONTENT_ENCODINGS: readonly (readonly [encoding: string, answer: string])[] = [
  ['identity', '404 not_found'],
  ['Identity', '404 not_found'],
  ['gzip', '400 unsupported_encoding'],
  ['deflate', '400 unsupported_encoding'],
  ['br', '400 unsupported_encoding'],
  ['zstd', '400 unsupported_encoding'],
  ['identity, gzip', '400 unsupported_encoding'],
  ['identity, identity', '400 unsupported_encoding'],
];
