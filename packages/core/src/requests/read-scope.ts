import type { Soon } from '../base/soon.ts'
import type { ReadSet } from '../commands/read-set.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import type { ReadSnapshot } from '../reads/read-snapshot.ts'
import { asOf } from '../reads/as-of.ts'
import { present } from '../reads/present.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { isUnchanged, TrackedRows } from '../views/tracked-rows.ts'
import { type Place, readSetChanged, whileAuthorised } from './authorisation.ts'
import type { RequestEngine } from './request-engine.ts'
import type { Attempt } from './request-context.ts'

/** The rows that reads used. */
export type Tracked = ReadSet[number][]

/** What a read depends on: the request engine, the caller, and the position; without a position, the newest state. */
export interface ReadScope {
  readonly requests: RequestEngine
  readonly context?: Attempt | undefined
  /** Receives the rows that are read, for an authorisation. */
  readonly tracked?: Tracked
  readonly at?: Seq
}

/** Reads one committed state and releases it afterwards. `place` must cover everything that `ask` reads. */
export const withSnapshot = <R>(
  scope: ReadScope,
  ask: (snapshot: ReadSnapshot) => Soon<R>,
  place?: Place,
): Promise<R> => withRows(scope, (reader, rows) => ask(snapshotOf(reader, rows, scope)), place)

/** As `withSnapshot`, for rows that a snapshot does not offer. */
export async function withRows<R>(
  { requests, context, tracked }: ReadScope,
  ask: (reader: RowReader, rows: Rows) => Soon<R>,
  place?: Place,
): Promise<R> {
  requests.owner.assertOpen()
  if (tracked !== undefined) return trackedRowsOfState(requests, tracked, ask)
  if (context === undefined) return rowsOfState(requests, undefined, ask)
  const { authorisation, readSet } = context
  if (authorisation === undefined) return rowsOfState(requests, readSet, ask)
  if (authorisation.isFresh?.(place) === true) {
    // If the authorisation is still fresh after the read, no rows need to be compared.
    try {
      const answer = await rowsOfState(requests, undefined, ask)
      if (authorisation.isFresh(place)) return answer
    } catch (error) {
      if (authorisation.isFresh(place)) throw error
    }
  }
  return whileAuthorised(authorisation, place, (current) => rowsOfState(requests, current, ask))
}

function rowsOfState<R>(
  requests: RequestEngine,
  readSet: ReadSet | undefined,
  ask: (reader: RowReader, rows: Rows) => Soon<R>,
): Promise<R> {
  return requests.owner.withSnapshot(async (reader) => {
    const rows = committedRows(reader, requests.ports.hashing)
    if (readSet !== undefined && !(await isUnchanged(rows, readSet))) throw readSetChanged()
    return ask(reader, rows)
  })
}

/** The owner may repeat a read that a commit disturbed, so only the rows of the last attempt count. */
function trackedRowsOfState<R>(
  requests: RequestEngine,
  tracked: Tracked,
  ask: (reader: RowReader, rows: Rows) => Soon<R>,
): Promise<R> {
  const before = tracked.length
  return requests.owner.withSnapshot((reader) => {
    tracked.length = before
    return ask(reader, new TrackedRows(committedRows(reader, requests.ports.hashing), tracked))
  })
}

const snapshotOf = (reader: RowReader, rows: Rows, { requests, at }: ReadScope): ReadSnapshot =>
  at === undefined ? present(reader, rows, requests.ports.hashing) : asOf(reader, requests.ports.hashing, at)
