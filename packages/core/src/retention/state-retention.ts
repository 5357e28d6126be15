/** What the log states about the retention, and what an opening requests. */
import { StorageError } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import type { Actor } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'
import { type ByteRetention, isSameBudget, type RetentionBudget } from '../settings/byte-retention.ts'
import type { Retentions } from './retentions.ts'
import type { RetentionRow } from '../views/rows.ts'
import { wholeStore } from '../settings/whole-store.ts'

/** What the caller of an opening requests. */
export interface RequestedRetention {
  readonly retentionMs?: number | undefined
  readonly retentionBudget?: RetentionBudget | undefined
}

export interface Agreement {
  /** What the log states when the store is opened. */
  readonly retention: Retentions
  readonly by: Actor
  readonly requested: RequestedRetention
  /** What a new store states where nothing is requested. Absent: it states none. */
  readonly initial: ByteRetention | undefined
}

/**
 * States the retention of a new store. An opening cannot change what an existing store states.
 * @throws StorageError `InvalidArgument` if it requests another retention
 */
export async function agreeOnRetention(
  engine: Engine,
  { retention, by, requested, initial }: Agreement,
): Promise<void> {
  const stated = retention.stated(wholeStore)
  if (stated !== undefined) assertAgrees(stated, requested)
  else if (engine.writer.committed === 0 && initial !== undefined) await state(engine, by, { ...requested, initial })
}

function assertAgrees({ keepMs, budget, since }: RetentionRow, requested: RequestedRetention): void {
  const { retentionMs, retentionBudget } = requested
  if (retentionMs !== undefined && retentionMs !== keepMs) throw differs('retentionMs', keepMs, since)
  if (retentionBudget !== undefined && !isSameBudget(retentionBudget, budget)) {
    throw differs('retentionBudget', JSON.stringify(budget ?? {}), since)
  }
}

const differs = (option: string, stated: unknown, since: Seq): StorageError =>
  new StorageError('InvalidArgument', `The store states ${option} ${String(stated)}, since event ${since}.`, {
    details: { ArgumentName: `options.${option}`, since },
    hint: 'Open it without the option. `store.retention.set()` or `varve retention set` changes what it states.',
  })

interface Initial extends RequestedRetention {
  readonly initial: ByteRetention
}

/** It stays as it is if another engine was first. */
async function state(
  engine: Engine,
  by: Actor,
  { initial, retentionMs = initial.keepMs, retentionBudget = initial.budget }: Initial,
): Promise<void> {
  const budget = retentionMs === 0 ? undefined : retentionBudget
  const retention = { keepMs: retentionMs, ...(budget && { budget }) }
  const meta = { by, requestId: engine.ports.ids.next() }
  await engine.submit({ type: 'SetRetention', data: { retention, ifUnset: true }, meta })
}
