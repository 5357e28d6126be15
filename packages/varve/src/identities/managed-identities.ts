/** The identities of a server: those that its owner configures, and those that the log of the store has. */
import { folded, type IdentityCredentials, type IdentityInfo, type Store } from '@varve/core'
import { createIdentity, type Identity, parsePolicy, parseTrustPolicy, type Role, type Sessions } from '@varve/http'

export interface ServedIdentities {
  readonly identities: readonly Identity[]
  /** Absent in a store without a place for secrets: it has no temporary credentials. */
  readonly sessions: Sessions | undefined
  /** Entries of the configuration that are not used: the log took them over, or they were removed or revoked there. */
  readonly ignored: readonly Identity[]
  /** Identities of the log that are not used, because a configured one has their name, id, e-mail address or access key id. */
  readonly displaced: readonly IdentityInfo[]
}

/**
 * Root counts whatever the log says, so that no change of identities locks it out. Another configured identity counts unless the
 * log took it over with its id and key, or ended its id or key: a file cannot bring back what was revoked. No identity of the log
 * counts beside a configured one with the same name, id, e-mail address or key.
 */
export async function servedIdentities(store: Store, configured: readonly Identity[]): Promise<ServedIdentities> {
  const credentials = await store.identities.credentials()
  const isEnded = isEndedIn(credentials)
  const counting = configured.filter((identity) => identity.root || !isEnded(identity))
  reserveIn(store, counting)
  const isDisplaced = isDisplacedBy(counting)
  const kept = {
    ...credentials,
    identities: credentials.identities.filter(({ identity }) => !isDisplaced(identity)),
  }
  const managed = identitiesOf(kept)
  return {
    identities: [...counting.filter(({ root }) => root), ...managed, ...counting.filter(({ root }) => !root)],
    sessions: sessionsOf(kept),
    ignored: configured.filter((identity) => !counting.includes(identity)),
    displaced: credentials.identities.map(({ identity }) => identity).filter(isDisplaced),
  }
}

/** Keeps new identities of the log from taking what these have. */
export function reserveIn(store: Store, identities: readonly Identity[]): void {
  // The secret is no enumerable field.
  store.identities.reserve(identities.map((identity) => ({ ...identity, secretAccessKey: identity.secretAccessKey })))
}

/** The key of the log is that of the identity with the same id, or it was revoked; or the id was removed. */
function isEndedIn({ knownKeys, removedIds }: IdentityCredentials): (identity: Identity) => boolean {
  return ({ id, accessKeyId }) => {
    const known = knownKeys.get(accessKeyId)
    return removedIds.has(id) || (known !== undefined && (known.isRevoked || known.id === id))
  }
}

/** What must be its own, as for an identity that is created: otherwise a grant or a policy would mean two. */
function isDisplacedBy(configured: readonly Identity[]): (identity: IdentityInfo) => boolean {
  const taken = new Set(
    configured.flatMap(({ name, id, email, accessKeyId }) => placesOf({ name, id, email, keys: [accessKeyId] })),
  )
  return ({ accessKeys, ...identity }) =>
    placesOf({ ...identity, keys: accessKeys.map(({ accessKeyId }) => accessKeyId) }).some((place) => taken.has(place))
}

interface Own {
  readonly name: string
  readonly id: string
  readonly email?: string | undefined
  readonly keys: readonly string[]
}

const placesOf = ({ name, id, email, keys }: Own): readonly string[] =>
  [
    `name ${name}`,
    `id ${id}`,
    ...(email === undefined ? [] : [`email ${email}`]),
    ...keys.map((key) => `key ${key}`),
  ].map(folded)

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
