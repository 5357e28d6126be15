/**
 * The checks of the calls of a store, for packages that carry the same calls to a store of another process. They refuse
 * there what the store would refuse here, and copy the arguments at the call.
 * @module
 */
export { withBody } from '../content/body.ts'
export { reported } from '../content/reported.ts'
export { annotation } from '../settings/annotation-schemas.ts'
export { byteRetention } from '../settings/byte-retention.ts'
export { atCall } from './arguments/at-call.ts'
export {
  bucketListOptions,
  bucketSettings,
  checkSettingKind,
  createBucketOptions,
  forkOptions,
  settingValue,
  versioningStatus,
} from './arguments/bucket-options.ts'
export { actor } from './arguments/actor.ts'
export { checkBucket, checkPlace, epoch, moment, name } from './arguments/common.ts'
export {
  accessKeyId,
  identityFields,
  identityName,
  identityOptions,
  identityPolicies,
  identityQuota,
  identityQuotaFields,
  policyFields,
} from './arguments/identity-options.ts'
export { erasedUploads, eraseRequest } from './arguments/erase-options.ts'
export { filterSchema } from './arguments/event-filter-fields.ts'
export { keyspaceName } from './arguments/keyspace-options.ts'
export { prefixUsageFields, prefixUsageOptions } from './arguments/read-options.ts'
export {
  callback,
  densityFields,
  densityOptions,
  logOptions,
  logPageFields,
  logPageOptions,
  promoteOptions,
} from './arguments/log-options.ts'
export { mergeRequest } from './arguments/merge-options.ts'
export { partSize } from './arguments/parted-fields.ts'
export {
  annotationsOptions,
  attributeOptions,
  getOptions,
  headOptions,
  objectPageOptions,
  range,
} from './arguments/read-options.ts'
export {
  erasureRequests,
  eventProofFields,
  eventProofOptions,
  eventSeq,
  keyText,
  logSize,
  newLogKey,
  originText,
  proofFields,
  proofRequest,
} from './arguments/proof-options.ts'
export { restoreRequest } from './arguments/restore-options.ts'
export { subscriptionOptions } from './arguments/subscription-options.ts'
export { transactionOptions } from './arguments/transaction-options.ts'
export { undoRequest } from './arguments/undo-options.ts'
export {
  completedParts,
  completeOptions,
  completionFields,
  copyPartOptions,
  createUploadOptions,
  partCopySource,
  uploadPartOptions,
  uploadPlace,
  uploadRef,
} from './arguments/upload-options.ts'
export {
  annotateOptions,
  byteRange,
  checksumAlgorithm,
  conditionFields,
  copyOptions,
  copySource,
  creationFields,
  deleteOptions,
  deleteTargets,
  metadataFields,
  putOptions,
  receiptFields,
} from './arguments/write-options.ts'
export { withCallerFrames } from './caller-frames.ts'
export { diffOver } from './diff.ts'
export { ensureBucket } from './ensure-bucket.ts'
export { isBucketThere, isObjectThere } from './is-there.ts'
export { listing } from './listing.ts'
export { deletePrefix, emptyBucket, type RemovingStore } from './remove-many.ts'
export { changeInBucket, changeOfBucket, ofBucket, plannedRetention } from './retention.ts'
export { snapshotOptions } from './snapshots.ts'
export { uploadListings } from './uploads.ts'
export { readVersionsOver, versionsOver } from './versions.ts'
