/** What is read back from the journal: keys, frames, rows, events. Bytes there may be anything, if somebody was at them. */
import { nodeHashing } from '@varve/adapters'
import { parseUploadId, parseVersionId, uploadId, versionId } from '@varve/core'
import fc from 'fast-check'
import { frameFormat, headerLength, openFrame, seal, sealFrame } from '#core/bytes/frame'
import { fromBase64, toBase64 } from '#core/bytes/base64'
import { fromHex, toHex } from '#core/bytes/hex'
import { decodeEvent, encodeEvent } from '#core/events/event-codec'
import type { RecordedEvent } from '#core/events/event'
import { KeyReader, KeyWriter } from '#core/bytes/key-codec'
import { checkRow, decodeRow, RowEncoder } from '#core/views/row-codec'
import { RecordReader } from '#core/codec/record-reader'
import { ObjectVersionRow } from '#core/views/version-row'
import { fuzz, must } from './fuzz.ts'
import { bytesOf, letters, near, repeated } from './mutate.ts'

const hashing = await nodeHashing()
const noise = fc.uint8Array({ maxLength: 60 })
const seq = fc.oneof(fc.nat(1000), fc.maxSafeNat())
const mega = 1e6
const bigTexts = repeated(['\0', 'a', '\u00e9', '\0\u0001'], (text) => text)

fuzz({
  name: 'row key of two texts and numbers',
  inputs: fc.tuple(letters(12), letters(12), seq, fc.nat(65_535)),
  parse: ([a, b, position, number]) => {
    const key = new KeyWriter(0x21).text(a).text(b).seq(position).seqDescending(position).number16(number).finish()
    const reader = new KeyReader(key)
    return [reader.text(), reader.text(), reader.seq(), reader.seqDescending(), reader.number16()]
  },
  check([a, b, up, down, number], given) {
    must(a === given[0] && b === given[1], 'its texts come back')
    must(up === given[2] && down === given[2] && number === given[3], 'its numbers come back')
  },
  codes: [],
  heavy: Object.fromEntries(Object.entries(bigTexts).map(([name, text]) => [name, () => [text(), text(), 1, 1]])),
})

fuzz({
  name: 'bytes as a row key',
  inputs: fc.oneof(
    noise,
    fc.array(fc.constantFrom(0x00, 0x01, 0xff, 0x61, 0xc3), { maxLength: 30 }).map((bytes) => Uint8Array.from(bytes)),
  ),
  parse: (bytes) => new KeyReader(bytes).text(),
  // A key is read only after the checksum of its row, which covers the key, was checked.
  codes: ['RowCorrupt'],
  heavy: {
    zeros: () => new Uint8Array(mega),
    escapes: () => Uint8Array.from({ length: mega }, (_, i) => (i % 2 === 0 ? 0x00 : 0xff)),
    'no end': () => new Uint8Array(mega).fill(0x61),
  },
})

const key = new KeyWriter(0x20).text('bucket').finish()
const spoil = (frame: Uint8Array, at: number, bit: number): Uint8Array => {
  const copy = Uint8Array.from(frame)
  if (copy.length > 0) copy[at % copy.length] = (copy[at % copy.length] ?? 0) ^ (1 << bit)
  return copy
}

fuzz({
  name: 'frame',
  inputs: fc.tuple(noise, fc.nat(100), fc.nat(7), fc.nat(100)),
  parse: ([payload, at, bit, length]) => {
    const frame = sealFrame(hashing, key, payload)
    return {
      whole: openFrame(hashing, key, frame),
      flipped: openFrame(hashing, key, spoil(frame, at, bit)),
      cut: openFrame(hashing, key, frame.subarray(0, length % frame.length)),
      moved: openFrame(hashing, Uint8Array.of(...key, bit), frame),
      noise: openFrame(hashing, key, payload),
    }
  },
  check({ whole, ...others }, [payload]) {
    must(whole !== undefined && toHex(whole) === toHex(payload), 'a whole one is opened')
    must(
      Object.values(others).every((found) => found === undefined),
      'any other is not',
    )
  },
  codes: [],
  heavy: { zeros: () => [new Uint8Array(mega), 0, 0, 0] },
})

const by = { id: 'i', name: 'n' }
const event = {
  seq: 7,
  at: 1,
  by,
  requestId: 'r',
  prev: 'p',
  type: 'VersionAdded',
  data: {
    bucket: 'b',
    key: 'k',
    nullVersion: true,
    size: 3,
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    content: { kind: 'blob', blob: { id: '00'.repeat(16), size: 3, inline: true, crcs: 'AAAAAA==' } },
    metadata: { user: [['a', 'b']], contentType: 'text/plain' },
    checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' },
    tags: [{ key: 'k', value: 'v' }],
  },
} as unknown as RecordedEvent
const stored = Buffer.from(encodeEvent(hashing, event).subarray(5)).toString('latin1')
/** What counts and flags are made of. */
const words = ['\x00', '\x01', '\x02', '\x7f', '\x80', '\xff', '\xff\xff\xff\xff\x7f', '\x80'.repeat(9)]
const long = repeated(['\x00', '\x01', '\x80', '\xff', 'a'], (text) => text)
/** A frame with a checksum that somebody computed. */
function framed(of: Uint8Array, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(headerLength + payload.length)
  frame.set(payload, headerLength)
  return seal(hashing, of, frame, frameFormat.record)
}

const { facts } = decodeEvent(hashing, { seq: 7, bytes: encodeEvent(hashing, event) })
const versionKey = new KeyWriter(0x21).text('bucket').text('key').seqDescending(7).finish()
const place = { seq: 7, epoch: undefined, at: 1, owner: by, nullVersion: false }
const row = new ObjectVersionRow(place, new RecordReader(facts ?? new Uint8Array(), 0), versionKey)
const eventKey = new KeyWriter(0x00).seq(7).finish()

fuzz({
  name: 'bytes as an event',
  inputs: noise,
  parse: (bytes) => decodeEvent(hashing, { seq: 7, bytes }),
  codes: ['LogCorrupt'],
})

fuzz({
  name: 'event whose checksum somebody made good again',
  inputs: near(fc.constant(stored), words),
  parse: (text) => decodeEvent(hashing, { seq: 7, bytes: framed(eventKey, bytesOf(text)) }).event,
  check: (decoded) => must(decoded.seq === 7 && typeof decoded.type === 'string', 'it is an event, and of this place'),
  codes: ['LogCorrupt', 'UnsupportedFormat'],
  heavy: long,
})

fuzz({
  name: 'bytes as a row',
  inputs: noise,
  parse: (bytes) => decodeRow(hashing, key, bytes),
  codes: ['RowCorrupt'],
})

fuzz({
  name: 'row whose checksum somebody made good again',
  inputs: near(
    fc.constant(Buffer.from(new RowEncoder(hashing).encode(versionKey, row).subarray(5)).toString('latin1')),
    words,
  ),
  parse: (text) => checkRow(hashing, versionKey, framed(versionKey, bytesOf(text))),
  check: (row) => must(typeof row === 'object' && row !== null, 'a row is an object'),
  codes: ['RowCorrupt'],
  heavy: long,
})

const places = fc.record({ seq, epoch: fc.constantFrom(undefined, '00000000', '3f9k2m1x') })

fuzz({
  name: 'version id',
  inputs: fc.oneof(
    near(
      places.map((one) => versionId({ ...one, nullVersion: false })),
      ['null', 'u', 'i', 'z'],
    ),
    fc.constant('null'),
  ),
  parse: parseVersionId,
  check: (found, text) =>
    must(text === (found === null ? 'null' : versionId({ ...found, nullVersion: false })), 'it is spelled in one way'),
  codes: ['InvalidArgument'],
  heavy: repeated(['v', '0', 'null'], (text) => text),
})

const mac = fc.uint8Array({ minLength: 15, maxLength: 15 })

fuzz({
  name: 'upload id',
  inputs: near(
    fc.tuple(places, mac).map(([one, bytes]) => uploadId(one, bytes)),
    ['v', 'u', 'i', '0'],
  ),
  parse: parseUploadId,
  check: (found, text) =>
    must(
      found === undefined ||
        text.startsWith(uploadId(found, new Uint8Array(15)).slice(0, found.epoch === undefined ? 13 : 21)),
      'it is spelled in one way',
    ),
  codes: [],
  heavy: repeated(['u', '0'], (text) => text),
})

fuzz({
  name: 'text as base64 or hexadecimal',
  inputs: near(fc.oneof(noise.map(toBase64), noise.map(toHex)), ['=', '==', 'A', '-', '_']),
  parse: (text) => ({
    base64: fromBase64(text),
    hex: /^[0-9a-f]*$/.test(text) && text.length % 2 === 0 ? fromHex(text) : undefined,
  }),
  check({ base64, hex }, text) {
    must(base64 === undefined || toBase64(base64) === text, 'base64 is spelled in one way')
    must(hex === undefined || toHex(hex) === text, 'hexadecimal is spelled in one way')
  },
  codes: [],
})
