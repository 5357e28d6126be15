const instant = new Intl.DateTimeFormat(undefined, {
  year: 'numeric',
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** A time to the millisecond, since many events can share a second. */
export const instantText = (time: number): string => (Number.isNaN(time) ? '' : instant.format(new Date(time)))
