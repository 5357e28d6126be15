import { describe, expect, it } from 'vitest'
import { bodiesFrom } from '../workloads/bodies.ts'
import { memoryTarget } from '../targets/memory-target.ts'
import type { ObjectTarget } from '../targets/object-target.ts'
import { blend, mixOf } from '../workloads/mix-of.ts'
import type { MixWorkload } from '../workloads/workload.ts'
import { WrongAnswer } from './exercise.ts'
import { knownKey, reading, writing } from './known-key.ts'
import { measureRound } from './measure-round.ts'
import { mixExercise } from './mix-exercise.ts'

const common = {
  name: 'x',
  title: 'x',
  bytes: 512,
  keys: 20,
  puts: 'any',
  inFlight: 4,
  operations: 400,
  floors: [],
} as const
const workload = mixOf({ ...common, mix: blend })

const exerciseOf = (target: ObjectTarget, of: MixWorkload = workload) =>
  mixExercise(target, of, bodiesFrom(1, of.sizes), 1)

describe('a mix of operations', () => {
  it('runs operations by weight, and reports what it ran', async () => {
    const counts = { put: 0, get: 0, list: 0, delete: 0 }
    const target = memoryTarget()
    const counted: ObjectTarget = {
      ...target,
      put: (key, body) => (counts.put++, target.put(key, body)),
      get: (key) => (counts.get++, target.get(key)),
      list: (after) => (counts.list++, target.list(after)),
      delete: (key) => (counts.delete++, target.delete(key)),
    }
    const exercise = exerciseOf(counted)
    const figures = await measureRound(exercise, workload, 0)
    expect(figures.operations).toBe(400)
    expect(figures.put % 512).toBe(0)
    expect(counts.get).toBeGreaterThan(240)
    expect(counts.put).toBeGreaterThan(20 + 50)
    expect(counts.list).toBeGreaterThan(5)
    expect(counts.delete).toBeGreaterThan(5)
    expect(exercise.live?.()).toBeLessThanOrEqual(20 * 512)
  })

  it('stops when its time is over', async () => {
    const short = { ...workload, operations: 1_000_000, seconds: 0.05 }
    const { operations } = await measureRound(exerciseOf(memoryTarget(), short), short, 0)
    expect(operations).toBeGreaterThan(0)
    expect(operations).toBeLessThan(1_000_000)
  })

  const liars: [string, Partial<MixWorkload['mix']>, Partial<ObjectTarget>][] = [
    ['other bytes', { get: 1 }, { get: () => Promise.resolve(Buffer.alloc(512)) }],
    ['fewer bytes', { get: 1 }, { get: () => Promise.resolve(Buffer.alloc(0)) }],
    ['nothing where there is something', { get: 1 }, { get: () => Promise.resolve(undefined) }],
    ['another size', { head: 1 }, { head: () => Promise.resolve(511) }],
    ['a shorter page', { list: 1 }, { list: () => Promise.resolve(1) }],
    ['a longer page', { list: 1, put: 1 }, { list: () => Promise.resolve(1000) }],
    ['what was deleted', { get: 1, delete: 1 }, { delete: () => Promise.resolve() }],
    ['what was replaced', { get: 1, put: 1 }, forgetful()],
  ]
  it.each(liars)('does not believe a target that answers with %s', async (_, mix, lies) => {
    const lying = mixOf({ ...common, mix })
    const exercise = exerciseOf({ ...memoryTarget(), ...lies }, lying)
    await expect(measureRound(exercise, lying, 0)).rejects.toThrow(WrongAnswer)
  })
})

/** Keeps the first bytes it is given. */
function forgetful(): ObjectTarget {
  const target = memoryTarget()
  return {
    ...target,
    put: async (key, body) => ((await target.head(key)) === undefined ? target.put(key, body) : undefined),
  }
}

describe('what is known of a key', () => {
  it('is exact when there was no concurrent write', () => {
    const key = knownKey()
    writing(key).put(1, false)
    expect(reading(key).allowed()).toEqual({ absent: false, from: 1, to: 1 })
    writing(key).deleted(false)
    expect(reading(key).allowed()).toEqual({ absent: true, from: 1, to: 0 })
  })

  it('allows every version when a write was under way, and after two at once until one comes alone', () => {
    const key = knownKey()
    const read = reading(key)
    const [first, second] = [writing(key), writing(key)]
    expect(reading(key).allowed()).toEqual({ absent: true, from: 1, to: 2 })
    second.put(1, false)
    first.put(1, false)
    expect(read.allowed()).toEqual({ absent: true, from: 1, to: 2 })
    expect(reading(key).allowed()).toEqual({ absent: true, from: 1, to: 2 })
    writing(key).put(1, false)
    expect(reading(key).allowed()).toEqual({ absent: false, from: 3, to: 3 })
  })
})
