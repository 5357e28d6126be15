/** Clocks for tests: the time moves when the test moves it. */
import { type Clock, schema } from '@varve/core'

const { checked, date, either, integer, Mismatch } = schema

/** The last moment that a Date can be. */
const latest = 8.64e15

/** Where a server for tests gets the time from. */
export interface TimeSource {
  /** Milliseconds since the epoch. */
  now(): number
}

/** A clock that stands still until it is moved. */
export interface TestClock extends TimeSource {
  /** Moves the time forward. @throws StorageError `InvalidArgument` unless `ms` is a whole number that is not negative */
  advance(ms: number): void
}

const start = either<number | Date>('a Date, or milliseconds since the epoch', date, integer({ min: 0, max: latest }))
const step = integer({ min: 0, max: latest })

/**
 * A clock for `startS3`. @param from The time that it shows at first. @default the present
 * @throws StorageError `InvalidArgument`
 */
export function testClock(from: Date | number = Date.now()): TestClock {
  let now = Number(checked('from', start, from))
  return {
    now: () => now,
    advance(ms) {
      now += checked('ms', step, ms)
    },
  }
}

/**
 * The clock of a store. Its monotonic time passes with the source, and stands still while the source goes back.
 * @throws StorageError `InvalidArgument`, also later, if the source does not return a time
 */
export function storeClock(source: TimeSource): Clock {
  const now = (): number => checked('options.clock.now()', time, source.now())
  let [last, passed] = [now(), 0]
  return {
    now,
    monotonic() {
      const wall = now()
      passed += Math.max(0, wall - last)
      last = wall
      return passed
    },
  }
}

const time: schema.Schema<number> = {
  read(value) {
    if (typeof value === 'number' && value >= 0 && value <= latest) return value
    throw Mismatch.wrongType(`milliseconds from 0 to ${latest}`, value)
  },
  accepts: (value) => typeof value === 'number',
}
