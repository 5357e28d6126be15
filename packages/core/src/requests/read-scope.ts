import type { ReadSet } from '../commands/read-set.ts'
import type { RowReader, Seq } from '../ports/index.ts'
import type { Moment } from '../reads/moment.ts'
import { asOf } from '../reads/as-of.ts'
import { present } from '../reads/present.ts'
import { committedRows, type Rows } from '../views/row-reader.ts'
import { isUnchanged, TrackedRows } from '../views/tracked-rows.ts'
import { type Place, readSetChanged, whileAuthorised } from './authorisation.ts'
import type { Desk } from './request-engine.ts'
import type { Attempt } from './request-context.ts'

export { type Attempt, attempting, type StoreContext } from './request-context.ts'

/** The rows that reads were answered from. */
export type Tracked = ReadSet[number][]

/** Where reads look: through a desk, for somebody, and the position they look at; none means now. */
export interface Viewpoint {
  readonly desk: Desk
  readonly context?: Attempt | undefined
  /** Receives what is read, for whoever authorises. */
  readonly tracked?: Tracked
  readonly at?: Seq
  /** Of the past: to be awaited before a read of bytes looks for them. */
  readonly erased?: () => Promise<void> | undefined
}

/** Asks one committed state, and lets go of it afterwards. `place`: all that it asks about. */
export const withMoment = <R>(viewpoint: Viewpoint, ask: (moment: Moment) => Promise<R>, place?: Place): Promise<R> =>
  withSnapshot(viewpoint, (reader, rows) => ask(momentOf(reader, rows, viewpoint)), place)

/** The same for rows that a moment does not show. */
export async function withSnapshot<R>(
  { desk, context, tracked }: Viewpoint,
  ask: (reader: RowReader, rows: Rows) => Promise<R>,
  place?: Place,
): Promise<R> {
  desk.owner.assertOpen()
  if (tracked !== undefined) return trackedSnapshot(desk, tracked, ask)
  if (context === undefined) return snapshot(desk, undefined, ask)
  const { authorisation, readSet } = context
  if (authorisation === undefined) return snapshot(desk, readSet, ask)
  if (authorisation.isFresh?.(place) === true) {
    // Where it still is afterwards, there was nothing to compare.
    try {
      const answer = await snapshot(desk, undefined, ask)
      if (authorisation.isFresh(place)) return answer
    } catch (error) {
      if (authorisation.isFresh(place)) throw error
    }
  }
  return whileAuthorised(authorisation, place, (current) => snapshot(desk, current, ask))
}

function snapshot<R>(
  desk: Desk,
  readSet: ReadSet | undefined,
  ask: (reader: RowReader, rows: Rows) => Promise<R>,
): Promise<R> {
  return desk.owner.withSnapshot(async (reader) => {
    const rows = committedRows(reader, desk.ports.hashing)
    if (readSet !== undefined && !(await isUnchanged(rows, readSet))) throw readSetChanged()
    return ask(reader, rows)
  })
}

/** The owner may ask twice, when it cannot vouch for the first answer: only what led to the last one counts. */
function trackedSnapshot<R>(
  desk: Desk,
  tracked: Tracked,
  ask: (reader: RowReader, rows: Rows) => Promise<R>,
): Promise<R> {
  const before = tracked.length
  return desk.owner.withSnapshot((reader) => {
    tracked.length = before
    return ask(reader, new TrackedRows(committedRows(reader, desk.ports.hashing), tracked))
  })
}

const momentOf = (reader: RowReader, rows: Rows, { desk, at }: Viewpoint): Moment =>
  at === undefined ? present(reader, rows, desk.ports.hashing) : asOf(reader, desk.ports.hashing, at)
