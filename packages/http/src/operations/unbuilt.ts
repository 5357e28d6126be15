import type { Level, UnbuiltRow, When } from '../contract/operation.ts'

/** A row for an operation that is known and answered by `NotImplemented`. */
export function unbuilt(name: string, method: UnbuiltRow['method'], level: Level, when: When): UnbuiltRow {
  return { name, method, level, when }
}
