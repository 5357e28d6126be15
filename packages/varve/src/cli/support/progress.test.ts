import { describe, expect, it } from 'vitest'
import { progressLine } from './progress.ts'

function terminal(isTTY: boolean) {
  const written: string[] = []
  return { isTTY, written, write: (text: string) => written.push(text) }
}

describe('progressLine', () => {
  it('rewrites one line, ten times a second at most, and takes it away', () => {
    const target = terminal(true)
    let now = 0
    const line = progressLine(target, () => now)
    line.show('Reading', { done: 1, total: 4 })
    line.show('Reading', { done: 2, total: 4 })
    now += 100
    line.show('Reading', { done: 3, total: 4 })
    line.show('Writing', { done: 9, total: 4 })
    line.clear()
    line.clear()
    expect(target.written).toEqual([
      '\r\u001b[KReading: 25 % (1 of 4)',
      '\r\u001b[KReading: 75 % (3 of 4)',
      '\r\u001b[KWriting: 100 % (9 of 4)',
      '\r\u001b[K',
    ])
  })

  it('writes nothing without a terminal', () => {
    const target = terminal(false)
    const line = progressLine(target)
    line.show('Reading', { done: 1, total: 4 })
    line.clear()
    expect(target.written).toEqual([])
  })
})
