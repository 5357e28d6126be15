export const dayMs = 24 * 3_600_000

/** A day in the middle of the history of the fixture store. Pages name days of the year in which they were written. */
export const pastDay: Date = new Date(Date.now() - 100 * dayMs)
