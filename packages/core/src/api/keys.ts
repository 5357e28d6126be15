/** The wrapped keys that a store keeps: see `encryption/generations.ts`. */
import type { StoreContext } from '../requests/request-context.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import type { KeyGenerationInfo } from './types/index.ts'

/** Lists and rotates the keys that wrap the data keys of objects. */
export interface Keys {
  /** The existing generations, oldest first. New objects are encrypted with the last one. */
  list(): Promise<readonly KeyGenerationInfo[]>
  /**
   * Wraps all generations in the current master key, and adds a new generation for later writes. Changes no content.
   * @throws StorageError `KeyUnavailable` when the keyring no longer has the master key of a generation; nothing is
   * then changed. `NotImplemented` when there is no master key.
   */
  rotate(): Promise<readonly KeyGenerationInfo[]>
}

export const keys = (requests: RequestEngine, { by }: StoreContext): Keys => ({
  list: async () => (await requests.keys.list()).map(shown),
  rotate: async () => (await requests.keys.rotate(by)).map(shown),
})

const shown = ({ generation, master }: KeyGenerationInfo): KeyGenerationInfo => ({ generation, master })
