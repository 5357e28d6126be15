/** The policy of a bucket, parsed from the document of a client. An invalid one is refused with S3's messages. */

import { isStorageError } from '@varve/core'
import { parseJson } from '../json/parse-json.ts'
import { S3Error } from '../errors/errors.ts'
import { parsePolicy, type Policy } from './policy.ts'
import type { PolicyText } from './policy-text.ts'
import { matchesWildcard } from './wildcard.ts'

/** The size limit of S3, in bytes of UTF-8. */
export const bucketPolicyBytesMax = 20 * 1024

const required = ['Effect', 'Principal', 'Action', 'Resource'] as const
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of a policy that was sent. @throws S3Error `MalformedPolicy` for what is not UTF-8 */
export function policyText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch (cause) {
    throw malformed(notJson, cause)
  }
}

const notJson = "Policies must be valid JSON and the first byte must be '{'"

/** @throws S3Error `MalformedPolicy` for an invalid policy, or one that names other buckets */
export function parseBucketPolicy(text: string, bucket: string): Policy {
  const json = parseObject(text)
  const statements = json['Statement']
  if (statements === undefined) throw malformed('Missing required field Statement')
  for (const statement of Array.isArray(statements) ? statements : [statements]) checkFields(statement)
  const policy = parsed(json)
  for (const { resources } of policy.statements) {
    if (!resources.patterns.every((pattern) => isWithin(pattern, bucket)))
      throw malformed('Policy has invalid resource')
  }
  return policy
}

function parseObject(text: string): Readonly<Record<string, unknown>> {
  if (!text.startsWith('{')) throw malformed(notJson)
  try {
    return parseJson(text) as Readonly<Record<string, unknown>>
  } catch (cause) {
    throw malformed(notJson, cause)
  }
}

function checkFields(statement: unknown): void {
  if (typeof statement !== 'object' || statement === null) throw malformed('Invalid policy syntax.')
  for (const name of required) {
    if (!(name in statement) && !(name !== 'Effect' && `Not${name}` in statement)) {
      throw malformed(`Missing required field ${name}`)
    }
  }
}

/** A pattern for the place in the parser's error, and S3's message for it. */
const sayings = [
  [/\.(?:Not)?Principal\b/, 'Invalid principal in policy'],
  [/\.(?:Not)?Action\b/, 'Policy has invalid action'],
  [/\.(?:Not)?Resource\b/, 'Policy has invalid resource'],
  [/\.Version$/, 'The policy must contain a valid version string'],
] as const

function parsed(json: unknown): Policy {
  try {
    return parsePolicy(json, 'Policy', 'bucket')
  } catch (error) {
    if (!isStorageError(error, 'InvalidArgument')) throw error
    const place = String(error.details['place'] ?? '')
    throw malformed(sayings.find(([at]) => at.test(place))?.[1] ?? error.message, error)
  }
}

/** Whether the pattern can match the bucket or something in it. */
function isWithin(pattern: PolicyText, bucket: string): boolean {
  const first = typeof pattern === 'string' ? pattern : (pattern[0] as { readonly text?: string }).text
  const [name = ''] = (first ?? '*').split('/', 1)
  const whole = typeof pattern === 'string' || (first ?? '').includes('/')
  if (whole && matchesWildcard(name, bucket)) return true
  const star = name.indexOf('*')
  const fixed = star === -1 ? name : name.slice(0, star)
  return (star !== -1 || !whole) && bucket.startsWith(fixed)
}

function malformed(message: string, cause?: unknown): S3Error {
  return new S3Error('MalformedPolicy', message, { cause })
}
