/** The two formats of time in a signed request: S3's `20130524T000000Z` and HTTP's `Fri, 24 May 2013 00:00:00 GMT`. */

/** Milliseconds since the epoch, or `undefined` when `text` is not exactly a valid `YYYYMMDDTHHMMSSZ`. */
export function parseAmzDate(text: string): number | undefined {
  if (text !== newest.text) newest = { text, time: readAmzDate(text) }
  return newest.time
}

/** Caches the last time: many requests are signed in the same second. */
let newest: { readonly text: string; readonly time: number | undefined } = { text: '', time: undefined }

function readAmzDate(text: string): number | undefined {
  if (!amzDate.test(text)) return undefined
  const [year, month, day] = [digits(text, 0, 4), digits(text, 4, 6), digits(text, 6, 8)]
  const [hour, minute, second] = [digits(text, 9, 11), digits(text, 11, 13), digits(text, 13, 15)]
  if (month < 1 || month > 12 || day < 1 || day > daysOf(year, month)) return undefined
  if (hour > 23 || minute > 59 || second > 59) return undefined
  const time = Date.UTC(year, month - 1, day, hour, minute, second)
  // `Date.UTC` reads the years 0 to 99 as 1900 to 1999.
  return year < 100 ? undefined : time
}

const amzDate = /^\d{8}T\d{6}Z$/
const digits = (text: string, from: number, to: number): number => Number(text.slice(from, to))

function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31
}

/** `YYYYMMDDTHHMMSSZ` of a time in milliseconds, in UTC. */
export function formatAmzDate(time: number): string {
  return new Date(time).toISOString().replace(/\.\d{3}|[-:]/g, '')
}

/** Milliseconds of an HTTP date in its preferred form, in UTC, or `undefined`. */
export function parseHttpDate(text: string): number | undefined {
  if (!/^[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} \d\d:\d\d:\d\d (?:GMT|UTC|[+-]0000)$/.test(text)) return undefined
  const time = Date.parse(text)
  return Number.isNaN(time) ? undefined : time
}
