import type { CommandMeta } from '../commands/command.ts'
import type { Actor } from '../events/index.ts'
import type { Ids, RowReader, Seq } from '../ports/index.ts'
import type { Moment } from '../reads/moment.ts'
import { asOf } from '../reads/as-of.ts'
import { present } from '../reads/present.ts'
import type { Desk } from './desk.ts'

/** Who is asking. */
export interface StoreContext {
  readonly by: Actor
  /** Default: a fresh one for every command. */
  readonly requestId?: string
}

export const commandMeta = ({ by, requestId }: StoreContext, ids: Ids): CommandMeta => ({
  by,
  requestId: requestId ?? ids.next(),
})

/** Where reads look: through a desk, and the position they look at; none means now. */
export interface Viewpoint {
  readonly desk: Desk
  readonly at?: Seq
}

/** Asks one committed state, and lets go of it afterwards. */
export const withMoment = <R>({ desk, at }: Viewpoint, ask: (moment: Moment) => Promise<R>): Promise<R> =>
  withSnapshot(desk, (rows) => ask(momentOf(rows, desk, at)))

/** The same for rows that a moment does not show. */
export async function withSnapshot<R>(desk: Desk, ask: (rows: RowReader) => Promise<R>): Promise<R> {
  desk.owner.assertOpen()
  return desk.owner.withSnapshot(ask)
}

const momentOf = (rows: RowReader, { ports: { hashing } }: Desk, at: Seq | undefined): Moment =>
  at === undefined ? present(rows, hashing) : asOf(rows, hashing, at)
