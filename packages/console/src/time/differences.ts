/** Pages of what differs between two moments. */

import { schema } from '@varve/core'
import type { Page } from '../components/use-pages.ts'
import { control } from '../control/control.ts'
import type { Connection } from '../transport/connection.ts'
import { lastPosition, queryOf } from './events.ts'

const { array, boolean, integer, objectWith, optional, text } = schema

export interface Difference {
  readonly kind: string
  readonly key?: string
  readonly setting?: string
  readonly before?: { readonly size?: number }
  readonly after?: { readonly size?: number }
}

/** A key may have no object on one side. */
const side = optional(objectWith<{ readonly size?: number }>({ size: optional(integer({ min: 0 })) }))

const keyDifference = objectWith<Omit<Difference, 'setting'> & { readonly key: string }>({
  kind: text(),
  key: text(),
  before: side,
  after: side,
})
/** The values of settings are of any kind, and are not shown. */
const otherDifference = objectWith<Omit<Difference, 'key' | 'before' | 'after'>>({
  kind: text(),
  setting: optional(text()),
})

interface DifferencePage {
  readonly entries: readonly Difference[]
  readonly isTruncated: boolean
  readonly nextAfter?: string
}

const pageShape = objectWith<DifferencePage>({
  entries: array(schema.either<Difference>('a difference', keyDifference, otherDifference)),
  isTruncated: boolean,
  nextAfter: optional(text()),
})

export interface DifferenceRequest {
  readonly bucket: string
  readonly prefix: string
  readonly from: string
  /** The other moment. Absent: now. */
  readonly to: string | undefined
  readonly after: string | undefined
}

export async function loadDifferences(
  connection: Connection,
  request: DifferenceRequest,
  signal: AbortSignal,
): Promise<Page<Difference, string>> {
  const to = request.to ?? String(await lastPosition(connection, signal))
  const query = queryOf({ ...request, to, limit: 500 })
  const { entries, nextAfter } = await control(connection, 'GET', 'diff/page', { query, shape: pageShape, signal })
  return { entries, ...(nextAfter !== undefined && { next: nextAfter }) }
}
