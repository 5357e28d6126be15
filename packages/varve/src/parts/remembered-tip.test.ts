import type { Tip, Witness } from '@varve/core'
import { describe, expect, it } from 'vitest'
import { remembering } from './remembered-tip.ts'

const tip = (seq: number): Tip => ({ seq, hash: `hash ${seq}` })

function witness(stored: Tip | undefined, isWritable = true) {
  const medium = { stored }
  const plain: Witness = {
    read: async () => medium.stored,
    async write(next) {
      if (!isWritable) throw new Error('No.')
      medium.stored = next
    },
  }
  return { medium, plain }
}

describe('a remembered tip', () => {
  it.each([
    [undefined, undefined, undefined],
    [5, undefined, 5],
    [5, 3, 5],
    [3, 5, 5],
    [undefined, 5, 5],
  ])('beside a witness of %s: of %s, it reads %s', async (stored, noted, expected) => {
    const { medium, plain } = witness(stored === undefined ? undefined : tip(stored))
    const known = { tip: undefined }
    if (noted !== undefined) remembering(plain, known).note?.(tip(noted))
    const read = await remembering(plain, known).read()
    expect(read?.seq).toBe(expected)
    // The next process knows it too.
    expect(medium.stored?.seq).toBe(expected)
  })

  it('counts even if the witness cannot be written', async () => {
    const { medium, plain } = witness(tip(3), false)
    expect(await remembering(plain, { tip: tip(5) }).read()).toEqual(tip(5))
    expect(medium.stored).toEqual(tip(3))
  })

  it('differs from a witness of the same event that has another hash', async () => {
    const { medium, plain } = witness({ seq: 5, hash: 'another' })
    expect(await remembering(plain, { tip: tip(5) }).read()).toEqual(tip(5))
    expect(medium.stored?.hash).toBe('another')
  })
})
