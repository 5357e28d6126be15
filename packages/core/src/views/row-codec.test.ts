import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { frameFormat, payloadOf, seal, sealFrame } from '../bytes/frame.ts'
import type { ObjectFacts } from '../events/index.ts'
import { objectRow } from './object-row.fixture.ts'
import { checkRow, decodeRow, RowEncoder } from './row-codec.ts'
import type { PartRow } from './rows.ts'
import { currentTable, partTable, pastVersionTable, versionTable } from './tables.ts'
import type { ObjectVersionRow, VersionPlace } from './version-row.ts'

const part: PartRow = { seq: 1, at: 2, size: 3, etag: 'é"', content: { kind: 'empty' } }
const partKey = partTable.key(1, 1).bytes
const encoded = (key: Uint8Array, row: object) => new RowEncoder(hashing).encode(key, row)

/** A payload of another program, with its checksum. */
const forged = (key: Uint8Array, payload: Uint8Array) =>
  seal(hashing, key, Uint8Array.of(0, 0, 0, 0, 0, ...payload), frameFormat.record)

const refusal = (key: Uint8Array, kind: string): unknown =>
  expect.objectContaining({ code: 'RowCorrupt', details: { key: Buffer.from(key).toString('hex'), kind } })

describe('a stored row', () => {
  it('is the row that was encoded', () => {
    expect(decodeRow(hashing, partKey, encoded(partKey, part))).toEqual(part)
  })

  it('is refused, with its key, if any bit is flipped', () => {
    const frame = encoded(partKey, part)
    for (let at = 0; at < frame.length; at++) {
      const damaged = frame.with(at, (frame[at] as number) ^ 1)
      expect(() => decodeRow(hashing, partKey, damaged)).toThrow(refusal(partKey, 'checksum'))
    }
  })

  const payload = payloadOf(encoded(partKey, part))
  it.each([
    ['nothing', new Uint8Array()],
    ['a part of it', payload.subarray(0, -1)],
    ['more than it', Uint8Array.of(...payload, 0)],
    ['JSON', Buffer.from(JSON.stringify(part))],
  ])('is refused if it is %s under a right checksum', (_, bytes) => {
    expect(() => decodeRow(hashing, partKey, forged(partKey, bytes))).toThrow(refusal(partKey, 'payload'))
  })

  it('is refused in the frame of an older format', () => {
    const old = sealFrame(hashing, partKey, payload)
    expect(() => decodeRow(hashing, partKey, old)).toThrow(refusal(partKey, 'checksum'))
  })

  it('is refused under a key of no table', () => {
    const key = Uint8Array.of(0x7f, 1)
    expect(() => decodeRow(hashing, key, forged(key, payload))).toThrow(refusal(key, 'payload'))
    expect(() => encoded(key, part)).toThrow(expect.objectContaining({ code: 'InternalError' }))
  })

  it('is not written if its table cannot express it', () => {
    for (const wrong of [{ ...part, size: '3' }, { ...part, seq: 1.5 }, { ...part, etag: undefined }, {}]) {
      expect(() => encoded(partKey, wrong)).toThrow(expect.objectContaining({ code: 'InternalError' }))
    }
    expect(decodeRow(hashing, partKey, encoded(partKey, part))).toEqual(part)
  })
})

describe('a stored version', () => {
  const place: VersionPlace = {
    seq: 7,
    epoch: undefined,
    at: 1000,
    owner: { id: 'a', name: 'Ann' },
    nullVersion: true,
    lives: [{ from: 7 }],
  }
  const facts: ObjectFacts = {
    size: 5,
    etag: 'd41d8cd98f00b204e9800998ecf8427e',
    storageClass: 'GLACIER',
    checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT', value: 'AAAAAA==' },
    content: { kind: 'blob', blob: { id: 'ab'.repeat(16), size: 5, inline: true, crcs: 'AAAAAA==' } },
    metadata: { user: [['colour', 'grün']], contentType: 'text/plain' },
    tags: [{ key: 'k', value: 'v' }],
  }
  const key = versionTable.key('b', 'k', 7).bytes
  const currentKey = currentTable.key('b', 'k').bytes
  const pastKey = pastVersionTable.key('b', 'k', 7).bytes
  const row = objectRow(place, facts)
  const read = (at: Uint8Array, frame: Uint8Array) => decodeRow<ObjectVersionRow>(hashing, at, frame)

  it('shows what listings show, and has all facts of its object', () => {
    const found = read(key, encoded(key, row))
    expect(found).toMatchObject({ ...place, deleteMarker: false })
    expect(found.until).toBeUndefined()
    expect(found.shown).toEqual({
      size: facts.size,
      etag: facts.etag,
      storageClass: 'GLACIER',
      checksum: { algorithm: 'CRC32', type: 'FULL_OBJECT' },
    })
    expect(found.facts).toEqual(facts)
  })

  it.each<[string, Partial<ObjectFacts>]>([
    ['all facts', {}],
    ['no storage class', { storageClass: undefined }],
    ['no checksum', { checksum: undefined }],
    ['a number of parts', { partsCount: 10_000 }],
    ['an ETag of other text', { etag: 'ü-1', partsCount: 1 }],
    ['parts', { content: { kind: 'parts', upload: 300 } }],
    ['nothing', { content: { kind: 'empty' }, storageClass: undefined, checksum: undefined }],
  ])('has its content alone, with %s', (_, changed) => {
    const all = { ...facts, ...changed } as ObjectFacts
    const { content } = read(key, encoded(key, objectRow(place, all)))
    expect(content).toEqual(all.content)
    expect(Object.isFrozen(content)).toBe(true)
  })

  it('has facts that no caller can change', () => {
    const found = read(key, encoded(key, row))
    expect(() => Object.assign(found.facts.metadata.user, ['x'])).toThrow(TypeError)
  })

  it('has the same payload as the current row, and is refused in a table of other rows', () => {
    const encoder = new RowEncoder(hashing)
    const [frame, current] = [encoder.encode(key, row), encoder.encode(currentKey, row)]
    expect(payloadOf(current)).toEqual(payloadOf(frame))
    expect(read(currentKey, current).facts).toEqual(facts)
    expect(() => read(pastKey, forged(pastKey, payloadOf(frame)))).toThrow(refusal(pastKey, 'payload'))
    const past = encoded(pastKey, row.ended(9))
    expect(read(pastKey, past)).toMatchObject({ until: 9 })
    expect(() => read(key, forged(key, payloadOf(past)))).toThrow(refusal(key, 'payload'))
  })

  it('is refused under the position of another one', () => {
    for (const [other, frame] of [
      [versionTable.key('b', 'k', 8).bytes, encoded(key, row)],
      [pastVersionTable.key('b', 'k', 2 ** 40 + 7).bytes, encoded(pastKey, row.ended(9))],
    ] as const) {
      expect(() => read(other, forged(other, payloadOf(frame)))).toThrow(refusal(other, 'payload'))
    }
  })

  it('has room for several lives', () => {
    const lives = [{ from: 7, until: 9 }, { from: 12, until: 20 }, { from: 2 ** 40 }]
    const found = read(key, encoded(key, objectRow({ ...place, lives }, facts)))
    expect(found.lives).toEqual(lives)
    expect([6, 7, 9, 12, 19, 20, 2 ** 40].map((at) => found.existedAt(at))).toEqual([
      false,
      true,
      false,
      true,
      true,
      false,
      true,
    ])
    const backwards = [{ from: 7, until: 9 }, { from: 8 }]
    expect(() => encoded(key, objectRow({ ...place, lives: backwards }, facts))).toThrow('cannot be written')
    expect(() => encoded(key, objectRow({ ...place, lives: [] }, facts))).toThrow('cannot be written')
  })

  it('with damaged facts under a right checksum is refused when they are read, and by a check', () => {
    const whole = payloadOf(encoded(key, row))
    const frame = forged(key, whole.subarray(0, -1))
    const found = read(key, frame)
    expect(found.shown.size).toBe(5)
    expect(() => found.facts).toThrow(refusal(key, 'payload'))
    const short = read(key, forged(key, whole.subarray(0, 52)))
    expect(() => short.content).toThrow(refusal(key, 'payload'))
    expect(() => checkRow(hashing, key, frame)).toThrow(refusal(key, 'payload'))
    expect(checkRow(hashing, key, forged(key, whole))).toMatchObject(place)
  })
})
