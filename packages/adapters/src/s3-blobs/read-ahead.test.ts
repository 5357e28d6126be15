import { describe, expect, it } from 'vitest'
import { type FetchAhead, ReadAhead } from './read-ahead.ts'
import { s3Turns } from './s3-turns.ts'

const size = 100
const whole = Uint8Array.from({ length: size }, (_, i) => i)

interface Fetched {
  readonly start: number
  readonly end: number
  readonly signal: AbortSignal
  /** Brings bytes up to this position of the blob. */
  bring(to: number): void
  fail(): void
}

function subject({ places = 1, patienceMs }: { readonly places?: number; readonly patienceMs?: number } = {}) {
  const fetches: Fetched[] = []
  const fetch: FetchAhead = ({ into, start }, onFilled, signal) =>
    new Promise((resolve, reject) => {
      const bring = (to: number): void => {
        into.set(whole.subarray(start, to))
        onFilled(to - start)
        if (to === start + into.length) resolve()
      }
      fetches.push({ start, end: start + into.length, signal, bring, fail: () => reject(new Error('away')) })
    })
  const turns = s3Turns(places, 0, 'buffers')
  const ahead = new ReadAhead({ size, partBytes: 40, places: turns, fetch, patienceMs })
  const read = async (start: number, end: number) => {
    const into = new Uint8Array(end - start)
    return (await ahead.read(into, start)) ? [...into] : undefined
  }
  return { ahead, fetches, read, turns }
}

const bytes = (start: number, end: number) => [...whole.subarray(start, end)]

describe('bytes that are fetched ahead', () => {
  it('are those after two ranges in a row, to the end of the part', async () => {
    const { fetches, read } = subject()
    expect(await read(0, 10)).toBeUndefined()
    const second = read(10, 20)
    const [fetch = expect.fail()] = fetches
    expect(fetch).toMatchObject({ start: 10, end: 40 })
    fetch.bring(15)
    fetch.bring(25)
    expect(await second).toEqual(bytes(10, 20))
    const third = read(20, 30)
    fetch.bring(40)
    expect(await third).toEqual(bytes(20, 30))
    // A range that is read again, in pieces or out of order.
    expect(await read(12, 15)).toEqual(bytes(12, 15))
    expect(await read(30, 40)).toEqual(bytes(30, 40))
    const next = read(40, 50)
    expect(fetches[1]).toMatchObject({ start: 40, end: 80 })
    fetches[1]?.bring(80)
    expect(await next).toEqual(bytes(40, 50))
    // All bytes were there, so its connection is left to others.
    expect(fetch.signal.aborted).toBe(false)
  })

  it('are none for other ranges, for the last one of a part, and without a place', async () => {
    const { fetches, read, turns } = subject()
    for (const [start, end] of [
      [50, 60],
      [0, 10],
      [20, 30],
      [0, 40],
      [40, 100],
      [5, 35],
      [35, 40],
    ] as const) {
      expect(await read(start, end)).toBeUndefined()
    }
    expect(fetches).toEqual([])
    expect(turns.tryTake()).toBe(true)
    await read(0, 10)
    expect(await read(10, 20)).toBeUndefined()
    expect(fetches).toEqual([])
  })

  it('are read in the usual way if they do not come', async () => {
    const { fetches, read, turns } = subject()
    await read(0, 10)
    const failing = read(10, 20)
    fetches[0]?.fail()
    expect(await failing).toBeUndefined()
    expect(turns.tryTake()).toBe(true)
    turns.give()
    const other = read(20, 30)
    expect(fetches[1]).toMatchObject({ start: 20, end: 40 })
    fetches[1]?.bring(30)
    expect(await other).toEqual(bytes(20, 30))
  })

  it('are not waited for longer than the patience of a reader', async () => {
    const { fetches, read } = subject({ patienceMs: 5 })
    await read(0, 10)
    expect(await read(10, 20)).toBeUndefined()
    expect(fetches[0]?.signal.aborted).toBe(true)
  })

  it('are forgotten with their reader', async () => {
    const { ahead, fetches, read, turns } = subject()
    await read(0, 10)
    const waiting = read(10, 20)
    ahead.drop()
    ahead.drop()
    expect(await waiting).toBeUndefined()
    expect(fetches[0]?.signal.aborted).toBe(true)
    expect([turns.tryTake(), turns.tryTake()]).toEqual([true, false])
  })
})
