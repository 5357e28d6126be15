/** Computes the views of the whole log again, in this journal or in another. */
import { isStorageError } from '../base/errors.ts'
import type { Journal } from '../ports/index.ts'
import { guardOf, viewsJob } from '../sharing/sharing.ts'
import { catchUp, dropViews, type Progress } from './catch-up.ts'
import type { Engine } from './engine.ts'
import type { OpenLogOptions } from './open-log.ts'

/** Computes the views of the whole log into another, empty journal. */
export async function replay(engine: Engine, into: Journal, options: OpenLogOptions = {}): Promise<void> {
  engine.assertOpen()
  await engine.fresh()
  const { journal, hashing } = engine.ports
  await catchUp({ log: journal, views: into, hashing, from: 1, to: engine.writer.committed, ...options })
}

/**
 * Drops the views and computes them again. `idle` resolves when no background job commits.
 * @throws StorageError `ReadOnly`, and what reading the log throws
 */
export async function rebuild(engine: Engine, idle: () => Promise<void>, options: OpenLogOptions = {}): Promise<void> {
  engine.assertOpen()
  engine.assertWritable()
  await idle()
  const { signal } = options
  // An error of the caller's `onProgress` must not leave the store without views: it is thrown after the rebuild.
  const thrown: unknown[] = []
  const onProgress = (progress: Progress): void => {
    try {
      options.onProgress?.(progress)
    } catch (error) {
      thrown.push(error)
    }
  }
  await engine.views.rebuild(async () => {
    const { journal, hashing } = engine.ports
    signal?.throwIfAborted()
    const guard = guardOf(engine.sharing, viewsJob)
    try {
      const ending = { guard, ...(signal && { signal }) }
      const to = await dropViews(journal, ending)
      await catchUp({ log: journal, views: journal, hashing, from: 1, to, onProgress, ...ending })
    } catch (error) {
      // Another engine that took over computes the views.
      if (!isStorageError(error, 'LeaseLost')) engine.views.lose(error)
      throw error
    }
  })
  if (thrown.length > 0) throw thrown[0]
}
