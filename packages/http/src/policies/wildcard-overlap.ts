/** Whether a text exists that two patterns match. */

/** A unit of the second pattern: any run of characters without a colon, or none. */
export const withoutColons = '*:'

/** Patterns as lists of units: `*`, `?`, a character, or a wildcard as itself, as `literally` spells it. */
export function canOverlap(one: readonly string[], other: readonly string[]): boolean {
  let row: readonly boolean[] = firstRow(other)
  for (const unit of one) row = rowAfter(unit, row, other)
  return row.at(-1) === true
}

/** Whether the units of one pattern so far and the first units of `other`, by their number, match a text. */
function firstRow(other: readonly string[]): readonly boolean[] {
  const row = [true]
  for (const [at, wanted] of other.entries()) row.push(row[at] === true && isRun(wanted))
  return row
}

function rowAfter(unit: string, row: readonly boolean[], other: readonly string[]): readonly boolean[] {
  const next = [row[0] === true && unit === '*']
  for (const [at, wanted] of other.entries()) next.push(isReached(unit, wanted, { row, next, at }))
  return next
}

interface Reached {
  readonly row: readonly boolean[]
  readonly next: readonly boolean[]
  readonly at: number
}

function isReached(unit: string, wanted: string, { row, next, at }: Reached): boolean {
  if (unit !== '*' && !isRun(wanted)) return row[at] === true && isSame(unit, wanted)
  const isTaken = row[at + 1] === true && !(wanted === withoutColons && unit === ':')
  return isTaken || next[at] === true
}

const isRun = (unit: string): boolean => unit === '*' || unit === withoutColons

const isSame = (one: string, other: string): boolean =>
  one === '?' || other === '?' || one.slice(-1) === other.slice(-1)
