/**
 * The names of a caller. STS shows them, and policies match them: one table, so that a policy that names what STS shows has
 * its effect. Every identity is an account of its own.
 */

import { anonymous } from './anonymous.ts'

/** Who a policy is asked about. */
export interface Caller {
  readonly id: string
  readonly name: string
  readonly root?: boolean
  /** Present for temporary credentials. Without a role, they have the names of their identity. */
  readonly session?:
    | {
        readonly role: { readonly name: string } | undefined
        readonly sessionName?: string
        /** Milliseconds since the epoch. */
        readonly issuedAt?: number
      }
    | undefined
}

export interface CallerNames {
  /** What `GetCallerIdentity` shows. */
  readonly arn: string
  /** `aws:PrincipalArn`: for a role, its own ARN and that of the session. */
  readonly arns: readonly string[]
  /** `aws:userid` */
  readonly userId: string
  /** `aws:PrincipalType` */
  readonly type: (typeof principalTypes)[number]
  /** `aws:username`: only users have one. */
  readonly userName?: string
  /** The name of the role and of the session. */
  readonly assumed?: { readonly role: string; readonly session: string }
}

/** The values that `aws:PrincipalType` can have here. */
export const principalTypes = ['Account', 'User', 'AssumedRole', 'Anonymous'] as const

export function namesOf({ id, name, root = false, session }: Caller): CallerNames {
  if (session?.role !== undefined) {
    const assumed = { role: session.role.name, session: session.sessionName ?? '' }
    const arn = `arn:aws:sts::${id}:assumed-role/${assumed.role}/${assumed.session}`
    const arns = [`arn:aws:iam::${id}:role/${assumed.role}`, arn]
    return { arn, arns, userId: `${id}:${assumed.session}`, type: 'AssumedRole', assumed }
  }
  const arn = root ? `arn:aws:iam::${id}:root` : `arn:aws:iam::${id}:user/${name}`
  const common = { arn, arns: [arn], userId: id }
  return root ? { ...common, type: 'Account' } : { ...common, type: 'User', userName: name }
}

export const anonymousNames = { userId: anonymous.id, type: 'Anonymous' } as const
