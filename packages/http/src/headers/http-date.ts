/** Dates in HTTP headers. All three formats are read; one is written. */

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']
const month = `(${months.join('|')})`
const time = '(\\d{2}):(\\d{2}):(\\d{2})'

/** `Sun, 06 Nov 1994 08:49:37 GMT` */
const current = new RegExp(`^[A-Z][a-z]{2}, (\\d{1,2}) ${month} (\\d{4}) ${time} (?:GMT|UTC|[+]0000)$`)
/** `Sunday, 06-Nov-94 08:49:37 GMT` */
const rfc850 = new RegExp(`^[A-Z][a-z]{5,8}, (\\d{2})-${month}-(\\d{2}) ${time} GMT$`)
/** `Sun Nov  6 08:49:37 1994` */
const asctime = new RegExp(`^[A-Z][a-z]{2} ${month} ([ \\d]\\d) ${time} (\\d{4})$`)

/** `Sun, 06 Nov 1994 08:49:37 GMT`; fractions of a second are dropped. */
export function formatHttpDate(date: Date): string {
  const time = date.getTime()
  const day = Math.floor(time / dayMs)
  if (day !== lastDay.day) lastDay = { day, text: date.toUTCString().slice(0, -'08:49:37 GMT'.length) }
  const seconds = Math.floor((time - day * dayMs) / 1000)
  return `${lastDay.text}${twoDigits(seconds / 3600)}:${twoDigits((seconds / 60) % 60)}:${twoDigits(seconds % 60)} GMT`
}

const dayMs = 86_400_000

/** The day that was written last: `toUTCString` takes several times as long as the rest, and most dates are of few days. */
let lastDay = { day: Number.NaN, text: '' }

const digits = Array.from({ length: 60 }, (_, number) => String(number).padStart(2, '0'))

/** `number`: 0 to less than 60; fractions are dropped. */
const twoDigits = (number: number): string => digits[Math.floor(number)] as string

/** `undefined` for an invalid date: HTTP requires servers to ignore such headers. */
export function parseHttpDate(text: string): Date | undefined {
  const found = current.exec(text)
  if (found !== null) return dateOf(found[3], found[2], found[1], found.slice(4))
  const old = rfc850.exec(text)
  if (old !== null) return dateOf(fullYear(Number(old[3])), old[2], old[1], old.slice(4))
  const oldest = asctime.exec(text)
  return oldest === null ? undefined : dateOf(oldest[6], oldest[1], oldest[2], oldest.slice(3, 6))
}

function dateOf(
  year: string | number | undefined,
  monthName: string | undefined,
  day: string | undefined,
  [hours, minutes, seconds]: readonly string[],
): Date | undefined {
  const numbers = [Number(year), months.indexOf(monthName ?? ''), Number(day)] as const
  const clock = [Number(hours), Number(minutes), Number(seconds)] as const
  const date = new Date(Date.UTC(...numbers, ...clock))
  const kept = date.getUTCDate() === numbers[2] && date.getUTCHours() === clock[0] && clock[1] < 60 && clock[2] < 60
  return kept ? date : undefined
}

/** A year of two digits is from 1970 to 2069. */
function fullYear(digits: number): number {
  return digits < 70 ? 2000 + digits : 1900 + digits
}
