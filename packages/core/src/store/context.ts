import type { CommandMeta } from '../commands/command.ts'
import type { Actor } from '../events/index.ts'
import type { Ids, RowReader, Seq } from '../ports/index.ts'
import type { Moment } from '../reads/moment.ts'
import { asOf } from '../reads/as-of.ts'
import { present } from '../reads/present.ts'
import type { Engine } from './engine.ts'

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

/** Where reads look: the engine, and the position they look at; none means now. */
export interface Viewpoint {
  readonly engine: Engine
  readonly at?: Seq
}

/** Asks one committed state, and lets go of it afterwards. */
export const withMoment = <R>({ engine, at }: Viewpoint, ask: (moment: Moment) => Promise<R>): Promise<R> =>
  withSnapshot(engine, (rows) => ask(momentOf(rows, engine, at)))

/** The same for rows that a moment does not show. */
export async function withSnapshot<R>(engine: Engine, ask: (rows: RowReader) => Promise<R>): Promise<R> {
  engine.assertOpen()
  return engine.withSnapshot(ask)
}

const momentOf = (rows: RowReader, { ports: { hashing } }: Engine, at: Seq | undefined): Moment =>
  at === undefined ? present(rows, hashing) : asOf(rows, hashing, at)
