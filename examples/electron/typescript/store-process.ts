/** Starts the process of the store and attaches to it. `../main/store-process.mjs` also starts it again when it ends. */
import { join } from 'node:path'
import { utilityProcess } from 'electron'
import { attachStore, type AttachedStore } from 'varve'

export type FromStore = { readonly kind: 'ready' } | { readonly kind: 'refused'; readonly text: string }

export interface StoreProcess {
  readonly store: AttachedStore
  close(): Promise<void>
}

export async function startStore(dir: string): Promise<StoreProcess> {
  const child = utilityProcess.fork(join(import.meta.dirname, 'store.js'), [dir], { serviceName: 'store' })
  const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()))
  const first = await new Promise<FromStore>((resolve) => {
    child.once('message', resolve)
    void ended.then(() => resolve({ kind: 'refused', text: 'The process of the store ended.' }))
  })
  if (first.kind === 'refused') {
    child.kill()
    throw new Error(first.text)
  }
  const store = await attachStore(dir)
  return {
    store,
    async close() {
      await store.close()
      child.postMessage('close')
      await ended
    },
  }
}
