/** The store that all sessions use. Where another process had it open and ended, it is opened again. */
import { isStorageError } from '@varve/core'
import type { WorkspaceStore } from './workspace-store.ts'

export interface StoreAccess {
  /** The open store. @throws what opening it throws */
  current(): Promise<WorkspaceStore>
  /** Notes what a call failed with. After `StoreClosed` the next call opens the store again. */
  failed(error: unknown): void
  close(): Promise<void>
}

/** Opens the store first, so that a mistake ends the command. @throws what `open` throws */
export async function storeAccess(open: () => Promise<WorkspaceStore>): Promise<StoreAccess> {
  let opened: Promise<WorkspaceStore> | undefined = Promise.resolve(await open())
  let isClosed = false
  /** A store that is still being closed would be found locked. */
  let released: Promise<unknown> = Promise.resolve()
  const release = (): void => {
    const last = opened
    opened = undefined
    released = released
      .then(() => last)
      .then((store) => store?.close())
      .catch(() => undefined)
  }
  return {
    current() {
      if (opened !== undefined || isClosed) return opened ?? Promise.reject(new Error('The server has ended.'))
      const opening = released.then(open)
      opened = opening
      // The next call tries again.
      opening.catch(() => {
        if (opened === opening) opened = undefined
      })
      return opening
    },
    failed(error) {
      if (isStorageError(error, 'StoreClosed', 'StoreFailed')) release()
    },
    async close() {
      isClosed = true
      const last = opened
      opened = undefined
      await released
      await (await last)?.close()
    },
  }
}
