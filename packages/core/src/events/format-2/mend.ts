/** Corrects values that early releases stored wrongly, if their meaning is clear. */
type Fields = Readonly<Record<string, unknown>>

const isFields = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The stored event with these values corrected. */
export function mended(stored: object): object {
  const { by, data, ...rest } = stored as Fields
  return { ...rest, by: named(by), data: isFields(data) ? mendData(data) : data }
}

function mendData({ owner, retention, value, ...rest }: Fields): Fields {
  return {
    ...rest,
    ...(owner !== undefined && { owner: named(owner) }),
    ...(retention !== undefined && { retention: dated(retention) }),
    ...(value !== undefined && { value: dated(value) }),
  }
}

/** An actor without a name gets its id as name. */
const named = (actor: unknown): unknown =>
  isFields(actor) && typeof actor['id'] === 'string' ? { name: actor['id'], ...actor } : actor

/** Converts a time that was written as text. */
function dated(retention: unknown): unknown {
  if (!isFields(retention) || typeof retention['until'] !== 'string') return retention
  const until = Date.parse(retention['until'])
  return Number.isNaN(until) ? retention : { ...retention, until }
}
