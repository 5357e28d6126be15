/** How many events the log has in each slice of time: the chart beneath the slider. */

import { schema } from '@varve/core'
import { control } from '../control/control.ts'
import type { Connection } from '../transport/connection.ts'
import { type LogFilter, queryOf } from './events.ts'

export interface Slice {
  /** Begins after this time, as ISO 8601. */
  readonly from: string
  readonly until: string
  /** The position of the log at the end of the slice. */
  readonly last: number
  /** All events of the slice. */
  readonly events: number
  /** Events that match, which may be an estimate. */
  readonly matching: number
}

const { integer, objectWith, text } = schema

const densityShape = objectWith<{ readonly slices: readonly Slice[] }>({
  slices: schema.array(
    objectWith<Slice>({
      from: text(),
      until: text(),
      last: integer({ min: 0 }),
      events: integer({ min: 0 }),
      matching: integer({ min: 0 }),
    }),
  ),
})

export interface DensityRequest extends Pick<LogFilter, 'bucket' | 'prefix' | 'types'> {
  readonly since?: string | undefined
  readonly until?: string | undefined
  readonly steps: number
}

export async function loadDensity(
  connection: Connection,
  request: DensityRequest,
  signal: AbortSignal,
): Promise<readonly Slice[]> {
  const query = queryOf({ ...request })
  return (await control(connection, 'GET', 'log/density', { query, shape: densityShape, signal })).slices
}
