import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { EventPlace } from '../base/epoch.ts'
import { parseUploadId, parseVersionId, publicUploadId, uploadId, uploadMacBytes, versionId } from './version-id.ts'

const position = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const epochText = fc.stringMatching(/^[0-9a-hjkmnp-tv-z]{8}$/)
const place = fc.record({ seq: position, epoch: fc.option(epochText, { nil: undefined }) })
const of = (seq: number, epoch?: string): EventPlace => ({ seq, epoch })
const id = (one: EventPlace) => versionId({ ...one, nullVersion: false })
const isSame = (a: EventPlace, b: EventPlace) => a.seq === b.seq && a.epoch === b.epoch

describe('version ids', () => {
  it('name a position and an epoch, and sort as positions do', () => {
    fc.assert(
      fc.property(place, place, (a, b) => {
        expect(parseVersionId(id(a))).toEqual(a)
        if (a.seq !== b.seq) expect(id(a) < id(b)).toBe(a.seq < b.seq)
        expect(id(a) === id(b)).toBe(isSame(a, b))
      }),
    )
  })

  it('are as they were in a log without epochs', () => {
    expect(id(of(123_456))).toBe('v000000003rj06qk')
  })

  it('are null for the null version', () => {
    expect(versionId({ ...of(5), nullVersion: true })).toBe('null')
    expect(parseVersionId('null')).toBeNull()
  })

  it.each([of(123_456), of(123_456, '3f9k2m1x')])('are refused with one character changed: %j', (one) => {
    const good = id(one)
    for (let i = 0; i < good.length; i++) {
      const changed = good.slice(0, i) + (good[i] === 'a' ? 'b' : 'a') + good.slice(i + 1)
      expect(() => parseVersionId(changed)).toThrow('Invalid version id')
    }
    expect(() => parseVersionId(good.slice(0, -1))).toThrow('Invalid version id')
    expect(() => parseVersionId(`${good}0`)).toThrow('Invalid version id')
  })

  it.each(['', 'x', '0'.repeat(16), 'NULL', '../../etc/passwd', '\u0000'])(
    'are refused when they are malformed: %j',
    (text) => {
      expect(() => parseVersionId(text)).toThrow('Invalid version id')
    },
  )

  it('are no upload ids, nor the other way round', () => {
    const upload = uploadId(of(7), new Uint8Array(uploadMacBytes))
    expect(parseUploadId(upload)).toEqual(of(7))
    expect(parseUploadId(id(of(7)))).toBeUndefined()
    expect(() => parseVersionId(upload)).toThrow()
  })
})

describe('upload ids', () => {
  const mac = fc.uint8Array({ minLength: uploadMacBytes, maxLength: uploadMacBytes })

  it('name a position and an epoch, sort as positions do whatever their MACs, and are others for another MAC', () => {
    fc.assert(
      fc.property(place, mac, place, mac, (a, macOfA, b, macOfB) => {
        const [one, other] = [uploadId(a, macOfA), uploadId(b, macOfB)]
        expect(parseUploadId(one)).toEqual(a)
        expect(one.startsWith(publicUploadId(a.seq))).toBe(true)
        if (a.seq !== b.seq) expect(one < other).toBe(a.seq < b.seq)
        else expect(one === other).toBe(isSame(a, b) && Buffer.compare(macOfA, macOfB) === 0)
      }),
    )
  })

  it('are looked at for their form only', () => {
    const good = uploadId(of(123_456), new Uint8Array(uploadMacBytes).fill(0xff))
    expect(good).toMatch(/^u[0-9a-z]{36}$/)
    for (const text of [
      '',
      'u',
      good.slice(0, -1),
      `${good}0`,
      good.toUpperCase(),
      good.replace('u', 'v'),
      `u${'0'.repeat(36)}`,
    ])
      expect(parseUploadId(text)).toBeUndefined()
  })
})
