/** The small languages that live in headers and parameters. */
import { checkBucketName, checkKey } from '@varve/core'
import fc from 'fast-check'
import { bodyLength } from '#http/body/body-length'
import { parseChecksum } from '#http/body/checksums'
import { storedContentEncoding } from '#http/body/content-encoding'
import { parseContentMd5 } from '#http/body/content-md5'
import { parseCopySource } from '#http/object-operations/copy-source'
import { strongEtags, weakEtags } from '#http/headers/etags'
import { formatHttpDate, parseHttpDate } from '#http/headers/http-date'
import { parsePartNumber } from '#http/headers/part-number'
import { parseRange } from '#http/headers/range'
import { readConditions } from '#http/objects/read-conditions'
import { responseOverrides } from '#http/objects/response-overrides'
import { writeConditions } from '#http/objects/write-conditions'
import { decodeToken, encodeToken } from '#http/listings/continuation-token'
import { encodingParam, pageSizeParam } from '#http/listings/list-parameters'
import { encodePath, percentEncode } from '#http/target/percent'
import { parseQuery } from '#http/target/query-params'
import { createRequestHeaders } from '#http/target/request-headers'
import { fuzz, must } from './fuzz.ts'
import { letters, near, repeated, wireText } from './mutate.ts'

const key = letters(10).filter((text) => text !== '')

fuzz({
  name: 'copy source',
  inputs: near(
    fc
      .tuple(key, fc.constantFrom('', '?versionId=null'))
      .map(([text, version]) => `/bucket/${encodePath(text)}${version}`),
    ['?versionId=', '%3FversionId=', '//', '%2F', '%c0%af', '\u00ff'],
  ),
  parse: parseCopySource,
  check: (source) => must(source.bucket !== '' && source.key !== '' && source.versionId !== '', 'it names an object'),
  codes: ['InvalidArgument'],
  heavy: repeated(['/', '%2F', '?', '?versionId=', '%', 'a', '\u00c3\u00a9'], (text) => `/b/${text}`),
})

fuzz({
  name: 'key as a copy source',
  inputs: key,
  parse: (text) => parseCopySource(`/bucket/${percentEncode(text)}`),
  check: (source, text) => must(source.key === text && source.bucket === 'bucket', 'it comes back'),
  codes: [],
})

const number = fc.oneof(fc.nat(100), fc.maxSafeNat()).map(String)
fuzz({
  name: 'range',
  inputs: near(
    fc.tuple(number, number).map(([first, last]) => `bytes=${first}-${last}`),
    ['bytes=', '-', ',', 'items=', '1-2,'],
  ),
  parse: parseRange,
  check(range) {
    must(
      Object.values(range ?? {}).every((value) => Number.isSafeInteger(value) && value >= 0),
      'it is made of sizes',
    )
    must(
      range === undefined || !('last' in range) || (range.first ?? 0) <= (range.last ?? 0),
      'it does not go backwards',
    )
  },
  codes: [],
  heavy: repeated(['9', '-', 'bytes=', '0-1,', ' '], (text) => `bytes=${text}`),
})

fuzz({
  name: 'HTTP date',
  inputs: near(
    fc.integer({ min: 0, max: 4_102_444_800 }).map((seconds) => formatHttpDate(new Date(seconds * 1000))),
    ['Sunday, 06-Nov-94 08:49:37 GMT', 'Sun Nov  6 08:49:37 1994', 'GMT', '31 Feb', ':60', '24:'],
  ),
  parse: parseHttpDate,
  check(date, text) {
    must(date === undefined || !Number.isNaN(date.getTime()), 'it is a date')
    const again = date && formatHttpDate(date)
    must(
      again === undefined || again.slice(4) === text.slice(4) || parseHttpDate(again)?.getTime() === date?.getTime(),
      'it is the date that was meant',
    )
  },
  codes: [],
  heavy: repeated(['Sun, ', '0', ' ', ':', 'a'], (text) => text),
})

fuzz({
  name: 'list of ETags',
  inputs: near(fc.constantFrom('"a"', 'a', '*', 'W/"a", "b,c"'), ['"', ',', 'W/', '\\"']),
  parse: weakEtags,
  check: (weak, text) =>
    must(
      [...weak, ...strongEtags(text)].every((tag) => text.includes(tag)),
      'they are those that were sent',
    ),
  codes: [],
  heavy: repeated(['"', ',', 'W/"a",', 'a', ' ', '",'], (text) => text),
})

fuzz({
  name: 'condition',
  inputs: fc.record({
    name: fc.constantFrom('if-match', 'if-none-match', 'if-modified-since', 'if-unmodified-since'),
    value: near(fc.constantFrom('"a"', '*', 'Sun, 06 Nov 1994 08:49:37 GMT'), ['"', ',']),
  }),
  parse({ name, value }) {
    const headers = createRequestHeaders([name, value])
    return [readConditions(headers), writeConditions(headers)]
  },
  codes: ['NotImplemented'],
})

fuzz({
  name: 'continuation token',
  inputs: near(letters(12).map(encodeToken), ['=', 'MTo', '+', '/']),
  parse: decodeToken,
  check: (text, token) => must(encodeToken(text) === token, 'it is spelled in one way'),
  codes: ['InvalidArgument'],
  heavy: repeated(['A', 'MTo', '=', '\u00ff'], (text) => `MTo${text}`),
})

const parameter = (name: string) => (value: string) => `${name}=${value}`
fuzz({
  name: 'parameter of a listing',
  inputs: fc.oneof(
    near(fc.constantFrom('', '0', '1000', '2147483647')).map(parameter('max-keys')),
    near(fc.constantFrom('url', '')).map(parameter('encoding-type')),
    near(fc.constantFrom('text/plain', 'attachment; filename="a"'))
      .map(percentEncode)
      .map(parameter('response-content-type')),
  ),
  parse(query) {
    const parsed = parseQuery(query)
    return { size: pageSizeParam(parsed, 'max-keys'), ...encodingParam(parsed), headers: responseOverrides(parsed) }
  },
  check({ size, headers }) {
    must(Number.isInteger(size) && size >= 0 && size <= 1000, 'a page has 0 to 1000 entries')
    must(
      Object.values(headers).every((value) => !/[\0\r\n]/.test(value)),
      'no header ends early',
    )
  },
  codes: ['InvalidArgument', 'InvalidURI'],
  heavy: repeated(['9', '0', '-'], parameter('max-keys')),
})

const checksumNames = [
  'x-amz-checksum-crc32',
  'x-amz-checksum-sha256',
  'x-svc-checksum-sha1',
  'x-amz-trailer',
  'x-amz-sdk-checksum-algorithm',
  'x-amz-checksum-mode',
  'content-md5',
]
fuzz({
  name: 'digest',
  inputs: fc.array(
    fc.tuple(
      fc.constantFrom(...checksumNames),
      near(fc.constantFrom('6Ret7g==', '1B2M2Y8AsgTpgAmY7PhCfg==', 'CRC32', 'x-amz-checksum-crc32', '6Ret7g==-3'), [
        '=',
        '-10000',
        'A',
      ]),
    ),
    { maxLength: 3 },
  ),
  parse(pairs) {
    const headers = createRequestHeaders(pairs.flat())
    return { md5: parseContentMd5(headers), checksum: parseChecksum(headers, { trailers: new Map(), composite: true }) }
  },
  check({ md5 }) {
    must(md5 === undefined || Buffer.from(md5, 'base64').length === 16, 'an MD5 has 16 bytes')
  },
  codes: ['InvalidDigest', 'InvalidRequest', 'BadDigest', 'NotImplemented', 'MalformedTrailerError'],
  heavy: repeated(['A', '=', '-1', '-9', ','], (text) => [['x-amz-checksum-crc32', text]]),
})

fuzz({
  name: 'length of a body',
  inputs: fc.record({
    name: fc.constantFrom('content-length', 'x-amz-decoded-content-length'),
    value: near(fc.oneof(number, fc.constant('5368709120')), ['e1', '.0']),
    streaming: fc.boolean(),
  }),
  parse: ({ name, value, streaming }) =>
    bodyLength(createRequestHeaders([name, value, 'transfer-encoding', 'chunked']), {
      payload: { kind: streaming ? 'streaming-unsigned-trailer' : 'unsigned' },
      bytesMax: 5 * 1024 ** 3,
      required: true,
    }),
  check: (length = 0) => must(Number.isSafeInteger(length) && length >= 0 && length <= 5 * 1024 ** 3, 'it can be'),
  codes: ['MissingContentLength', 'EntityTooLarge', 'InvalidArgument', 'IncompleteBody'],
})

fuzz({
  name: 'part number',
  inputs: near(fc.nat(20_000).map(String), ['+', '.0']),
  parse: parsePartNumber,
  check: (part) => must(Number.isInteger(part) && part >= 1 && part <= 10_000, 'there is such a part'),
  codes: ['InvalidArgument'],
  heavy: repeated(['1', '0'], (text) => text),
})

fuzz({
  name: 'Content-Encoding',
  inputs: near(fc.constantFrom('aws-chunked', 'gzip,aws-chunked', 'AWS-CHUNKED , br', 'gzip'), [',', 'aws-chunked']),
  parse: storedContentEncoding,
  check: (stored = '') =>
    must(
      !stored.split(',').some((coding) => coding.trim().toLowerCase() === 'aws-chunked'),
      'the framing is not stored',
    ),
  codes: [],
  heavy: repeated([',', 'aws-chunked', 'aws-chunked,', ' '], (text) => `${text},aws-chunked`),
})

fuzz({
  name: 'name of a bucket or key',
  inputs: near(fc.constantFrom('bucket', 'a.b-c', '192.168.0.1', 'xn--a'), [
    '..',
    '.-',
    '-',
    'A',
    '\ud800',
    '-s3alias',
  ]),
  parse(text) {
    checkKey(text)
    checkBucketName(text)
    return text
  },
  check: (text) =>
    must(/^[a-z0-9.-]{3,63}$/.test(text) && encodeURIComponent(text) === wireText(text), 'it needs no encoding'),
  codes: ['InvalidArgument', 'KeyTooLongError', 'InvalidBucketName'],
  heavy: repeated(['a', '.', '1.', '-', '\u00e9', '\ud800'], (text) => text),
})
