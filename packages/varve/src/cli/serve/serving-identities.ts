/** The identities of a served store: the configured ones, otherwise the root key pair of the store. */
import { join } from 'node:path'
import { combineIdentities, type Identity, identitiesFromEnvironment } from '@varve/http'
import type { Store } from '@varve/core'
import { followIdentities } from '../../identities/follow-identities.ts'
import { loadIdentityFile } from '../../identities/identity-file.ts'
import type { RecoveringStore } from './recovering-store.ts'
import { ensureRootCredentials } from '../../identities/root-credentials.ts'

/** Identities from the file and the environment; empty without either. @throws StorageError `InvalidArgument` */
export async function configuredIdentities(
  file: string | undefined,
  env: NodeJS.ProcessEnv,
): Promise<readonly Identity[]> {
  const fromFile = file === undefined ? [] : await loadIdentityFile(file)
  return combineIdentities(fromFile, identitiesFromEnvironment(env))
}

/** Follows the store that is open now, and the next one if it is opened again. Returns a function that ends this. */
export async function followKeptIdentities(
  kept: Pick<RecoveringStore<Store>, 'current' | 'follow'>,
  configured: readonly Identity[],
  replace: Parameters<typeof followIdentities>[2],
): Promise<() => void> {
  let followed = kept.current
  let following = followIdentities(followed, configured, replace)
  const unfollow = kept.follow(() => {
    if (kept.current === followed) return
    followed = kept.current
    void following.then((stop) => stop()).catch(() => undefined)
    following = followIdentities(followed, configured, replace)
    following.catch(() => undefined)
  })
  await following
  return () => {
    unfollow()
    void following.then((stop) => stop()).catch(() => undefined)
  }
}

export interface RootPair {
  readonly identity: Identity
  readonly file: string
  /** True when the key pair was just created: the only time to show its secret. */
  readonly created: boolean
}

export async function rootPairOf(dir: string): Promise<RootPair> {
  const file = join(dir, 'root-credentials.json')
  return { ...(await ensureRootCredentials(file)), file }
}
