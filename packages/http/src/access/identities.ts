import { anonymous } from '../policies/anonymous.ts'
import { schema } from '@varve/core'
import { type Identity, identityOf } from './identity.ts'
import { identities as identityList } from './identity-schema.ts'
import { arrayOf, invalid, type JsonObject, objectFields } from '../policies/json-fields.ts'
import { parseIdentityPolicy } from '../policies/effective-statements.ts'

const identitiesMax = 10_000
const known = ['name', 'accessKeyId', 'secretAccessKey', 'id', 'displayName', 'email', 'root', 'policy'] as const

interface TextRule {
  readonly min: number
  readonly max: number
  readonly shape: RegExp
  readonly rule: string
}

/** Text without line breaks or other control characters. */
const line = /^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u
const text = (min: number, max: number): TextRule => ({
  min,
  max,
  shape: line,
  rule: `must be ${min} to ${max} characters without control characters`,
})

const rules = {
  name: text(1, 128),
  displayName: text(1, 128),
  id: { min: 1, max: 128, shape: /^[\w.@+$-]*$/, rule: 'must be 1 to 128 letters, digits or ._@+$-' },
  email: { min: 3, max: 254, shape: /^[^\s@]+@[^\s@]+$/, rule: 'must be an e-mail address of at most 254 characters' },
  accessKeyId: { min: 3, max: 128, shape: /^[\w.@+-]*$/, rule: 'must be 3 to 128 letters, digits or ._@+-' },
  secretAccessKey: {
    min: 8,
    max: 128,
    shape: /^[!-~]*$/,
    rule: 'must be 8 to 128 printable ASCII characters, no space',
  },
} as const satisfies Record<string, TextRule>

/**
 * Identities from JSON of the shape `{ "identities": [{ "name", "accessKeyId", "secretAccessKey", ... }] }`.
 * @throws InvalidArgument that names the entry and the field, never a value: unknown fields, wrong lengths or
 * characters, duplicates of `name`, `accessKeyId` or `id`, a root with a policy, a bad policy
 */
export function parseIdentities(json: unknown): readonly Identity[] {
  const copy = schema.checked('identities', schema.json, json)
  const entries = arrayOf(
    objectFields(copy, 'the identities', ['identities']).get('identities'),
    'identities',
    identitiesMax,
  )
  const identities = entries.map((entry, index) => parseIdentity(entry, `identities[${index}]`))
  checkDistinct(identities)
  return identities
}

/**
 * Joins several lists.
 * @throws InvalidArgument if an argument is not a list of identities, or if identities share a `name`, an `accessKeyId`
 * or an `id`
 */
export function combineIdentities(...lists: readonly (readonly Identity[])[]): readonly Identity[] {
  const identities = lists.flatMap((list, place) => schema.checked(`lists[${place}]`, identityList, list))
  checkDistinct(identities)
  return identities
}

/** Checks one entry. Error messages name it by `place`. @throws as `parseIdentities` does */
export function parseIdentity(entry: unknown, place: string): Identity {
  const fields = objectFields(entry, place, known)
  const root = fields.get('root') ?? false
  if (typeof root !== 'boolean') throw invalid(`${place}.root`, 'must be true or false')
  if (root && fields.has('policy')) throw invalid(`${place}.policy`, 'cannot be set: root may do everything')
  return identityOf({
    name: required(fields, 'name', place),
    accessKeyId: required(fields, 'accessKeyId', place),
    secretAccessKey: required(fields, 'secretAccessKey', place),
    id: checkId(optional(fields, 'id', place), place),
    displayName: optional(fields, 'displayName', place),
    email: optional(fields, 'email', place),
    root,
    policy: fields.has('policy') ? parseIdentityPolicy(fields.get('policy'), `${place}.policy`) : undefined,
  })
}

/** @throws InvalidArgument for the id of anonymous requesters */
function checkId(id: string | undefined, place: string): string | undefined {
  if (id === anonymous.id) throw invalid(`${place}.id`, 'cannot be that of nobody')
  return id
}

function required(fields: JsonObject, name: keyof typeof rules, place: string): string {
  const value = optional(fields, name, place)
  if (value === undefined) throw invalid(`${place}.${name}`, 'is missing')
  return value
}

function optional(fields: JsonObject, name: keyof typeof rules, place: string): string | undefined {
  if (!fields.has(name)) return undefined
  const value = fields.get(name)
  const { min, max, shape, rule }: TextRule = rules[name]
  if (typeof value !== 'string') throw invalid(`${place}.${name}`, 'must be a string')
  if (value.length < min || value.length > max || !shape.test(value)) throw invalid(`${place}.${name}`, rule)
  return value
}

function checkDistinct(identities: readonly Identity[]): void {
  for (const field of ['name', 'accessKeyId', 'id'] as const) {
    const first = new Map<string, number>()
    for (const [index, identity] of identities.entries()) {
      const earlier = first.get(identity[field])
      if (earlier !== undefined) throw invalid(`identities[${index}].${field}`, `is that of identities[${earlier}] too`)
      first.set(identity[field], index)
    }
  }
}
