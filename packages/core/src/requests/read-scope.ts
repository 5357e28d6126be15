import { type Soon, whenThere } from '../base/soon.ts'
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
  /** Nothing is decided on what is read, so it may be as old as the store allows. @default it is the newest state */
  readonly mayBeOld?: boolean
}

/** Reads one committed state and releases it afterwards. `place` must cover everything that `ask` reads. */
export const withSnapshot = <R>(scope: ReadScope, ask: (snapshot: ReadSnapshot) => Soon<R>, place?: Place): Soon<R> =>
  withRows(scope, (reader, rows) => ask(snapshotOf(reader, rows, scope)), place)

type AskRows<R> = (reader: RowReader, rows: Rows) => Soon<R>

/** As `withSnapshot`, for rows that a snapshot does not offer. */
export function withRows<R>(scope: ReadScope, ask: AskRows<R>, place?: Place): Soon<R> {
  const { requests, context, tracked } = scope
  requests.owner.assertOpen()
  if (tracked !== undefined) return trackedRowsOfState(scope, tracked, ask)
  if (context?.authorisation === undefined) return rowsOfState(scope, context?.readSet, ask)
  const { authorisation } = context
  const isFresh = (): boolean => authorisation.isFresh?.(place) === true
  const askAgain = () => whileAuthorised(authorisation, place, (current) => rowsOfState(scope, current, ask))
  return isFresh() ? whileFresh(isFresh, () => rowsOfState(scope, undefined, ask), askAgain) : askAgain()
}

/** If the authorisation is still fresh after the read, no rows need to be compared. */
function whileFresh<R>(isFresh: () => boolean, read: () => Soon<R>, askAgain: () => Promise<R>): Soon<R> {
  const kept = (answer: R): Soon<R> => (isFresh() ? answer : askAgain())
  const failed = (error: unknown): Soon<R> => {
    if (isFresh()) throw error
    return askAgain()
  }
  let answer: Soon<R>
  try {
    answer = read()
  } catch (error) {
    return failed(error)
  }
  return answer instanceof Promise ? answer.then(kept, failed) : kept(answer)
}

type AskReader<R> = (reader: RowReader) => Soon<R>

function readState<R>({ requests: { owner }, mayBeOld }: ReadScope, ask: AskReader<R>): Soon<R> {
  return mayBeOld === true && owner.withRecent !== undefined ? owner.withRecent(ask) : owner.withSnapshot(ask)
}

function rowsOfState<R>(scope: ReadScope, readSet: ReadSet | undefined, ask: AskRows<R>): Soon<R> {
  return readState(scope, (reader) => {
    const rows = committedRows(reader, scope.requests.ports.hashing)
    return whenThere(readSet === undefined || isUnchanged(rows, readSet), (isSame) => {
      if (!isSame) throw readSetChanged()
      return ask(reader, rows)
    })
  })
}

/** The owner may repeat a read that a commit disturbed, so only the rows of the last attempt count. */
function trackedRowsOfState<R>(scope: ReadScope, tracked: Tracked, ask: AskRows<R>): Soon<R> {
  const before = tracked.length
  return readState(scope, (reader) => {
    tracked.length = before
    return ask(reader, new TrackedRows(committedRows(reader, scope.requests.ports.hashing), tracked))
  })
}

const snapshotOf = (reader: RowReader, rows: Rows, { requests, at }: ReadScope): ReadSnapshot =>
  at === undefined ? present(reader, rows, requests.ports.hashing) : asOf(reader, requests.ports.hashing, at)
