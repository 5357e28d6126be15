/** Checks an identity at run time. Its secret is an accessor that is not enumerable, so the copy is created anew. */
import { schema } from '@varve/core'
import { compiledStatements } from '../policies/compiled-policy.ts'
import { type Identity, type IdentityFields, identityOf } from './identity.ts'
import type { Policy } from '../policies/policy.ts'

const { boolean, Mismatch, object, optional, text } = schema

/** Keeps the policy object itself, since the cache of compiled policies uses it as its key. */
export const compiledPolicy: schema.Schema<Policy> = {
  read(value) {
    if (typeof value === 'object' && value !== null && isReadable(value as Policy)) return value as Policy
    throw new Mismatch('must be a policy that parsePolicy made')
  },
  accepts: (value) => typeof value === 'object',
}

function isReadable(value: Policy): boolean {
  try {
    compiledStatements(value)
    return true
  } catch {
    return false
  }
}

const name = text({ min: 1 })

const fields = object<IdentityFields>({
  name,
  accessKeyId: name,
  secretAccessKey: name,
  id: optional(name),
  displayName: optional(text()),
  email: optional(text()),
  root: optional(boolean),
  policy: optional(compiledPolicy),
})

const identity: schema.Schema<Identity> = {
  read(value) {
    if (typeof value !== 'object' || value === null) throw Mismatch.wrongType('an identity', value)
    const copy: Partial<IdentityFields> = { ...value }
    const { secretAccessKey = (value as IdentityFields).secretAccessKey } = copy
    return identityOf(fields.read({ ...copy, secretAccessKey }))
  },
  accepts: (value) => typeof value === 'object',
}

/** Identities with different access keys. */
export const identities: schema.Schema<readonly Identity[]> = {
  read(value) {
    const all = schema.array(identity).read(value)
    const keys = new Set(all.map(({ accessKeyId }) => accessKeyId))
    if (keys.size < all.length) throw new Mismatch('must not share an access key')
    return all
  },
  accepts: (value) => Array.isArray(value),
}

/**
 * Creates an identity with its defaults. Checks types, but not the rules of `parseIdentities` for names and secrets. A
 * spread or a clone of the result has no secret.
 * @throws StorageError `InvalidArgument` that names the field
 */
export const createIdentity = (given: IdentityFields): Identity => schema.checked('identity', identity, given)
