/** Who owns the bucket that a command makes. */
import type { Actor } from '@varve/core'
import { canonicalId } from '@varve/http'
import { Option } from 'commander'
import type { ReachedStore } from '../../control/reached-store.ts'
import type { CliContext } from './context.ts'
import { parseText } from './parse-values.ts'
import { printable } from './printable.ts'

export interface OwnerOptions {
  readonly owner?: string
}

export const ownerOption = (): Option =>
  new Option(
    '--owner <identity>',
    'the name or the id of the identity that owns the bucket (default: root, or "local" for a store that has none yet)',
  ).argParser(parseText)

/** The owner that is given, as a field of options. An identity of a configuration is not in the store: its default id follows from its name. */
export async function ownerIn(
  context: CliContext,
  store: Pick<ReachedStore, 'identities'>,
  { owner: given }: OwnerOptions,
): Promise<{ readonly owner?: Actor }> {
  if (given === undefined) return {}
  if (given === 'local') return { owner: { id: 'local', name: 'local' } }
  const found = (await store.identities.list()).find(({ id, name }) => id === given || name === given)
  if (found !== undefined) return { owner: { id: found.id, name: found.displayName } }
  const id = /^[0-9a-f]{64}$/.test(given) ? given : canonicalId(given)
  context.note(
    `The store has no identity ${printable(given)}. The owner is the one that has this ${id === given ? 'id' : 'name'} in the configuration of the server.`,
  )
  return { owner: { id, name: given } }
}
