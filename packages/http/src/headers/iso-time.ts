/** Times in XML and in headers of S3. */

/** `2030-01-01T00:00:00Z`, with or without a fraction, and with any offset from UTC. */
const isoTime = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(\.\d{1,9})?(Z|[+-]\d{2}:?\d{2})$/

/** Milliseconds since the epoch; `undefined` for an invalid time, or a day that does not exist. */
export function parseIsoTime(text: string): number | undefined {
  const found = isoTime.exec(text.trim())
  if (found === null) return undefined
  const [, seconds = '', fraction = '', zone = ''] = found
  const local = Date.parse(`${seconds}Z`)
  // `Date` reads a day that the month does not have as a day of the next month.
  if (Number.isNaN(local) || !new Date(local).toISOString().startsWith(seconds)) return undefined
  const time = Date.parse(
    `${seconds}${fraction.slice(0, 4)}${zone.length === 5 ? `${zone.slice(0, 3)}:${zone.slice(3)}` : zone}`,
  )
  return Number.isNaN(time) ? undefined : time
}

const minuteMs = 60 * 1000
const seconds = Array.from({ length: 60 }, (_, number) => `${String(number).padStart(2, '0')}.`)
const milliseconds = Array.from({ length: 1000 }, (_, number) => `${String(number).padStart(3, '0')}Z`)

let lastMinute = Number.NaN
let lastMinuteText = ''

/** As `toISOString`, in a tenth of its time, because a listing has a time in each entry. @throws RangeError as it does */
export function formatIsoTime(time: Date): string {
  const ms = time.getTime()
  const minute = Math.floor(ms / minuteMs)
  if (minute !== lastMinute) {
    const text = time.toISOString()
    lastMinuteText = text.slice(0, text.lastIndexOf(':') + 1)
    lastMinute = minute
  }
  const rest = ms - minute * minuteMs
  const second = Math.floor(rest / 1000)
  return lastMinuteText + seconds[second] + milliseconds[rest - second * 1000]
}
