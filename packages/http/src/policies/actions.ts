/** Every action of S3 that this server checks, by its IAM name. A policy may name more: see `policy.ts`. */
export const s3Actions = [
  's3:AbortMultipartUpload',
  's3:BypassGovernanceRetention',
  's3:CreateBucket',
  's3:DeleteBucket',
  's3:DeleteBucketPolicy',
  's3:DeleteBucketWebsite',
  's3:DeleteObject',
  's3:DeleteObjectTagging',
  's3:DeleteObjectVersion',
  's3:DeleteObjectVersionTagging',
  's3:GetAccelerateConfiguration',
  's3:GetBucketAcl',
  's3:GetBucketCORS',
  's3:GetBucketLocation',
  's3:GetBucketLogging',
  's3:GetBucketNotification',
  's3:GetBucketObjectLockConfiguration',
  's3:GetBucketOwnershipControls',
  's3:GetBucketPolicy',
  's3:GetBucketPolicyStatus',
  's3:GetBucketPublicAccessBlock',
  's3:GetBucketRequestPayment',
  's3:GetBucketTagging',
  's3:GetBucketVersioning',
  's3:GetBucketWebsite',
  's3:GetEncryptionConfiguration',
  's3:GetLifecycleConfiguration',
  's3:GetObject',
  's3:GetObjectAcl',
  's3:GetObjectAttributes',
  's3:GetObjectLegalHold',
  's3:GetObjectRetention',
  's3:GetObjectTagging',
  's3:GetObjectTorrent',
  's3:GetObjectVersion',
  's3:GetObjectVersionAcl',
  's3:GetObjectVersionAttributes',
  's3:GetObjectVersionTagging',
  's3:GetReplicationConfiguration',
  's3:ListAllMyBuckets',
  's3:ListBucket',
  's3:ListBucketMultipartUploads',
  's3:ListBucketVersions',
  's3:ListMultipartUploadParts',
  's3:PutAccelerateConfiguration',
  's3:PutBucketAcl',
  's3:PutBucketCORS',
  's3:PutBucketLogging',
  's3:PutBucketNotification',
  's3:PutBucketObjectLockConfiguration',
  's3:PutBucketOwnershipControls',
  's3:PutBucketPolicy',
  's3:PutBucketPublicAccessBlock',
  's3:PutBucketRequestPayment',
  's3:PutBucketTagging',
  's3:PutBucketVersioning',
  's3:PutBucketWebsite',
  's3:PutEncryptionConfiguration',
  's3:PutLifecycleConfiguration',
  's3:PutObject',
  's3:PutObjectAcl',
  's3:PutObjectLegalHold',
  's3:PutObjectRetention',
  's3:PutObjectTagging',
  's3:PutObjectVersionAcl',
  's3:PutObjectVersionTagging',
  's3:TagResource',
] as const

/** An action that a policy can name and this server knows. */
export type S3Action = (typeof s3Actions)[number]

/**
 * Actions of Varve's own. A policy allows them only where it names them (`varve:ReadHistory`, `varve:*`): never by `*`,
 * and never by `NotAction`, so that a policy from before they existed allows none of them. It denies them like others.
 */
export const varveActions = [
  'varve:CreateSnapshot',
  'varve:DeleteSnapshot',
  'varve:DropFork',
  'varve:Erase',
  'varve:ForkBucket',
  'varve:ListSnapshots',
  'varve:ListTasks',
  'varve:MergeFork',
  'varve:ReadHistory',
  'varve:ReadLog',
  'varve:ReadStatus',
  'varve:Restore',
  'varve:StopTask',
  'varve:Subscribe',
  'varve:Undo',
  'varve:Verify',
] as const

/** An action of Varve's own. */
export type VarveAction = (typeof varveActions)[number]

/** An action of S3, or of Varve's own. */
export type PolicyAction = S3Action | VarveAction

export const policyActions: readonly PolicyAction[] = [...s3Actions, ...varveActions]
