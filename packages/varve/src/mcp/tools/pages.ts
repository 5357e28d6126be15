/** Pages of answers: bounded in entries and in bytes. */
import { schema } from '@varve/core'
import { described } from './tool.ts'

/** What the entries of one page may take, as JSON. */
const pageBytes = 48 * 1024
const limitDefault = 100
const limitMax = 1000

export interface PageInput {
  readonly limit?: number
  readonly cursor?: string
}

export const pageFields: schema.FieldsOf<PageInput> = {
  limit: schema.optional(
    described(schema.integer({ min: 1, max: limitMax }), `the most entries of the answer; default: ${limitDefault}`),
  ),
  cursor: schema.optional(described(schema.text({ max: 8192 }), 'the next of the answer before, for its next page')),
}

export const limitOf = ({ limit = limitDefault }: PageInput): number => limit

interface Entries<T> {
  readonly entries: readonly T[]
  /** Where the next page begins. Absent: this is the last one. */
  readonly next?: string
}

/**
 * Cuts a page to what an answer may hold, with at least one entry.
 * @param next Where the page after all of the entries begins.
 */
export function bounded<T>(entries: readonly T[], cursorOf: (last: T) => string, next: string | undefined): Entries<T> {
  const kept: T[] = []
  let bytes = 0
  for (const entry of entries) {
    bytes += Buffer.byteLength(JSON.stringify(entry))
    const last = kept.at(-1)
    if (bytes > pageBytes && last !== undefined) return { entries: kept, next: cursorOf(last) }
    kept.push(entry)
  }
  return { entries: kept, ...(next !== undefined && { next }) }
}
