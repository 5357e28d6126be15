import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { compareBytes } from '../bytes/bytes.ts'
import { sealFrame } from '../bytes/frame.ts'
import { encodeUtf8 } from '../bytes/utf8.ts'
import { decodeHeader, type KeyspaceHeader, storedHeader } from './header.ts'
import {
  earlierRange,
  epochRange,
  headerKey,
  keyspaceRange,
  placeOf,
  prefixOf,
  rowKey,
  wholeRange,
} from './keyspace-keys.ts'

const names = fc.stringMatching(/^[A-Za-z0-9._-]{1,64}$/)
const epochs = fc.integer({ min: 1, max: 2 ** 40 })
const keys = fc.uint8Array({ maxLength: 40 })
const within = (key: Uint8Array, { gte, lt }: { gte: Uint8Array; lt: Uint8Array }) =>
  compareBytes(gte, key) <= 0 && compareBytes(key, lt) < 0

describe('the key of a row', () => {
  it('gives back its parts, and lies in the ranges of its keyspace and its epoch alone', () => {
    fc.assert(
      fc.property(fc.tuple(names, epochs, keys), fc.tuple(names, epochs), ([name, epoch, key], [other, otherEpoch]) => {
        const stored = rowKey(prefixOf(name, epoch), key)
        expect(placeOf(stored)).toEqual({ name, epoch, key })
        expect(within(stored, keyspaceRange)).toBe(true)
        expect(within(stored, wholeRange(other))).toBe(other === name)
        expect(within(stored, epochRange(name, otherEpoch))).toBe(otherEpoch === epoch)
        expect(within(stored, earlierRange(name, otherEpoch))).toBe(epoch < otherEpoch)
        expect(within(headerKey(name), earlierRange(name, otherEpoch))).toBe(false)
        expect(placeOf(headerKey(name))).toEqual({ name, epoch: 0, key: new Uint8Array(0) })
      }),
    )
  })

  it('keeps the order of the keys of a program', () => {
    fc.assert(
      fc.property(names, epochs, keys, keys, (name, epoch, a, b) => {
        const prefix = prefixOf(name, epoch)
        expect(Math.sign(compareBytes(rowKey(prefix, a), rowKey(prefix, b)))).toBe(Math.sign(compareBytes(a, b)))
      }),
    )
  })

  it('is read from any bytes, or is none', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 80 }), names, fc.nat(90), (bytes, name, length) => {
        for (const stored of [bytes, rowKey(prefixOf(name, 1), bytes).subarray(0, length)]) {
          const place = placeOf(stored)
          if (place === undefined) continue
          const again = rowKey(prefixOf(place.name, place.epoch), place.key)
          expect(again.subarray(1)).toEqual(stored.subarray(1))
        }
      }),
    )
  })
})

describe('a header', () => {
  const headers = fc.record<KeyspaceHeader>({
    version: fc.nat(),
    epoch: epochs,
    cursor: fc.nat(),
    state: fc.constantFrom('building', 'ready', 'dropped'),
    revision: fc.integer({ min: 1 }),
  })

  it('is read as it was written, and not under another name', () => {
    fc.assert(
      fc.property(names, headers, names, (name, header, other) => {
        const { frame } = storedHeader(hashing, name, header)
        expect(decodeHeader(hashing, name, frame)).toEqual(header)
        fc.pre(other !== name)
        expect(() => decodeHeader(hashing, other, frame)).toThrow(
          expect.objectContaining({ code: 'RowCorrupt' }) as Error,
        )
      }),
    )
  })

  it('that has a right checksum and wrong content is refused', () => {
    const right = { version: 1, epoch: 1, cursor: 0, state: 'ready', revision: 1 }
    const wrong = [
      'null',
      '[]',
      '7',
      '{',
      '{}',
      ...[{ version: -1 }, { epoch: 0 }, { epoch: '1' }, { cursor: 1.5 }, { state: 'open' }, { revision: 0 }].map(
        (more) => JSON.stringify({ ...right, ...more }),
      ),
    ]
    for (const text of wrong) {
      const frame = sealFrame(hashing, headerKey('k'), encodeUtf8(text))
      expect(() => decodeHeader(hashing, 'k', frame), text).toThrow(
        expect.objectContaining({ code: 'RowCorrupt' }) as Error,
      )
    }
  })
})
