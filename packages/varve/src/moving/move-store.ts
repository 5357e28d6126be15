/** Moves a store between a directory and addresses, or between addresses. */
import { nodeHashing, randomIds } from '@varve/adapters'
import { type LogMoved, moveLog } from '@varve/core'
import type { MigrateStoreOptions } from '../maintenance/directory-arguments.ts'
import type { Place } from './place.ts'

/** What `moveStore` did. */
export interface MoveReport extends LogMoved {
  readonly from: string
  readonly to: string
  /** How long the store took no writes, in milliseconds. */
  readonly pauseMs: number
}

/** @throws what `moveLog` and the opening of the places throw */
export async function moveStore(
  { from, to }: { readonly from: Place; readonly to: Place },
  { signal, onProgress }: MigrateStoreOptions = {},
): Promise<MoveReport> {
  const source = await from.openSource()
  try {
    const target = await to.openTarget()
    let departedAt: number | undefined
    try {
      const moved = await moveLog({
        from: source,
        into: target,
        hashing: await nodeHashing(),
        ids: randomIds,
        onDeparted: () => void (departedAt = performance.now()),
        ...(signal && { signal }),
        ...(onProgress && {
          onProgress,
          onCheck: (progress) => onProgress({ ...progress, stage: 'check' }),
        }),
      })
      const pauseMs = departedAt === undefined ? 0 : Math.round(performance.now() - departedAt)
      return { from: from.name, to: to.name, ...moved, pauseMs }
    } finally {
      await target.close()
    }
  } finally {
    await source.close()
  }
}
