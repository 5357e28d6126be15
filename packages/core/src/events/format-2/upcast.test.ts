import { describe, expect, it } from 'vitest'
import { eventSchema, upcast } from './upcast.ts'

const stored = (type: string, v: number, data: object) => ({ seq: 1, type, v, data }) as never

describe('upcasting', () => {
  it('leaves events of today as they are, without their version number', () => {
    const data = { bucket: 'b' }
    expect(upcast(stored('BucketDeleted', eventSchema.BucketDeleted, data))).toEqual({
      seq: 1,
      type: 'BucketDeleted',
      data,
    })
  })

  it('takes an older shape through every step to today', () => {
    const steps = {
      VersioningSet: {
        [-1]: (old: unknown) => ({ ...(old as object), one: 1 }),
        0: (old: unknown) => ({ ...(old as object), two: 2 }),
      },
    }
    expect(upcast(stored('VersioningSet', -1, { bucket: 'b' }), steps).data).toEqual({ bucket: 'b', one: 1, two: 2 })
  })

  it('refuses events of a newer release, and steps that are missing', () => {
    expect(() => upcast(stored('VersioningSet', 2, {}))).toThrow('newer release')
    expect(() => upcast(stored('BucketFrozen', 1, {}))).toThrow('newer release')
    expect(() => upcast(stored('VersioningSet', 0, {}))).toThrow('No step')
  })
})
