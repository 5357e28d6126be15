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
