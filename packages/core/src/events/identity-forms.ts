/** The binary form of what the log says of identities: disk format. */
import { count, text } from '../codec/scalars.ts'
import { type FormOf, optional } from '../codec/structures.ts'
import type {
  AccessKeyAdded,
  IdentityCreated,
  IdentityPolicySet,
  IdentityQuotaSet,
  IdentityRemoved,
} from './identity-events.ts'

export const identityCreated: FormOf<IdentityCreated> = {
  id: text,
  name: text,
  displayName: optional(text),
  email: optional(text),
  policy: optional(text),
  trust: optional(text),
}
export const identityPolicySet: FormOf<IdentityPolicySet> = {
  id: text,
  policy: optional(text),
  trust: optional(text),
}
export const identityQuotaSet: FormOf<IdentityQuotaSet> = {
  id: text,
  bytes: optional(count),
  buckets: optional(count),
}
export const identityRemoved: FormOf<IdentityRemoved> = { id: text }
export const accessKey: FormOf<AccessKeyAdded> = { identity: text, accessKeyId: text }
