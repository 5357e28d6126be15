/** The two clocks of a signed request: S3's `20130524T000000Z` and HTTP's `Fri, 24 May 2013 00:00:00 GMT`. */

/** Milliseconds since the epoch, or `undefined` when `text` is not exactly a valid `YYYYMMDDTHHMMSSZ`. */
export function parseAmzDate(text: string): number | undefined {
  const match = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (match === null) return undefined
  const [, year, month, day, hour, minute, second] = match
  const time = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  // The parser folds dates such as the 30th of February; what does not come back as it went in was never a date.
  return Number.isNaN(time) || formatAmzDate(time) !== text ? undefined : time
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
