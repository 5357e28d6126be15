import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import { linesAsBytes } from './lines-as-bytes.ts'

async function collected(lines: AsyncIterable<string>, everyMs?: number): Promise<string[]> {
  const batches: string[] = []
  for await (const bytes of linesAsBytes(lines, everyMs)) batches.push(Buffer.from(bytes).toString('utf8'))
  return batches
}

async function* at(...steps: readonly (string | number)[]): AsyncGenerator<string> {
  for (const step of steps) {
    if (typeof step === 'string') yield step
    else await delay(step)
  }
}

describe('lines', () => {
  it('that come at once are sent together, and the others without delay', async () => {
    expect(await collected(at('a\n', 'b\n', 50, 'c\n'))).toEqual(['a\nb\n', 'c\n'])
    expect(await collected(at())).toEqual([])
  })

  it('are sent in batches, whole and in order', async () => {
    const lines = Array.from({ length: 5000 }, (_, i) => `${'é'.repeat(20)}${i}\n`)
    const batches = await collected(at(...lines))
    expect(batches.join('')).toBe(lines.join(''))
    expect(batches.length).toBeGreaterThan(3)
    for (const batch of batches) expect(batch.length).toBeLessThan(40_000)
  })

  it('that do not come are replaced by empty ones', async () => {
    const batches = await collected(at('a\n', 120, 'b\n'), 30)
    expect(batches[0]).toBe('a\n')
    expect(batches.at(-1)).toBe('b\n')
    expect(batches.slice(1, -1)).toContain('\n')
  })

  it('are given up when their reader leaves', async () => {
    let isOver = false
    async function* endless() {
      try {
        for (;;) yield 'a\n'
      } finally {
        isOver = true
      }
    }
    for await (const _ of linesAsBytes(endless())) break
    expect(isOver).toBe(true)
  })
})
