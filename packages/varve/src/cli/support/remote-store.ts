/** The store of another process or of a server, as the commands use it. */
import type { Seq } from '@varve/core'
import { type AttachedStore, attachedStore } from '../../attached/attached-store.ts'
import type { ControlClient } from '../../control/control-client.ts'

export interface RemoteStore extends AttachedStore {
  readonly seq: Promise<Seq>
}

export function remoteStore(client: ControlClient): RemoteStore {
  const store = attachedStore(client)
  return {
    ...store,
    get seq() {
      return store.position()
    },
  }
}
