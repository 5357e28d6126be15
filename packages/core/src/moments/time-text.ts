/** Reads texts of times. Times are in milliseconds since the epoch; digits beyond milliseconds are dropped. */

/** The fields of a time without its zone. */
export interface TimeFields {
  readonly year: number
  /** 1 to 12. */
  readonly month: number
  readonly day: number
  readonly hour: number
  readonly minute: number
  readonly second: number
  readonly ms: number
}

const rfc3339 = /^(\d{4})-(\d\d)-(\d\d)T(\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(?:Z|([+-])(\d\d):?(\d\d))$/i
const compact = /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\d{3})?z$/i
const minuteMs = 60_000

/** A time in RFC 3339, perhaps without seconds; `undefined` for other text. */
export function parseRfc3339(text: string): number | undefined {
  const found = rfc3339.exec(text)
  if (found === null) return undefined
  const [hours, minutes] = [Number(found[9] ?? 0), Number(found[10] ?? 0)]
  const time = utcTime(timeFields(found.slice(1, 8)))
  if (time === undefined || hours > 23 || minutes > 59) return undefined
  const offset = (hours * 60 + minutes) * minuteMs
  return found[8] === '-' ? time + offset : time - offset
}

/** A compact time in UTC, as in names of buckets; `undefined` for other text. */
export function parseCompactTime(text: string): number | undefined {
  const found = compact.exec(text)
  return found === null ? undefined : utcTime(timeFields(found.slice(1)))
}

/** The fields from their digits in order. Absent fields are 0. */
export function timeFields(digits: readonly (string | undefined)[]): TimeFields {
  const [year, month, day, hour, minute, second] = digits.map((each) => Number(each ?? 0))
  const ms = Number((digits[6] ?? '').slice(0, 3).padEnd(3, '0'))
  return { year, month, day, hour, minute, second, ms } as TimeFields
}

/** The time of these fields in UTC; `undefined` if there is no such day or time of day. */
export function utcTime({ year, month, day, hour, minute, second, ms }: TimeFields): number | undefined {
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const date = new Date(0)
  date.setUTCFullYear(year, month - 1, day)
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  return date.setUTCHours(hour, minute, second, ms)
}
