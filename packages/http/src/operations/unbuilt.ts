import type { Level, UnbuiltRow, When } from './operation.ts'

/** A row for an operation that is known and answered by `NotImplemented`. */
export function unbuilt(
  name: string,
  method: UnbuiltRow['method'],
  level: Level,
  query: When['query'],
  header?: When['header'],
): UnbuiltRow {
  return { name, method, level, when: { ...(query && { query }), ...(header && { header }) } }
}
