/** Where a request goes: its target, its parameters, its headers. */
import { decodeWords } from '@varve/core'
import fc from 'fast-check'
import { parseTarget } from '#http/target/parse-target'
import { canonicalPath, encodePath, percentDecode, percentEncode } from '#http/target/percent'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { canonicalQuery } from '#http/sigv4/canonical-request'
import { encodeWords } from '#http/headers/encoded-words'
import { decodeHeader, encodeHeader } from '#http/headers/header-text'
import { metadataOptions } from '#http/objects/metadata-in'
import { fuzz, must } from './fuzz.ts'
import { letters, near, repeated, wireText } from './mutate.ts'

const text = letters(12)
const path = fc.array(text, { maxLength: 4 }).map((parts) => `/${parts.map(percentEncode).join('/')}`)
const query = fc
  .array(fc.tuple(fc.constantFrom('prefix', 'versionId', 'uploads', '__proto__', 'a'), text), { maxLength: 4 })
  .map((pairs) => pairs.map(([name, value]) => `${name}=${percentEncode(value)}`).join('&'))
const url = fc.tuple(path, query).map(([before, after]) => (after === '' ? before : `${before}?${after}`))
const parts = ['?', '#', '//', '/../', '%2e%2e', 'http://', '*', '%c0%af', '%ed%a0%80', '%F0%9F%98%80', '?versionId=']

const hosts = fc.constantFrom('localhost', 'b.localhost:9000', 'a.b.s3.example.com.', '[::1]:9000')
const hostSuffixes = ['localhost', 's3.example.com']

fuzz({
  name: 'request target',
  inputs: fc.record({ rawUrl: near(url, parts), hostHeader: hosts }),
  parse: ({ rawUrl, hostHeader }) => parseTarget({ rawUrl, hostHeader, hostSuffixes }),
  check({ rawPath, rawQuery, key }, { rawUrl }) {
    must(rawUrl === (rawUrl.includes('?') ? `${rawPath}?${rawQuery}` : rawPath), 'nothing is lost')
    must(key !== '', 'a key is not empty')
    must(percentDecode(canonicalPath(rawPath)) === percentDecode(rawPath), 'what is signed is what is meant')
  },
  codes: ['InvalidURI', 'InvalidBucketName'],
  heavy: repeated(
    [
      '/',
      '%',
      '%41',
      '%c3%a9',
      '?',
      '&',
      'a=&',
      '+',
      '\u00ff',
      '\u00c3\u00a9',
      '.',
      '%2e%2e/',
      '=&=',
      '%4',
      '?a=bcdef&',
    ],
    (text) => ({ rawUrl: `/b/${text}`, hostHeader: 'localhost' }),
  ),
})

fuzz({
  name: 'host',
  inputs: near(hosts, ['.', ':9000', '[', ']']),
  parse: (hostHeader) => parseTarget({ rawUrl: '/b/k', hostHeader, hostSuffixes }),
  codes: [],
  heavy: repeated([':', '.', ':9', 'localhost.', '9', 'A'], (text) => text),
})

fuzz({
  name: 'text to encode into a URL and back',
  inputs: letters(40),
  parse: (text) => [percentEncode(text), encodePath(text), wireText(text).replaceAll('%', '%25')],
  check(encoded, text) {
    must(
      encoded.every((raw) => percentDecode(raw) === text),
      'it comes back',
    )
    const { entries } = parseQuery(
      canonicalQuery([
        [text, 'b'],
        ['a', text],
      ]),
    )
    must(
      entries.some(([name, value]) => name === text && value === 'b') &&
        entries.some(([name, value]) => name === 'a' && value === text),
      'it comes back from a query',
    )
  },
  codes: [],
})

const names = [
  'host',
  'x-amz-date',
  'x-svc-date',
  'X-Amz-Meta-A',
  'x-svc-meta-a',
  'x-amz-meta-__proto__',
  'x-amz-',
  'x-svc-',
  '__proto__',
  'constructor',
  '',
]
const header = fc.tuple(fc.constantFrom(...names), near(fc.constantFrom('a', 'a,b', ''), [' ']))
const flat = fc.array(header, { maxLength: 6 }).map((pairs) => pairs.flat())
const none: [string, string][] = []
const long = '\u00c3\u00a9'.repeat(2500)

fuzz({
  name: 'list of request headers',
  inputs: fc.tuple(flat, fc.array(header, { maxLength: 2 })),
  parse([raw, hoisted]) {
    const headers = createRequestHeaders(raw, hoisted)
    for (const name of headers.names) headers.single(name)
    return { headers, ...metadataOptions(headers) }
  },
  check({ headers, metadata = {} }) {
    must(new Set(headers.names).size === headers.names.length, 'each name stands once')
    must(
      Object.values(metadata).every((value) => !/[\0\r\n]/.test(value)),
      'metadata can be sent back',
    )
  },
  codes: ['InvalidRequest', 'InvalidArgument'],
  heavy: {
    'as many as are taken, long ones': () => [[...Array(200).keys()].flatMap((i) => [`x-svc-meta-${i}`, long]), none],
    'the same one again and again': () => [[...Array(200).keys()].flatMap(() => ['x-amz-meta-a', long]), none],
  },
})

fuzz({
  name: 'header value',
  inputs: near(letters(20).map(wireText), ['=?UTF-8?B?', '?=', '\u007f', '\u0080', '\u00c3']),
  parse: (raw) => decodeHeader('x-amz-meta-a', raw),
  check(decoded) {
    must(!/[^\t\u0020-\u007e\u0080-\u00ff]/.test(encodeHeader(decoded)), 'it can be sent back')
    const words = encodeWords(decodeWords(decoded))
    must(!/[^\t\u0020-\u007e]/.test(words), 'it can be sent back in ASCII')
    must(words === decodeWords(decoded) || decodeWords(words) === decodeWords(decoded), 'and is the same then')
  },
  codes: ['InvalidArgument'],
  heavy: repeated(['\u00ff', '\u00c3\u00a9', 'a', ' ', '\t', '=?', '=?UTF-8?B?w6Q=?= '], (text) => text),
})
