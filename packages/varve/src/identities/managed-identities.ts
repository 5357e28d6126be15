/** The identities of a server: those that its owner configures, and those that the log of the store has. */
import type { IdentityCredentials, Store } from '@varve/core'
import { createIdentity, type Identity, parsePolicy, parseTrustPolicy, type Role, type Sessions } from '@varve/http'

export interface ServedIdentities {
  readonly identities: readonly Identity[]
  /** Absent in a store without a place for secrets: it has no temporary credentials. */
  readonly sessions: Sessions | undefined
  /** Entries of the configuration that do not count, because the log knows their name, id or access key id. */
  readonly ignored: readonly Identity[]
}

/**
 * Root counts whatever the log says, so that no change of identities locks it out. For every other configured identity the
 * log counts more: a file cannot bring back what was revoked.
 */
export async function servedIdentities(store: Store, configured: readonly Identity[]): Promise<ServedIdentities> {
  const credentials = await store.identities.credentials()
  const roots = configured.filter(({ root }) => root)
  const rootKeys = new Set(roots.map(({ accessKeyId }) => accessKeyId))
  const managed = identitiesOf(credentials).filter(({ accessKeyId }) => !rootKeys.has(accessKeyId))
  const isKnown = isKnownTo(credentials)
  const others = configured.filter(({ root }) => !root)
  return {
    identities: [...roots, ...managed, ...others.filter((identity) => !isKnown(identity))],
    sessions: sessionsOf(credentials),
    ignored: others.filter(isKnown),
  }
}

function isKnownTo({ identities, knownKeys, removedIds }: IdentityCredentials): (identity: Identity) => boolean {
  const names = new Set(identities.map(({ identity }) => identity.name))
  const ids = new Set(identities.map(({ identity }) => identity.id))
  return ({ name, id, accessKeyId }) =>
    names.has(name) || ids.has(id) || removedIds.has(id) || knownKeys.has(accessKeyId)
}

/** An identity for each access key. One whose policy cannot be read may do nothing, so it is left out. */
function identitiesOf({ identities }: IdentityCredentials): readonly Identity[] {
  return identities.flatMap(({ identity: { id, name, displayName, email, policy: text }, keys }) => {
    const shared = { id, name, displayName, ...(email !== undefined && { email }) }
    const policy = readable(() => policyIn(text))
    return policy === undefined ? [] : keys.map((key) => createIdentity({ ...shared, ...policy, ...key }))
  })
}

function sessionsOf({ identities, tokenKey }: IdentityCredentials): Sessions | undefined {
  if (tokenKey === undefined) return undefined
  const roles = identities.flatMap(({ identity: { id, name, policy, trust } }): readonly Role[] => {
    if (trust === undefined) return []
    const role = readable(() => ({ id, name, trust: parseTrustPolicy(JSON.parse(trust)), ...policyIn(policy) }))
    return role === undefined ? [] : [role]
  })
  return { roles, tokenKey: Buffer.from(tokenKey).toString('base64') }
}

const policyIn = (text: string | undefined) => (text === undefined ? {} : { policy: parsePolicy(JSON.parse(text)) })

function readable<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch {
    return undefined
  }
}
