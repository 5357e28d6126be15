import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { parseUploadId, parseVersionId, publicUploadId, uploadId, uploadMacBytes, versionId } from './version-id.ts'

const position = fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER })
const id = (seq: number) => versionId({ seq, nullVersion: false })

describe('version ids', () => {
  it('name a position and sort as positions do', () => {
    fc.assert(
      fc.property(position, position, (a, b) => {
        expect(parseVersionId(id(a))).toBe(a)
        expect(Math.sign(id(a) < id(b) ? -1 : id(a) > id(b) ? 1 : 0)).toBe(Math.sign(a - b))
      }),
    )
  })

  it('are null for the null version', () => {
    expect(versionId({ seq: 5, nullVersion: true })).toBe('null')
    expect(parseVersionId('null')).toBeNull()
  })

  it('are refused with one character changed', () => {
    const good = id(123_456)
    for (let i = 0; i < good.length; i++) {
      const changed = good.slice(0, i) + (good[i] === 'a' ? 'b' : 'a') + good.slice(i + 1)
      expect(() => parseVersionId(changed)).toThrow('Invalid version id')
    }
  })

  it.each(['', 'x', '0'.repeat(16), 'NULL', '../../etc/passwd', '\u0000'])(
    'are refused when they are malformed: %j',
    (text) => {
      expect(() => parseVersionId(text)).toThrow('Invalid version id')
    },
  )

  it('are no upload ids, nor the other way round', () => {
    const upload = uploadId(7, new Uint8Array(uploadMacBytes))
    expect(parseUploadId(upload)).toBe(7)
    expect(parseUploadId(id(7))).toBeUndefined()
    expect(() => parseVersionId(upload)).toThrow()
  })
})

describe('upload ids', () => {
  const mac = fc.uint8Array({ minLength: uploadMacBytes, maxLength: uploadMacBytes })

  it('name a position, sort as positions do whatever their MACs, and are others for another MAC', () => {
    fc.assert(
      fc.property(position, mac, position, mac, (a, macOfA, b, macOfB) => {
        const [one, other] = [uploadId(a, macOfA), uploadId(b, macOfB)]
        expect(parseUploadId(one)).toBe(a)
        expect(one.startsWith(publicUploadId(a))).toBe(true)
        if (a !== b) expect(one < other).toBe(a < b)
        else expect(one === other).toBe(Buffer.compare(macOfA, macOfB) === 0)
      }),
    )
  })

  it('are looked at for their form only', () => {
    const good = uploadId(123_456, new Uint8Array(uploadMacBytes).fill(0xff))
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
