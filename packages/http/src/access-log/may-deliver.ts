/** Decides whether the log delivery of S3 may write to a bucket: by the policy of the bucket, or by its ACL. */
import type { BucketAccess } from '../access/decide-access.ts'
import { evaluatePolicy } from '../policies/evaluate.ts'

/** The principal of log delivery. */
export const logService = { id: 'logging.s3.amazonaws.com', name: 'logging.s3.amazonaws.com', isService: true } as const

export interface Delivered {
  readonly bucket: string
  readonly key: string
  readonly source: { readonly bucket: string; readonly owner: string }
}

export function mayDeliver({ policy, acl, ownership }: BucketAccess, { bucket, key, source }: Delivered): boolean {
  const values: Readonly<Record<string, string>> = {
    'aws:sourcearn': `arn:aws:s3:::${source.bucket}`,
    'aws:sourceaccount': source.owner,
    'aws:principalservicename': logService.name,
    'aws:principalisawsservice': 'true',
    'aws:securetransport': 'true',
  }
  const keys = (name: string): readonly string[] | undefined => {
    const value = values[name]
    return value === undefined ? undefined : [value]
  }
  const question = { action: 's3:PutObject', resource: { bucket, key }, identity: logService, keys } as const
  const verdict = policy === undefined ? 'implicit-deny' : evaluatePolicy(policy, question)
  if (verdict !== 'implicit-deny') return verdict === 'allow'
  if (ownership === 'BucketOwnerEnforced') return false
  return (acl?.grants ?? []).some(
    ({ grantee, permission }) =>
      'group' in grantee &&
      grantee.group === 'LogDelivery' &&
      (permission === 'WRITE' || permission === 'FULL_CONTROL'),
  )
}
