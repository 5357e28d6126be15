/** The name that a misspelt one was meant to be; `undefined` if none is near. Case, dashes and underscores make no difference. */
export function nearestOf(name: string, known: readonly string[]): string | undefined {
  const plain = plainOf(name)
  const near = known.map((one) => ({ one, edits: editsBetween(plain, plainOf(one)) }))
  const best = near.toSorted((a, b) => a.edits - b.edits)[0]
  return best !== undefined && best.edits <= Math.ceil(plain.length / 4) ? best.one : undefined
}

const plainOf = (name: string): string =>
  name
    .slice(0, 64)
    .toLowerCase()
    .replaceAll(/[-_. ]/g, '')

/** Levenshtein's distance. */
function editsBetween(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const next = [i]
    for (let j = 1; j <= b.length; j++) {
      const replaced = (row[j - 1] as number) + (a[i - 1] === b[j - 1] ? 0 : 1)
      next.push(Math.min(replaced, (row[j] as number) + 1, (next[j - 1] as number) + 1))
    }
    row = next
  }
  return row[b.length] as number
}

/** So many names of a list are shown. */
const shownMax = 12

/** The names that there are, or the one that was meant: `; did you mean range?`, `; there are one, two`. */
export function insteadOf(name: string, known: readonly string[]): string {
  const near = nearestOf(name, known)
  if (near !== undefined) return `; did you mean ${near}?`
  return `; there are ${known.length === 0 ? 'none' : shortened(known)}`
}

/** Names with commas between them: of many, the first ones and how many more there are. */
export const shortened = (names: readonly string[]): string =>
  names.length <= shownMax
    ? names.join(', ')
    : `${names.slice(0, shownMax).join(', ')} and ${names.length - shownMax} more`
