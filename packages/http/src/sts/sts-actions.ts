/** The operations of STS: temporary credentials for an identity, or for a role that it may assume. */

import { randomInt } from 'node:crypto'
import type { Identity } from '../access/identity.ts'
import type { IdentityDirectory } from '../credentials/identity-directory.ts'
import type { Role } from '../access/role.ts'
import { accessDenied } from '../errors/errors.ts'
import { namesOf } from '../policies/caller.ts'
import { parseIdentityPolicy } from '../policies/effective-statements.ts'
import { isTrusted } from '../policies/trust-policy.ts'
import { element, optionalElement, type Xml } from '../xml/write.ts'
import type { Session } from '../credentials/session-token.ts'
import { StsError } from './sts-error.ts'
import { parseJson } from '../json/parse-json.ts'

/** What an operation of STS gets: who requests it, and the parameters of its form. */
export interface StsCall {
  readonly identity: Identity
  readonly directory: IdentityDirectory
  readonly parameters: ReadonlyMap<string, string>
  readonly now: number
}

interface StsAction {
  /** Other parameters are refused: what is not understood could have been a limit. */
  readonly parameters: readonly string[]
  run(call: StsCall): readonly Xml[]
}

interface Durations {
  readonly min: number
  readonly max: number
  readonly usual: number
}

/** In seconds, as in AWS. */
const roleDurations: Durations = { min: 900, max: 12 * 3600, usual: 3600 }
const userDurations: Durations = { min: 900, max: 36 * 3600, usual: 12 * 3600 }
/** Characters of a session policy, as in AWS. */
const policyMax = 2048
const sessionName = /^[\w+=,.@-]{2,64}$/
const roleArn = /^arn:aws:iam::([\w.@+$-]{0,128}):role\/(.{1,128})$/

export const stsActions: Readonly<Record<string, StsAction>> = {
  GetCallerIdentity: { parameters: [], run: ({ identity }) => callerIdentity(identity) },
  GetSessionToken: { parameters: ['DurationSeconds'], run: getSessionToken },
  AssumeRole: { parameters: ['RoleArn', 'RoleSessionName', 'DurationSeconds', 'Policy'], run: assumeRole },
}

function callerIdentity(identity: Identity): readonly Xml[] {
  const { arn, userId } = namesOf(identity)
  return [element('Arn', arn), element('UserId', userId), element('Account', identity.id)]
}

function getSessionToken(call: StsCall): readonly Xml[] {
  assertLasting(call.identity)
  return [credentialsElement(call, { expiresAt: expiryOf(call, userDurations) })]
}

/** @throws S3Error `AccessDenied` also for a role that does not exist, as in AWS */
function assumeRole(call: StsCall): readonly Xml[] {
  const { identity, parameters } = call
  assertLasting(identity)
  const name = needed(parameters, 'RoleSessionName')
  if (!sessionName.test(name)) throw invalid('RoleSessionName', 'must be 2 to 64 letters, digits or _+=,.@-')
  const role = roleOf(call)
  if (role === undefined || !isTrusted(role.trust, identity)) throw accessDenied()
  const policy = sessionPolicy(parameters)
  const limits = { ...(policy !== undefined && { policy }), role: { id: role.id, sessionName: name } }
  const { arn, userId } = namesOf({ ...role, session: { role, sessionName: name } })
  return [
    credentialsElement(call, { expiresAt: expiryOf(call, roleDurations), ...limits }),
    element('AssumedRoleUser', [element('AssumedRoleId', userId), element('Arn', arn)]),
    optionalElement('PackedPolicySize', policy && Math.ceil((policy.length * 100) / policyMax)),
  ]
}

/** Temporary credentials give no others: they would outlive their own end. */
function assertLasting({ session }: Identity): void {
  if (session !== undefined) throw accessDenied()
}

function roleOf({ parameters, directory }: StsCall): Role | undefined {
  const [, account = '', name = ''] = roleArn.exec(needed(parameters, 'RoleArn')) ?? []
  if (name === '') throw invalid('RoleArn', 'must be arn:aws:iam::ID:role/NAME')
  const role = directory.roleNamed(name)
  return account === '' || role?.id === account ? role : undefined
}

function sessionPolicy(parameters: ReadonlyMap<string, string>): string | undefined {
  const text = parameters.get('Policy')
  if (text === undefined) return undefined
  if (text.length > policyMax) throw invalid('Policy', `must have at most ${policyMax} characters`)
  try {
    parseIdentityPolicy(parseJson(text), 'Policy')
    return text
  } catch (error) {
    const reason = error instanceof SyntaxError ? 'Policy is not JSON.' : error instanceof Error ? error.message : ''
    throw new StsError('MalformedPolicyDocument', reason)
  }
}

const wholeNumber = /^\d{1,9}$/

function expiryOf({ parameters, now }: StsCall, { min, max, usual }: Durations): number {
  const text = parameters.get('DurationSeconds') ?? String(usual)
  const seconds = wholeNumber.test(text) ? Number(text) : 0
  if (seconds < min || seconds > max) throw invalid('DurationSeconds', `must be a number from ${min} to ${max}`)
  // STS shows whole seconds.
  return Math.floor(now / 1000) * 1000 + seconds * 1000
}

function credentialsElement(call: StsCall, facts: Pick<Session, 'expiresAt' | 'role' | 'policy'>): Xml {
  const { identity, directory, now } = call
  const session: Session = {
    accessKeyId: `ASIA${randomText(16, upperAlphanumeric)}`,
    secretAccessKey: randomText(40, alphanumeric),
    parentKeyId: identity.accessKeyId,
    parentId: identity.id,
    issuedAt: now,
    ...facts,
  }
  return element('Credentials', [
    element('AccessKeyId', session.accessKeyId),
    element('SecretAccessKey', session.secretAccessKey),
    element('SessionToken', directory.seal(session)),
    element('Expiration', new Date(session.expiresAt).toISOString().replace('.000Z', 'Z')),
  ])
}

function needed(parameters: ReadonlyMap<string, string>, name: string): string {
  const value = parameters.get(name)
  if (value === undefined || value === '') throw invalid(name, 'is missing')
  return value
}

const invalid = (name: string, rule: string): StsError => new StsError('ValidationError', `${name} ${rule}.`)

const upperAlphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
const alphanumeric = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

const randomText = (length: number, alphabet: string): string =>
  Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('')
