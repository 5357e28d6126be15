import { randomIds } from '@varve/adapters'
import type { Jobs } from '@varve/core'

/** Tells this store from others that have the same log. `address`: that of the replica, without parameters. */
export async function writerIdOf({ places }: Pick<Jobs, 'places'>, address: string): Promise<string> {
  const name = `replication ${address}` as const
  const known = await places.read(name)
  if (known !== undefined) return known
  const id = randomIds.next()
  await places.write(name, id)
  return id
}
