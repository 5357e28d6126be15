/** The identities of a served store: the configured ones, otherwise the root key pair of the store. */
import { join } from 'node:path'
import type { Identity } from '@varve/http'
import type { Store } from '@varve/core'
import { followIdentities } from '../../identities/follow-identities.ts'
import type { RecoveringStore } from './recovering-store.ts'
import { rootCredentialsName } from '../../identities/root-actor.ts'
import { ensureRootCredentials } from '../../identities/root-credentials.ts'

/** The identities of a served store, as they change. */
export interface FollowedIdentities {
  /** Uses these beside those of the log, and no longer those before. @throws StorageError if the log cannot be read */
  configure(configured: readonly Identity[]): Promise<void>
  stop(): void
}

/** Follows the store that is open now, and the next one if it is opened again. @throws StorageError if the log cannot be read */
export async function followKeptIdentities(
  kept: Pick<RecoveringStore<Store>, 'current' | 'follow'>,
  given: readonly Identity[],
  replace: Parameters<typeof followIdentities>[2],
): Promise<FollowedIdentities> {
  let followed = kept.current
  let configured = given
  // Only the newest one replaces: an older one may have read before the configuration changed.
  let newest = 0
  const begin = (): Promise<() => void> => {
    const mine = ++newest
    return followIdentities(followed, configured, (...served) => (mine === newest ? replace(...served) : undefined))
  }
  let following = begin()
  const stop = (): void => void following.then((end) => end()).catch(() => undefined)
  const followAgain = (): Promise<() => void> => {
    // The next one begins before this one ends, so that no change is answered between them.
    stop()
    following = begin()
    following.catch(() => undefined)
    return following
  }
  const unfollow = kept.follow(() => {
    if (kept.current === followed) return
    followed = kept.current
    void followAgain()
  })
  await following
  return {
    async configure(next) {
      configured = next
      await followAgain()
    },
    stop() {
      unfollow()
      stop()
    },
  }
}

export interface RootPair {
  readonly identity: Identity
  readonly file: string
  /** True when the key pair was just created: the only time to show its secret. */
  readonly created: boolean
}

export async function rootPairOf(dir: string): Promise<RootPair> {
  const file = join(dir, rootCredentialsName)
  return { ...(await ensureRootCredentials(file)), file }
}
