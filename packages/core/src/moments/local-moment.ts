/** Moments as people write them: also relative to now, and in local time. */
import { malformedMoment, type Moment, readMoment } from './moment.ts'
import { type TimeFields, timeFields, utcTime } from './time-text.ts'
import { weekdays } from './weekdays.ts'

/** The clock and the time zone of the person. */
export interface LocalClock {
  /** Milliseconds since the epoch. */
  readonly now: number
  /** How far local time is ahead of UTC at a time, in minutes. */
  readonly offsetAt: (time: number) => number
}

const secondMs = 1000
const minuteMs = 60 * secondMs
const hourMs = 60 * minuteMs
const dayMs = 24 * hourMs

const units: Readonly<Record<string, number>> = { s: secondMs, m: minuteMs, h: hourMs, d: dayMs, w: 7 * dayMs }
const ago = /^(\d{1,6}) ?(s|min|h|d|w|seconds?|minutes?|hours?|days?|weeks?) ago$/
/** `2h` and `-2h` are short for `2h ago`: no other moment has this form, since names of snapshots begin with a letter. */
const short = /^-?(\d{1,6})(s|min|h|d|w)$/
/** Some read it as minutes, and some as months. */
const ambiguous = /^-?(\d{1,6}) ?m( ago)?$/
const dayAndTime = /^([a-z]+)(?: (\d\d?):(\d\d)(?::(\d\d))?)?$/
const local = /^(\d{4})-(\d\d)-(\d\d)(?:[ t](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)?$/

/**
 * Reads a moment: `now`, `2h ago`, `2h`, `-2h`, `3 days ago` (of 24 hours), `yesterday`, `yesterday 18:00`, `monday` (the latest
 * one, perhaps today), `2026-11-20`, `2026-11-20 18:00`, and every text that `parseMoment` reads. A day without a time
 * begins at midnight; days and times without a zone are local.
 * @throws StorageError `InvalidArgument`
 */
export function parseLocalMoment(text: string, clock: LocalClock): Moment {
  const words = text.trim().toLowerCase()
  const time = agoTime(words, clock) ?? dayTime(words, clock) ?? writtenTime(words, clock)
  const moment = time === undefined ? readMoment(text.trim()) : new Date(time)
  if (moment !== undefined) return moment
  const [, count] = ambiguous.exec(words) ?? []
  if (count !== undefined)
    throw malformedMoment(
      `For minutes, write "${count}min ago"; for months, count the days: "${Number(count) * 30}d ago".`,
    )
  throw malformedMoment(
    'A moment is a position in the log, a time such as 2026-11-20T10:00:00Z, "2h ago", "yesterday 18:00" or "monday", or a snapshot.',
  )
}

function agoTime(words: string, { now }: LocalClock): number | undefined {
  if (words === 'now') return now
  const [, count, unit = ''] = ago.exec(words) ?? short.exec(words) ?? []
  return count === undefined ? undefined : now - Number(count) * (units[unit.charAt(0)] as number)
}

function dayTime(words: string, clock: LocalClock): number | undefined {
  const [, word = '', ...digits] = dayAndTime.exec(words) ?? []
  const today = localFields(clock)
  const [hour = 0, minute = 0, second = 0] = digits.map((each) => Number(each ?? 0))
  const timeOn = (daysBack: number) =>
    localTime({ ...today, day: today.day - daysBack, hour, minute, second, ms: 0 }, clock)
  if (word === 'today') return timeOn(0)
  if (word === 'yesterday') return timeOn(1)
  const weekday = weekdays.indexOf(word as (typeof weekdays)[number])
  if (weekday === -1) return undefined
  const daysBack = (today.weekday - weekday + 7) % 7
  const time = timeOn(daysBack)
  return time === undefined || time <= clock.now ? time : timeOn(daysBack + 7)
}

function writtenTime(words: string, clock: LocalClock): number | undefined {
  const found = local.exec(words)
  if (found === null) return undefined
  const fields = timeFields(found.slice(1))
  return utcTime(fields) === undefined ? undefined : localTime(fields, clock)
}

/** The present day. */
function localFields({ now, offsetAt }: LocalClock) {
  const date = new Date(now + offsetAt(now) * minuteMs)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth() + 1,
    day: date.getUTCDate(),
    weekday: date.getUTCDay(),
  }
}

/**
 * The time of local fields; `undefined` if there is no such time of day. A day may be before the first of its month.
 * When clocks are put back, the earlier of two times counts. When they are put forward, a time that is skipped moves
 * forward with them.
 */
function localTime({ year, month, day, ...timeOfDay }: TimeFields, { offsetAt }: LocalClock): number | undefined {
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  const [y, m, d] = [date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()]
  const asUtc = utcTime({ year: y, month: m, day: d, ...timeOfDay })
  if (asUtc === undefined) return undefined
  const [before, after] = [offsetAt(asUtc - dayMs), offsetAt(asUtc + dayMs)]
  const earlier = asUtc - before * minuteMs
  const later = asUtc - after * minuteMs
  return offsetAt(earlier) !== before && offsetAt(later) === after ? later : earlier
}
