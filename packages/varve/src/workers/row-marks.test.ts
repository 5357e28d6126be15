import { rowHash } from '@varve/core'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { RowMarks } from './row-marks.ts'

const keyOf = (number: number): Uint8Array => Buffer.from(`key ${number}`)
const hashOf = (number: number): number => rowHash(keyOf(number))

let sent: [id: number, hashes: readonly number[] | undefined][]
let stalled: number
let marks: RowMarks

beforeEach(() => {
  vi.useFakeTimers()
  sent = []
  stalled = 0
  marks = new RowMarks({ send: (...drop) => sent.push(drop), stalledMs: 1000, onStalled: () => stalled++ })
})
afterEach(() => {
  vi.useRealTimers()
})

const isDone = async (promise: Promise<void> | undefined): Promise<boolean> => {
  let done = false
  void promise?.then(() => (done = true))
  await vi.advanceTimersByTimeAsync(0)
  return done
}

describe('the marks of a worker', () => {
  it('send what the worker may keep, once, and nothing else', () => {
    marks.mark(keyOf(1))
    marks.mark(keyOf(1))
    expect(marks.drop([hashOf(2)])).toBeUndefined()
    expect(marks.drop([hashOf(1), hashOf(2)])).toBeInstanceOf(Promise)
    marks.confirm(1)
    expect(marks.drop([hashOf(1)])).toBeUndefined()
    expect(sent).toEqual([[1, [hashOf(1)]]])
  })

  it('wait for every drop that is not confirmed, whatever it was about', async () => {
    marks.mark(keyOf(1))
    marks.mark(keyOf(2))
    const first = marks.drop([hashOf(1)])
    const second = marks.drop([hashOf(2)])
    const third = marks.drop([hashOf(3)])
    marks.confirm(1)
    expect(await isDone(first)).toBe(true)
    expect(await isDone(second)).toBe(false)
    marks.confirm(2)
    expect(await isDone(third)).toBe(true)
    expect(marks.dropAll()).toBeUndefined()
  })

  it('stay few: then the worker drops all rows, and commits wait until it has', async () => {
    for (let number = 0; sent.length === 0; number++) {
      expect(number).toBeLessThan(40_000)
      marks.mark(keyOf(number))
    }
    expect(sent).toEqual([[1, undefined]])
    const dropping = marks.drop([hashOf(0)])
    expect(await isDone(dropping)).toBe(false)
    marks.confirm(1)
    expect(await isDone(dropping)).toBe(true)
    expect(marks.drop([hashOf(0)])).toBeUndefined()
    expect(sent).toHaveLength(1)
  })

  it('give up a worker that does not confirm, and none that does', async () => {
    marks.mark(keyOf(1))
    const first = marks.drop([hashOf(1)])
    await vi.advanceTimersByTimeAsync(900)
    marks.confirm(1)
    await first
    await vi.advanceTimersByTimeAsync(5000)
    expect(stalled).toBe(0)
    marks.mark(keyOf(1))
    const second = marks.drop([hashOf(1)])
    await vi.advanceTimersByTimeAsync(1000)
    expect(stalled).toBe(1)
    expect(await isDone(second)).toBe(false)
    marks.end()
    expect(await isDone(second)).toBe(true)
  })
})
