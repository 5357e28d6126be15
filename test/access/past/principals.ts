/** The principals that try the access paths, their policies, and what these give them. */
import { createHash } from 'node:crypto'
import { type VarveAction, varveActions } from '#http/policies/actions'
import type { Statement } from '../../acceptance/support/test-server.ts'
import type { AccessPath } from './access-path.ts'

const allow = (...Action: readonly string[]): Statement => ({ Effect: 'Allow', Action, Resource: '*' })
const deny = (Resource: Statement['Resource'], more: object = {}): Statement => ({
  Effect: 'Deny',
  Action: 'varve:*',
  Resource,
  ...more,
})
const everyAction: readonly VarveAction[] = varveActions
const ofPhotos = ['arn:aws:s3:::photos', 'arn:aws:s3:::photos/*']
const everything = allow('s3:*', 'varve:*')
const afar = { Condition: { IpAddress: { 'aws:SourceIp': '10.0.0.0/8' } } }

const only = (action: VarveAction): string => `only-${action.replace('varve:', '').toLowerCase()}`

/** The policies of identities. Those without one own what they make, and ann owns the buckets. */
export const policies: Readonly<Record<string, readonly Statement[]>> = {
  s3: [allow('s3:*')],
  star: [allow('*')],
  except: [{ Effect: 'Allow', NotAction: 's3:DeleteBucket', Resource: '*' } as unknown as Statement],
  ...Object.fromEntries(everyAction.map((action) => [only(action), [allow('s3:*', action)]])),
  'past-and-forks': [allow('s3:*', 'varve:ReadHistory', 'varve:ForkBucket')],
  'without-s3': [allow('varve:*')],
  'of-photos': [allow('s3:*'), { ...allow('varve:*'), Resource: ofPhotos }],
  'denied-all': [everything, deny('*')],
  'denied-photos': [everything, deny(ofPhotos)],
  'denied-others': [everything, deny('arn:aws:s3:::others')],
  'denied-afar': [everything, deny('*', afar)],
}

const idOf = (name: string): string => createHash('sha256').update(name).digest('hex')

/** The buckets, and what their policies of today say. */
export const buckets = {
  photos: [],
  shared: [{ Principal: { AWS: idOf('bob') }, Action: ['s3:*', '*'] }],
  lent: [{ Principal: { AWS: idOf('bob') }, Action: ['s3:*', 'varve:*'] }],
  sealed: [{ Effect: 'Deny', Action: '*' }],
  public: [{ Action: ['s3:*', '*'] }],
  published: [{ Action: ['s3:*', 'varve:ReadHistory'] }],
} as const satisfies Readonly<Record<string, readonly object[]>>

export interface Principal {
  readonly as: string
  readonly bucket: keyof typeof buckets
  /** Has the rights of S3 on the bucket. */
  readonly hasS3?: boolean
  /** The rights of Varve on the bucket, by ownership or by any policy. */
  readonly ofBucket?: readonly VarveAction[]
  /** Those that the policy of the identity gives on the bucket. */
  readonly own?: readonly VarveAction[]
  /** Those that it gives on the whole store. */
  readonly ofStore?: readonly VarveAction[]
  readonly isRoot?: boolean
}

const stranger = (as: string, bucket: Principal['bucket'] = 'photos'): Principal => ({ as, bucket })
const withS3 = (as: string, more: Partial<Principal> = {}): Principal => ({
  as,
  bucket: 'photos',
  hasS3: true,
  ...more,
})
const holding = (as: string, ...actions: readonly VarveAction[]): Principal =>
  withS3(as, { ofBucket: actions, own: actions, ofStore: actions })
const allOfVarve = { ofBucket: everyAction, own: everyAction, ofStore: everyAction }

/** The columns of the table. */
export const principals: readonly Principal[] = [
  stranger('nobody'),
  stranger('bob'),
  stranger('bob', 'shared'),
  withS3('bob', { bucket: 'lent', ofBucket: everyAction }),
  withS3('ann', { ofBucket: everyAction }),
  withS3('root', { ...allOfVarve, isRoot: true }),
  ...['s3', 'star', 'except', 'denied-all', 'denied-photos'].map((as) => withS3(as)),
  ...everyAction.map((action) => holding(only(action), action)),
  holding('past-and-forks', 'varve:ReadHistory', 'varve:ForkBucket'),
  { as: 'without-s3', bucket: 'photos', ...allOfVarve },
  withS3('of-photos', { ofBucket: everyAction, own: everyAction }),
  withS3('denied-others', { ofBucket: everyAction, own: everyAction }),
  holding('denied-afar', ...everyAction),
  stranger('ann', 'sealed'),
  { ...stranger('root', 'sealed'), ofStore: everyAction, isRoot: true },
  { ...stranger(only('varve:ReadHistory'), 'sealed'), ofStore: ['varve:ReadHistory'] },
  stranger('nobody', 'public'),
  stranger('bob', 'public'),
  withS3('nobody', { bucket: 'published', ofBucket: ['varve:ReadHistory'] }),
  withS3('bob', { bucket: 'published', ofBucket: ['varve:ReadHistory'] }),
]

/** Whether the principal is allowed the access path. */
export function allows({ need, isSigned = false }: AccessPath, principal: Principal): boolean {
  const { as, hasS3 = false, isRoot = false, ofBucket = [], own = [], ofStore = [] } = principal
  if (isSigned && as === 'nobody') return false
  switch (need.by) {
    case 's3':
      return hasS3 && need.rights.every((right) => ofBucket.includes(right))
    case 'bucket':
      return need.rights.every((right) => own.includes(right))
    case 'store':
      return isRoot || need.rights.every((right) => ofStore.includes(right))
    case 'root':
      return isRoot
    case 'never':
      return false
  }
}
