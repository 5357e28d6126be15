/** Checks the arguments of calls about identities. */
import { limits } from '../../base/limits.ts'
import { encodeUtf8 } from '../../bytes/utf8.ts'
import type { AccessKeyPair } from '../../ports/index.ts'
import { boolean, integer, text } from '../../schema/scalars.ts'
import { Mismatch, type Schema } from '../../schema/schema.ts'
import { array, type FieldsOf, object, objectWith, optional } from '../../schema/structures.ts'
import { folded } from '../../naming/namesakes.ts'
import type { ReservedIdentity } from '../../requests/reserved-identities.ts'
import type { IdentityQuota } from '../../settings/quota.ts'
import type { IdentityOptions, IdentityPolicies } from '../types/index.ts'

interface TextRule {
  readonly min: number
  readonly max: number
  readonly shape: RegExp
  readonly rule: string
}

const anyText = text({ max: 1024 * 1024 })

const shaped = ({ min, max, shape, rule }: TextRule): Schema<string> => ({
  read(value) {
    const found = anyText.read(value)
    if (found.length < min || found.length > max || !shape.test(found)) throw new Mismatch(rule)
    return found
  },
  accepts: (value) => typeof value === 'string',
  json: { type: 'string', minLength: min, maxLength: max },
})

const line = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u

const shownName = shaped({
  min: 1,
  max: 128,
  shape: line,
  rule: 'must be 1 to 128 characters without control characters',
})

/** Names and ids of the identities that a server has besides those of the log, and of the actors of the store itself. */
const reserved: ReadonlySet<string> = new Set([
  'root',
  'anonymous',
  'local',
  'varve',
  'lifecycle',
  // Delivers access logs.
  'logging.s3.amazonaws.com',
  // The SHA-256 of `root`, which is the id of the root identity.
  '4813494d137e1631bba301d5acab6e7bb7aa74ce1185d456565ef51d737677b2',
])

const unreserved = (schema: Schema<string>, spelled: (text: string) => string = (text) => text): Schema<string> => ({
  read(value) {
    const found = schema.read(value)
    if (reserved.has(spelled(found))) throw new Mismatch('must not be one that Varve uses itself')
    return found
  },
  accepts: schema.accepts,
  ...(schema.json && { json: schema.json }),
})

export const identityName = unreserved(shownName)

/** An identity that exists may have a reserved name in another spelling. A new one cannot. */
export const newIdentityName = unreserved(shownName, folded)

const identityId = unreserved(
  shaped({ min: 1, max: 128, shape: /^[\w.@+$-]*$/, rule: 'must be 1 to 128 letters, digits or ._@+$-' }),
  folded,
)

export const accessKeyId = shaped({
  min: 3,
  max: 128,
  shape: /^[\w.@+-]*$/,
  rule: 'must be 3 to 128 letters, digits or ._@+-',
})

const secretAccessKey = shaped({
  min: 8,
  max: 128,
  shape: /^[!-~]*$/,
  rule: 'must be 8 to 128 printable ASCII characters, no space',
})

const email = shaped({
  min: 3,
  max: 254,
  shape: /^[^\s@]+@[^\s@]+$/,
  rule: 'must be an e-mail address of at most 254 characters',
})

const policyText: Schema<string> = {
  read(value) {
    const found = anyText.read(value)
    const max = limits.identityPolicyBytesMax
    if (encodeUtf8(found).length > max) throw new Mismatch(`must have at most ${max} bytes`)
    return found
  },
  accepts: (value) => typeof value === 'string',
  json: { type: 'string' },
}

const accessKeyPair = object<AccessKeyPair>({ accessKeyId, secretAccessKey })

export const policyFields: FieldsOf<IdentityPolicies> = { policy: optional(policyText), trust: optional(policyText) }

export const identityFields: FieldsOf<IdentityOptions> = {
  id: optional(identityId),
  displayName: optional(shownName),
  email: optional(email),
  key: optional(accessKeyPair),
  ...policyFields,
}

export const identityOptions = object<IdentityOptions>(identityFields)

export const identityPolicies = object<IdentityPolicies>(policyFields)

export const identityQuotaFields: FieldsOf<IdentityQuota> = {
  bytes: optional(integer({ min: 0 })),
  buckets: optional(integer({ min: 0 })),
}

export const identityQuota = object<IdentityQuota>(identityQuotaFields)

/** Secrets are read from accessors that are not enumerable, so the fields are copied one by one. */
export const reservedIdentities = array(
  objectWith<ReservedIdentity>({
    name: text(),
    id: text(),
    accessKeyId: text(),
    secretAccessKey: text(),
    email: optional(text()),
    root: optional(boolean),
  }),
)
