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
  const release = async (): Promise<void> => {
    const last = opened
    opened = undefined
    await last?.then((store) => store.close()).catch(() => undefined)
  }
  return {
    current() {
      if (opened !== undefined || isClosed) return opened ?? Promise.reject(new Error('The server has ended.'))
      const opening = open()
      opened = opening
      // The next call tries again.
      opening.catch(() => {
        if (opened === opening) opened = undefined
      })
      return opening
    },
    failed(error) {
      if (isStorageError(error, 'StoreClosed', 'StoreFailed')) void release()
    },
    async close() {
      isClosed = true
      const last = opened
      opened = undefined
      await (await last)?.close()
    },
  }
}
