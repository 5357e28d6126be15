/** The principals that a statement of a bucket's policy is about. */

import { type Caller, namesOf } from './caller.ts'
import { arrayOf, invalid, objectFields, strings } from './json-fields.ts'

/** Patterns for requesters. At least one must match, or with `except` none. */
export interface Principals {
  readonly except: boolean
  readonly patterns: readonly PrincipalPattern[]
}

export type PrincipalPattern =
  /** All requesters, with or without credentials. */
  | { readonly kind: 'everyone' }
  /** Every identity is an account of its own, so an account is one id. */
  | { readonly kind: 'account'; readonly id: string }
  /** An identity by name. Without an account: any identity of that name. */
  | { readonly kind: 'user'; readonly account?: string; readonly name: string }
  /** The sessions of a role, or the one with a name. Without an account: of any role of that name. */
  | { readonly kind: 'role'; readonly account?: string; readonly name: string; readonly session?: string }
  /** A service, by name. No identity of this server matches: only what the server does by itself. */
  | { readonly kind: 'service'; readonly name: string }
  /** A federated user. No identity of this server matches. */
  | { readonly kind: 'stranger' }
  /** An ARN or the name of a service that no caller can have. Older releases accepted it. */
  | { readonly kind: 'impossible' }

/** Who a policy is asked about. */
export interface Requester extends Caller {
  /** True for a service of S3, which is no identity. */
  readonly isService?: boolean
}

const principalsMax = 1000
const kinds = ['AWS', 'CanonicalUser', 'Federated', 'Service'] as const
const arn = /^arn:aws:(iam|sts)::([^:*?]*):([^*?]+)$/
/** The name of a service, which is a host of AWS; no pattern. */
const service = /^[a-z0-9-]+(?:\.[a-z0-9-]+)*\.amazonaws\.com(?:\.cn)?$/
/** The characters of identity ids; no pattern. */
const id = /^[\w.@+$-]{1,128}$/

/** @throws InvalidArgument for impossible principals, a pattern that is not `*` alone, and unknown kinds */
export function parsePrincipals(json: unknown, place: string, except: boolean): Principals {
  if (json === '*') return { except, patterns: [{ kind: 'everyone' }] }
  const fields = objectFields(json, place, kinds)
  if (fields.size === 0) throw invalid(place, 'names nobody')
  const patterns = [...fields].flatMap(([kind, value]) =>
    arrayOf(strings(value, place, principalsMax), place, principalsMax).map((text) => {
      const pattern = patternOf(kind as (typeof kinds)[number], String(text))
      if (pattern === undefined) throw invalid(place, 'names what can be nobody')
      return pattern
    }),
  )
  return { except, patterns }
}

function patternOf(kind: (typeof kinds)[number], text: string): PrincipalPattern | undefined {
  switch (kind) {
    case 'AWS':
      return awsPattern(text)
    case 'CanonicalUser':
      return id.test(text) ? { kind: 'account', id: text } : undefined
    case 'Federated':
      return text === '' ? undefined : { kind: 'stranger' }
    case 'Service':
      if (text === '') return undefined
      return service.test(text) ? { kind: 'service', name: text } : { kind: 'impossible' }
  }
}

function awsPattern(text: string): PrincipalPattern | undefined {
  if (text === '*') return { kind: 'everyone' }
  if (id.test(text)) return { kind: 'account', id: text }
  const [, issuer, account = '', resource = ''] = arn.exec(text) ?? []
  if (issuer === undefined) return undefined
  return issuer === 'sts' ? stsPattern(account, resource) : iamPattern(account, resource)
}

/** The name of a session has no slash, that of a role can have one. */
const assumedRole = /^assumed-role\/(.+)\/([^/]+)$/

function stsPattern(account: string, resource: string): PrincipalPattern | undefined {
  const [, name, session] = assumedRole.exec(resource) ?? []
  if (name !== undefined && session !== undefined) {
    return { kind: 'role', name, session, ...(account !== '' && { account }) }
  }
  return { kind: resource.startsWith('federated-user/') ? 'stranger' : 'impossible' }
}

function iamPattern(account: string, resource: string): PrincipalPattern | undefined {
  if (resource === 'root') return account === '' ? undefined : { kind: 'account', id: account }
  const kind = (['user', 'role'] as const).find((one) => resource.startsWith(`${one}/`))
  if (resource.endsWith('/') && kind === 'role') return { kind: 'impossible' }
  if (kind === undefined || resource.endsWith('/')) return undefined
  return { kind, name: resource.slice(kind.length + 1), ...(account !== '' && { account }) }
}

/** Whether the principals include the requester. Only `everyone` includes an anonymous requester. */
export function isAbout({ except, patterns }: Principals, requester: Requester | undefined): boolean {
  return patterns.some((pattern) => is(pattern, requester)) !== except
}

function is(pattern: PrincipalPattern, requester: Requester | undefined): boolean {
  if (pattern.kind === 'everyone') return true
  if (requester === undefined) return false
  if (pattern.kind === 'service' || requester.isService === true)
    return pattern.kind === 'service' && requester.isService === true && pattern.name === requester.name
  if (pattern.kind === 'account') return pattern.id === requester.id
  if (pattern.kind === 'stranger' || pattern.kind === 'impossible') return false
  return isNamed(pattern, requester)
}

function isNamed(pattern: PrincipalPattern & { readonly kind: 'user' | 'role' }, requester: Requester): boolean {
  if (pattern.account !== undefined && pattern.account !== requester.id) return false
  const { assumed } = namesOf(requester)
  if (pattern.kind === 'user') return assumed === undefined && isNameIn(pattern.name, requester.name)
  if (assumed === undefined || !isNameIn(pattern.name, assumed.role)) return false
  return pattern.session === undefined || pattern.session === assumed.session
}

/** A path before the name does not identify anything. A name can have slashes itself. */
const isNameIn = (text: string, name: string): boolean => text === name || text.endsWith(`/${name}`)
