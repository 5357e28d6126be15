import { describe, expect, it } from 'vitest'
import type { Observer, QueueObservation } from '../ports/index.ts'
import { StorageError } from '../base/errors.ts'
import { CacheTally } from './cache-tally.ts'
import { observerErrors } from './observer-errors.ts'
import { observedCode, Observing } from './observing.ts'

/** Turns that the test takes by hand. */
function observing(observer: Observer) {
  const warnings: unknown[] = []
  const waiting: (() => void)[] = []
  const using = new Observing(observer, {
    warn: (error) => warnings.push(error),
    now: () => 0,
    pause: () => new Promise<void>((resolve) => waiting.push(resolve)),
  })
  const turn = async () => {
    for (const resolve of waiting.splice(0)) resolve()
    await new Promise((resolve) => setTimeout(resolve))
  }
  return { using, warnings, turn }
}

const depth = (value: number): QueueObservation => ({ name: 'turns', depth: value })

describe('an observer', () => {
  it('is called later, in order, with itself as this', async () => {
    class Counting implements Observer {
      readonly seen: unknown[] = []
      queue(observation: QueueObservation) {
        this.seen.push(observation)
      }
      sync(observation: unknown) {
        this.seen.push(observation)
      }
    }
    const counting = new Counting()
    const { using, turn } = observing(counting)
    using.queue?.(depth(1))
    using.sync?.({ what: 'journal', durationMs: 1 })
    using.queue?.(depth(2))
    expect(counting.seen).toEqual([])
    await turn()
    expect(counting.seen).toEqual([depth(1), { what: 'journal', durationMs: 1 }, depth(2)])
  })

  it('may lack any method', () => {
    const { using } = observing({})
    const { commit, sync, request, job, queue } = using
    expect([commit, sync, request, job, queue, using.tally('rows')]).toEqual(Array(6).fill(undefined))
  })

  it('has its methods read at the start, and not again', async () => {
    let reads = 0
    const observer = {
      get queue() {
        reads++
        return () => undefined
      },
    }
    const { using, turn } = observing(observer)
    using.queue?.(depth(1))
    using.queue?.(depth(2))
    await turn()
    expect(reads).toBe(1)
  })

  it('gets what it causes later again, so that it cannot keep the process for ever', async () => {
    let calls = 0
    const observer: Observer = {
      queue() {
        calls++
        using.queue?.(depth(calls))
      },
    }
    const { using, turn } = observing(observer)
    using.queue?.(depth(0))
    await turn()
    expect(calls).toBe(1)
    await turn()
    expect(calls).toBe(2)
  })

  it('gets all that is left at the end, without a pause', () => {
    const seen: unknown[] = []
    const { using } = observing({ queue: (one) => seen.push(one), cache: (one) => seen.push(one) })
    using.queue?.(depth(1))
    using.tally('rows')?.count(true)
    using.end()
    expect(seen).toEqual([depth(1), { name: 'rows', hits: 1, misses: 0 }])
  })
})

describe('a pause that fails', () => {
  it('makes the calls come earlier', async () => {
    const seen: unknown[] = []
    const using = new Observing(
      { queue: (one) => seen.push(one) },
      { warn: () => undefined, now: () => 0, pause: () => Promise.reject(new Error('no timer')) },
    )
    using.queue?.(depth(1))
    await new Promise((resolve) => setTimeout(resolve))
    expect(seen).toEqual([depth(1)])
  })
})

describe('an error of an observer', () => {
  const failing: Readonly<Record<string, () => unknown>> = {
    'that it throws': () => {
      throw new Error('no')
    },
    'that its promise rejects with': () => Promise.reject(new Error('no')),
    'of a thenable': () =>
      new Proxy(
        {},
        {
          get() {
            throw new Error('no')
          },
        },
      ),
  }

  it.each(Object.entries(failing))('%s is a warning once, counted each time, and ends nothing', async (_, queue) => {
    const seen: unknown[] = []
    const observer: Observer = { queue, sync: (one) => seen.push(one) }
    const { using, warnings, turn } = observing(observer)
    for (const value of [1, 2, 3]) using.queue?.(depth(value))
    using.sync?.({ what: 'blobs', durationMs: 1 })
    await turn()
    expect(seen).toHaveLength(1)
    expect(warnings).toMatchObject([{ message: 'no' }])
    expect(observerErrors(observer)).toEqual({ queue: 3 })
  })

  it('is counted over all stores that have the observer', async () => {
    const observer: Observer = {
      queue() {
        throw new Error('no')
      },
    }
    const [one, two] = [observing(observer), observing(observer)]
    for (const { using } of [one, two]) using.queue?.(depth(1))
    await Promise.all([one.turn(), two.turn()])
    expect(observerErrors(observer)).toEqual({ queue: 2 })
    expect([...one.warnings, ...two.warnings]).toHaveLength(1)
  })

  it('of a getter leaves out its method alone', async () => {
    const seen: unknown[] = []
    const observer: Observer = {
      get queue(): never {
        throw new Error('no')
      },
      sync: (one) => seen.push(one),
    }
    const { using, warnings, turn } = observing(observer)
    expect(using.queue).toBeUndefined()
    using.sync?.({ what: 'time', durationMs: 1 })
    await turn()
    expect(seen).toHaveLength(1)
    expect(warnings).toHaveLength(1)
  })

  it('is not lost in a warning that fails, and neither are later calls', async () => {
    const seen: unknown[] = []
    const observer: Observer = {
      queue() {
        throw new Error('no')
      },
      sync: (one) => seen.push(one),
    }
    const using = new Observing(observer, {
      warn() {
        throw new Error('no warnings here')
      },
      now: () => 0,
    })
    using.queue?.(depth(1))
    using.sync?.({ what: 'time', durationMs: 1 })
    await new Promise((resolve) => setTimeout(resolve))
    expect(seen).toHaveLength(1)
    expect(observerErrors(observer)).toEqual({ queue: 1 })
  })

  it('comes after a promise that never settles as well as before it', async () => {
    const seen: unknown[] = []
    const { using, turn } = observing({
      queue(one) {
        seen.push(one)
        return new Promise(() => undefined)
      },
    })
    using.queue?.(depth(1))
    using.queue?.(depth(2))
    await turn()
    expect(seen).toHaveLength(2)
  })
})

describe('observerErrors', () => {
  it('refuses what is no observer', () => {
    for (const value of [null, 1, 'observer', { commit: 1 }]) {
      expect(() => observerErrors(value as never)).toThrow(
        expect.objectContaining({ code: 'InvalidArgument' }) as Error,
      )
    }
  })
})

describe('a tally of a cache', () => {
  it('reports a thousand lookups at once, and never no lookup', () => {
    const reports: unknown[] = []
    const tally = new CacheTally('rows', (one) => reports.push(one))
    tally.report()
    for (let at = 0; at < 1001; at++) tally.count(at % 4 === 0)
    tally.report()
    tally.report()
    expect(reports).toEqual([
      { name: 'rows', hits: 250, misses: 750 },
      { name: 'rows', hits: 1, misses: 0 },
    ])
  })
})

describe('the code of an error', () => {
  it('is that of the store, and of nothing that others throw', () => {
    expect(observedCode(new StorageError('NoSpace', 'full'))).toBe('NoSpace')
    expect(observedCode(Object.assign(new Error('cat.png'), { code: 'cat.png' }))).toBe('InternalError')
  })
})
