/**
 * Every action that AWS documents for S3, whether this server checks it or not: the policy of a bucket may name these and
 * no others but Varve's own. Source: the service authorization reference of AWS, "Actions, resources, and condition keys for Amazon S3".
 */

import { policyActions } from './actions.ts'
import { compileWildcard } from './wildcard.ts'

const names = `
  AbortMultipartUpload AssociateAccessGrantsIdentityCenter BypassGovernanceRetention CreateAccessGrant
  CreateAccessGrantsInstance CreateAccessGrantsLocation CreateAccessPoint CreateAccessPointForObjectLambda
  CreateBucket CreateBucketMetadataTableConfiguration CreateJob CreateMultiRegionAccessPoint CreateStorageLensGroup
  DeleteAccessGrant DeleteAccessGrantsInstance DeleteAccessGrantsInstanceResourcePolicy DeleteAccessGrantsLocation
  DeleteAccessPoint DeleteAccessPointForObjectLambda DeleteAccessPointPolicy DeleteAccessPointPolicyForObjectLambda
  DeleteBucket DeleteBucketMetadataTableConfiguration DeleteBucketPolicy DeleteBucketWebsite DeleteJobTagging
  DeleteMultiRegionAccessPoint DeleteObject DeleteObjectTagging DeleteObjectVersion DeleteObjectVersionTagging
  DeleteStorageLensConfiguration DeleteStorageLensConfigurationTagging DeleteStorageLensGroup DescribeJob
  DescribeMultiRegionAccessPointOperation DissociateAccessGrantsIdentityCenter GetAccelerateConfiguration
  GetAccessGrant GetAccessGrantsInstance GetAccessGrantsInstanceForPrefix GetAccessGrantsInstanceResourcePolicy
  GetAccessGrantsLocation GetAccessPoint GetAccessPointConfigurationForObjectLambda GetAccessPointForObjectLambda
  GetAccessPointPolicy GetAccessPointPolicyForObjectLambda GetAccessPointPolicyStatus
  GetAccessPointPolicyStatusForObjectLambda GetAccountPublicAccessBlock GetAnalyticsConfiguration GetBucketAbac
  GetBucketAcl GetBucketCORS GetBucketLocation GetBucketLogging GetBucketMetadataTableConfiguration
  GetBucketNotification GetBucketObjectLockConfiguration GetBucketOwnershipControls GetBucketPolicy
  GetBucketPolicyStatus GetBucketPublicAccessBlock GetBucketRequestPayment GetBucketTagging GetBucketVersioning
  GetBucketWebsite GetDataAccess GetEncryptionConfiguration GetIntelligentTieringConfiguration
  GetInventoryConfiguration GetJobTagging GetLifecycleConfiguration GetMetricsConfiguration GetMultiRegionAccessPoint
  GetMultiRegionAccessPointPolicy GetMultiRegionAccessPointPolicyStatus GetMultiRegionAccessPointRoutes GetObject
  GetObjectAcl GetObjectAttributes GetObjectLegalHold GetObjectRetention GetObjectTagging GetObjectTorrent
  GetObjectVersion GetObjectVersionAcl GetObjectVersionAttributes GetObjectVersionForReplication
  GetObjectVersionTagging GetObjectVersionTorrent GetReplicationConfiguration GetStorageLensConfiguration
  GetStorageLensConfigurationTagging GetStorageLensDashboard GetStorageLensGroup InitiateReplication ListAccessGrants
  ListAccessGrantsInstances ListAccessGrantsLocations ListAccessPoints ListAccessPointsForObjectLambda
  ListAllMyBuckets ListBucket ListBucketMultipartUploads ListBucketVersions ListCallerAccessGrants ListJobs
  ListMultiRegionAccessPoints ListMultipartUploadParts ListStorageLensConfigurations ListStorageLensGroups
  ListTagsForResource ObjectOwnerOverrideToBucketOwner PauseReplication PutAccelerateConfiguration
  PutAccessGrantsInstanceResourcePolicy PutAccessPointConfigurationForObjectLambda PutAccessPointPolicy
  PutAccessPointPolicyForObjectLambda PutAccessPointPublicAccessBlock PutAccountPublicAccessBlock
  PutAnalyticsConfiguration PutBucketAbac PutBucketAcl PutBucketCORS PutBucketLogging PutBucketNotification
  PutBucketObjectLockConfiguration PutBucketOwnershipControls PutBucketPolicy PutBucketPublicAccessBlock
  PutBucketRequestPayment PutBucketTagging PutBucketVersioning PutBucketWebsite PutEncryptionConfiguration
  PutIntelligentTieringConfiguration PutInventoryConfiguration PutJobTagging PutLifecycleConfiguration
  PutMetricsConfiguration PutMultiRegionAccessPointPolicy PutObject PutObjectAcl PutObjectLegalHold
  PutObjectRetention PutObjectTagging PutObjectVersionAcl PutObjectVersionTagging PutReplicationConfiguration
  PutStorageLensConfiguration PutStorageLensConfigurationTagging ReplicateDelete ReplicateObject ReplicateTags
  RestoreObject SubmitMultiRegionAccessPointRoutes TagResource UntagResource UpdateAccessGrantsLocation
  UpdateBucketMetadataInventoryTableConfiguration UpdateBucketMetadataJournalTableConfiguration UpdateJobPriority
  UpdateJobStatus UpdateObjectEncryption UpdateStorageLensGroup
`

const known: ReadonlySet<string> = new Set(
  [
    ...names
      .trim()
      .split(/\s+/)
      .map((name) => `s3:${name}`),
    ...policyActions,
  ].map((action) => action.toLowerCase()),
)

/** What an action is about. `none`: no resource of a bucket, such as the whole store, an account or an access point. */
export type ActionLevel = 'bucket' | 'object' | 'none'

/** Actions of Varve's own about one bucket. All others are about the whole store. */
const ofBuckets: ReadonlySet<string> = new Set([
  'varve:createsnapshot',
  'varve:deletesnapshot',
  'varve:forkbucket',
  'varve:listsnapshots',
  'varve:readcheckpoints',
  'varve:readhistory',
])

const levels: ReadonlyMap<string, ActionLevel> = new Map([...known].map((action) => [action, readLevel(action)]))

function readLevel(action: string): ActionLevel {
  if (action.startsWith('varve:')) return ofBuckets.has(action) ? 'bucket' : 'none'
  if (/accessgrant|accesspoint|account|multiregion|storagelens|jobs?\b|jobtagging|jobpriority|jobstatus/.test(action))
    return 'none'
  if (/listallmybuckets|getdataaccess/.test(action)) return 'none'
  if (/replicate|initiatereplication|objectowneroverride|bypassgovernance|multipartuploads?(?:parts)?$/.test(action))
    return action === 's3:listbucketmultipartuploads' ? 'bucket' : 'object'
  return action.includes('object') && !action.includes('bucket') ? 'object' : 'bucket'
}

/** @param action In lower case. */
export const levelOf = (action: string): ActionLevel => levels.get(action) ?? 'none'

/** The actions of S3 and of Varve that an action in lower case, or a pattern with `*` and `?`, names. */
export function namedActions(pattern: string): readonly string[] {
  if (!/[*?]/.test(pattern)) return known.has(pattern) ? [pattern] : []
  const wildcard = compileWildcard(pattern)
  return [...known].filter((action) => wildcard.matches(action))
}
