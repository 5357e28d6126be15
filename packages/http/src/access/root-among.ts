import type { Actor } from '@varve/core'
import type { Identity } from './identity.ts'

/** The actor of the first root identity. */
export function rootAmong(identities: readonly Identity[]): Actor | undefined {
  const root = identities.find((identity) => identity.root)
  return root && { id: root.id, name: root.displayName }
}
