import { hasStore } from '@varve/adapters'
import { replicaAt } from '../replicas/replica-address.ts'
import { assertStoreTarget } from '../replicas/replica-targets.ts'
import { restoreInto } from './read-replicas.ts'
import type { RestoreStoreOptions } from './replica-arguments.ts'
import { restoreFromStore, type RestoreReport } from './restore-log.ts'

/** Restores from replicas, or from the directory of a store. */
export async function restoreFrom(
  from: readonly string[],
  dir: string,
  options: RestoreStoreOptions,
): Promise<RestoreReport> {
  const places = from.map((address) => replicaAt(address))
  await assertStoreTarget(dir, places)
  const [directory, ...others] = places.map((place) => place.directory)
  if (others.length === 0 && directory !== undefined && (await hasStore(directory)))
    return restoreFromStore(directory, dir, options)
  return restoreInto(from, dir, options)
}
