import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { hashing } from '../api/memory-ports.fixture.ts'
import { isStorageError } from '../base/errors.ts'
import { frameFormat, payloadOf, seal, sealFrame } from '../bytes/frame.ts'
import { hostileValues, pathsIn, replaced } from '../codec/hostile-values.fixture.ts'
import { decodeEvent, encodeEvent, eventKey } from './event-codec.ts'
import { eventForms, eventTypes } from './event-forms.ts'
import type { EventType, RecordedEvent } from './event.ts'
import { everyEvent } from './every-event.fixture.ts'

const decoded = (event: RecordedEvent) => decodeEvent(hashing, { seq: event.seq, bytes: encodeEvent(hashing, event) })

const forged = (seq: number, payload: Uint8Array) => ({
  seq,
  bytes: seal(hashing, eventKey(seq), Uint8Array.of(0, 0, 0, 0, 0, ...payload), frameFormat.record),
})

/** Whether the value at the path must be one of certain words. */
function isClosed({ type }: RecordedEvent, path: readonly (string | number)[]): boolean {
  const name = String(path.at(-1))
  if (['type', 'kind', 'permission', 'group', 'legalHold', 'epoch'].includes(name)) return true
  if (type === 'ObjectLegalHoldSet') return name === 'value'
  return name === 'mode' && (type === 'ObjectRetentionSet' || path.includes('retention'))
}

const ofType = (type: EventType): RecordedEvent => everyEvent.find((event) => event.type === type) as RecordedEvent

describe('an event', () => {
  it('is here of every type', () => {
    expect(everyEvent.map(({ type }) => type).sort()).toEqual([...eventTypes].sort())
  })

  it.each(everyEvent.map((event) => [event.type, event] as const))('%s is read as it was written', (_, event) => {
    expect(decoded(event).event).toEqual(event)
  })

  it('is read as it was written without what it need not have', () => {
    const { by: owner } = ofType('BucketCreated')
    const facts = { size: 0, etag: '', content: { kind: 'empty' as const }, metadata: { user: [] } }
    const place = { seq: 1, at: 0, by: { id: '', name: '' }, requestId: '', prev: '' }
    for (const event of [
      { type: 'VersionAdded', data: { bucket: '', key: '', nullVersion: false, ...facts } },
      { type: 'UploadStarted', data: { bucket: '', key: '', metadata: { user: [] } } },
      { type: 'ObjectTagsSet', data: { bucket: 'b', key: 'k', version: 1 } },
      { type: 'BucketCreated', data: { bucket: 'b', owner, region: '' } },
    ] as const) {
      expect(decoded({ ...place, ...event }).event).toEqual({ ...place, ...event })
    }
  })

  it('is read as it was written with any text, number or truth in any place', () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.array(fc.nat(0xffff)).map((units) => String.fromCharCode(...units)),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('hex')),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64')),
      fc.uint8Array().map((bytes) => Buffer.from(bytes).toString('base64url')),
    )
    const other = (old: unknown) =>
      typeof old === 'string' ? text : typeof old === 'number' ? fc.maxSafeNat() : fc.boolean()
    const changed = fc
      .constantFrom(...everyEvent)
      .chain((event) => {
        const leaves = pathsIn(event).filter((path) => !isClosed(event, path))
        return fc.tuple(fc.constant(event), fc.constantFrom(...leaves))
      })
      .chain(([event, path]) => {
        let old: unknown
        replaced(event, path, (value) => (old = value))
        if (typeof old === 'object') return fc.constant(event)
        return other(old).map((value) => replaced(event, path, () => value) as RecordedEvent)
      })
    fc.assert(
      fc.property(changed, (event) => {
        expect(decoded(event).event).toEqual(event)
      }),
      { numRuns: 2000 },
    )
  })

  it.each(everyEvent.map((event) => [event.type, event] as const))(
    '%s with any wrong value in any place is refused, or read as it was written',
    (_, event) => {
      for (const path of pathsIn(event)) {
        if (path.length === 0 || path[0] === 'seq' || path[0] === 'type') continue
        for (const hostile of hostileValues) {
          const wrong = replaced(event, path, hostile) as RecordedEvent
          let frame: Uint8Array
          try {
            frame = encodeEvent(hashing, wrong)
          } catch (error) {
            if (isStorageError(error, 'InvalidArgument')) continue
            throw error
          }
          const { event: read } = decodeEvent(hashing, { seq: event.seq, bytes: frame })
          expect(read, path.join('.')).toEqual(JSON.parse(JSON.stringify(wrong)))
        }
      }
    },
  )

  it('of a type that there is not is not written', () => {
    for (const type of ['BucketColourSet', 'constructor', '__proto__', undefined]) {
      const wrong = { ...ofType('BucketDeleted'), type } as unknown as RecordedEvent
      expect(() => encodeEvent(hashing, wrong)).toThrow(expect.objectContaining({ code: 'InvalidArgument' }))
    }
  })

  it('is written after one that was refused', () => {
    const event = ofType('VersionAdded')
    expect(() => encodeEvent(hashing, { ...event, data: { ...event.data, size: -1 } } as RecordedEvent)).toThrow()
    expect(decoded(event).event).toEqual(event)
  })

  it('is written while a getter of its values writes another', () => {
    const inner = ofType('BucketCreated')
    const outer = ofType('VersionAdded')
    const data = Object.defineProperty({ ...outer.data }, 'etag', {
      enumerable: true,
      get: () => String(decoded(inner).event.seq),
    })
    const read = decoded({ ...outer, data } as RecordedEvent).event
    expect(read.data).toEqual({ ...outer.data, etag: String(inner.seq) })
  })

  it('shares no object with what was written, except a frozen actor', () => {
    const event = ofType('VersionAdded')
    const before = structuredClone(event)
    const read = decoded(event).event as unknown as { data: { metadata: { user: unknown[] } } }
    read.data.metadata.user.push('changed')
    expect(event).toEqual(before)
    expect(Object.isFrozen(decoded(event).event.by)).toBe(true)
  })

  it('is not larger than any journal takes', () => {
    const event = ofType('BucketPolicySet')
    const data = { bucket: 'b', value: 'x'.repeat(65 * 1024 * 1024) }
    expect(() => encodeEvent(hashing, { ...event, data } as RecordedEvent)).toThrow('more than')
    expect(decoded(event).event).toEqual(event)
  })
})

describe('a stored event', () => {
  const event = ofType('VersionAdded')
  const payload = payloadOf(encodeEvent(hashing, event))
  const codeFor = (bytes: { seq: number; bytes: Uint8Array }) => {
    try {
      decodeEvent(hashing, bytes)
      return 'no error'
    } catch (error) {
      return isStorageError(error) ? [error.code, error.details['kind']] : error
    }
  }

  it('of a newer release is refused as such', () => {
    expect(codeFor(forged(event.seq, payload.with(0, 0xfe)))).toEqual(['UnsupportedFormat', undefined])
    const newer = eventForms.VersionAdded.versions.length + 1
    expect(codeFor(forged(event.seq, payload.with(1, newer)))).toEqual(['UnsupportedFormat', undefined])
  })

  it('is refused in another place, cut, extended, and in the frame of the bytes of an object', () => {
    expect(codeFor(forged(event.seq + 1, payload))).toEqual(['LogCorrupt', 'position'])
    expect(codeFor(forged(event.seq, payload.subarray(0, -1)))).toEqual(['LogCorrupt', 'payload'])
    expect(codeFor(forged(event.seq, Uint8Array.of(...payload, 0)))).toEqual(['LogCorrupt', 'payload'])
    const bytes = sealFrame(hashing, eventKey(event.seq), payload)
    expect(codeFor({ seq: event.seq, bytes })).toEqual(['LogCorrupt', 'checksum'])
  })

  it('is refused or read whatever its bytes are', () => {
    const codes = eventTypes.map((type) => eventForms[type].code)
    const bytes = fc.tuple(fc.constantFrom(...codes), fc.constantFrom(0x01, 0x41), fc.uint8Array({ maxLength: 80 }))
    fc.assert(
      fc.property(bytes, ([code, version, rest]) => {
        const answer = codeFor(forged(1, Uint8Array.of(code, version, 1, ...rest)))
        expect(answer === 'no error' || Array.isArray(answer)).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it('has the hash of its payload, and the facts that rows share', () => {
    const { hash, size, facts } = decoded(event)
    expect(hash).toBe(hashing.sha256(payload))
    expect(size).toBe(payload.length + 5)
    expect(payload.subarray(payload.length - (facts?.length ?? 0))).toEqual(facts)
    expect(decoded(ofType('BucketCreated')).facts).toBeUndefined()
  })
})
