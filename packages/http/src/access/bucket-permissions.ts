/** The permissions of operations on buckets. */

import type { S3Action } from '../policies/actions.ts'
import { aclHeaderNames, onBucket, type PermissionRule } from '../policies/permission-rule.ts'

const listing = (action: S3Action, query: PermissionRule['query']): readonly PermissionRule[] => [
  { action, resource: 'bucket', ...(query && { query }) },
]
const keysQuery = { prefix: 's3:prefix', delimiter: 's3:delimiter', 'max-keys': 's3:max-keys' }
const uploadsQuery = { prefix: 's3:prefix', delimiter: 's3:delimiter' }

export const bucketPermissions = {
  CreateBucket: [
    { action: 's3:CreateBucket', resource: 'bucket', body: ['s3:locationconstraint'] },
    { action: 's3:PutBucketAcl', resource: 'bucket', when: { headers: aclHeaderNames, except: ['private'] } },
    { action: 's3:PutBucketOwnershipControls', resource: 'bucket', when: { headers: ['x-amz-object-ownership'] } },
    {
      action: 's3:PutBucketObjectLockConfiguration',
      resource: 'bucket',
      when: { headers: ['x-amz-bucket-object-lock-enabled'], only: ['true'] },
    },
    {
      action: 's3:PutBucketVersioning',
      resource: 'bucket',
      when: { headers: ['x-amz-bucket-object-lock-enabled'], only: ['true'] },
    },
    { action: 's3:TagResource', resource: 'bucket', when: { element: 'Tags' } },
    { action: 'varve:ForkBucket', resource: 'source of the fork', when: { headers: ['x-varve-fork-source'] } },
  ],
  DeleteBucket: onBucket('s3:DeleteBucket'),
  HeadBucket: onBucket('s3:ListBucket'),
  ListObjects: listing('s3:ListBucket', keysQuery),
  ListObjectsV2: listing('s3:ListBucket', keysQuery),
  ListObjectVersions: listing('s3:ListBucketVersions', keysQuery),
  ListMultipartUploads: listing('s3:ListBucketMultipartUploads', uploadsQuery),
  GetBucketLocation: onBucket('s3:GetBucketLocation'),
  GetBucketVersioning: onBucket('s3:GetBucketVersioning'),
  PutBucketVersioning: onBucket('s3:PutBucketVersioning'),
  GetBucketAcl: onBucket('s3:GetBucketAcl'),
  PutBucketAcl: onBucket('s3:PutBucketAcl'),
  GetBucketPolicy: onBucket('s3:GetBucketPolicy'),
  PutBucketPolicy: onBucket('s3:PutBucketPolicy'),
  DeleteBucketPolicy: onBucket('s3:DeleteBucketPolicy'),
  GetBucketPolicyStatus: onBucket('s3:GetBucketPolicyStatus'),
  GetBucketOwnershipControls: onBucket('s3:GetBucketOwnershipControls'),
  PutBucketOwnershipControls: onBucket('s3:PutBucketOwnershipControls'),
  DeleteBucketOwnershipControls: onBucket('s3:PutBucketOwnershipControls'),
  GetPublicAccessBlock: onBucket('s3:GetBucketPublicAccessBlock'),
  PutPublicAccessBlock: onBucket('s3:PutBucketPublicAccessBlock'),
  DeletePublicAccessBlock: onBucket('s3:PutBucketPublicAccessBlock'),
  GetBucketAccelerateConfiguration: onBucket('s3:GetAccelerateConfiguration'),
  PutBucketAccelerateConfiguration: onBucket('s3:PutAccelerateConfiguration'),
  GetBucketCors: onBucket('s3:GetBucketCORS'),
  PutBucketCors: onBucket('s3:PutBucketCORS'),
  DeleteBucketCors: onBucket('s3:PutBucketCORS'),
  GetBucketEncryption: onBucket('s3:GetEncryptionConfiguration'),
  PutBucketEncryption: onBucket('s3:PutEncryptionConfiguration'),
  DeleteBucketEncryption: onBucket('s3:PutEncryptionConfiguration'),
  GetBucketLifecycleConfiguration: onBucket('s3:GetLifecycleConfiguration'),
  PutBucketLifecycleConfiguration: onBucket('s3:PutLifecycleConfiguration'),
  DeleteBucketLifecycle: onBucket('s3:PutLifecycleConfiguration'),
  GetBucketLogging: onBucket('s3:GetBucketLogging'),
  PutBucketLogging: onBucket('s3:PutBucketLogging'),
  GetBucketNotificationConfiguration: onBucket('s3:GetBucketNotification'),
  PutBucketNotificationConfiguration: onBucket('s3:PutBucketNotification'),
  GetObjectLockConfiguration: onBucket('s3:GetBucketObjectLockConfiguration'),
  PutObjectLockConfiguration: onBucket('s3:PutBucketObjectLockConfiguration'),
  GetBucketRequestPayment: onBucket('s3:GetBucketRequestPayment'),
  PutBucketRequestPayment: onBucket('s3:PutBucketRequestPayment'),
  GetBucketTagging: onBucket('s3:GetBucketTagging'),
  PutBucketTagging: onBucket('s3:PutBucketTagging'),
  DeleteBucketTagging: onBucket('s3:PutBucketTagging'),
  GetBucketWebsite: onBucket('s3:GetBucketWebsite'),
  PutBucketWebsite: onBucket('s3:PutBucketWebsite'),
  DeleteBucketWebsite: onBucket('s3:DeleteBucketWebsite'),
} as const satisfies Readonly<Record<string, readonly PermissionRule[]>>
