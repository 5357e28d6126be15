/** The calls of `store.identities`, with good arguments. */
import type { Identities } from '@varve/core'
import type { World } from './world.ts'

export const identityEntries = {
  create: (world) => [`i${world.number(500)}`, { displayName: 'Ann', email: 'a@example.org', policy: '{}' }],
  list: () => [],
  get: () => ['deployer'],
  addKey: () => ['deployer'],
  revokeKey: () => ['deployer', 'AKIAOFDEPLOYER'],
  setPolicies: () => ['deployer', { policy: '{}' }],
  remove: (world) => [`i${world.number(500)}`],
  credentials: () => [],
} satisfies { readonly [K in keyof Identities]: (world: World) => unknown[] }
