/** The keys that a store keeps, wrapped: see `encryption/generations.ts`. */
import type { StoreContext } from '../requests/request-context.ts'
import type { RequestEngine } from '../requests/request-engine.ts'
import type { KeyGenerationInfo } from './types/index.ts'

/** Lists and rotates the keys that wrap the data keys of objects. */
export interface Keys {
  /** Those there are, oldest first; new objects are encrypted with the last. */
  list(): Promise<readonly KeyGenerationInfo[]>
  /**
   * Wraps all of them in today's master key, and adds another for what is written from now on. No content is touched.
   * @throws StorageError `KeyUnavailable` when one is wrapped in a master key that is not there any more, and then nothing
   * happens; `NotImplemented` when there is no master key.
   */
  rotate(): Promise<readonly KeyGenerationInfo[]>
}

export const keys = (requests: RequestEngine, { by }: StoreContext): Keys => ({
  list: async () => (await requests.keys.list()).map(shown),
  rotate: async () => (await requests.keys.rotate(by)).map(shown),
})

const shown = ({ generation, master }: KeyGenerationInfo): KeyGenerationInfo => ({ generation, master })
