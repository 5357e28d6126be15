/** All operations of the control API. */
import { runBatch } from './batch-row.ts'
import { createBucket, deleteBucket, headBucket, listBuckets, setVersioning } from './bucket-rows.ts'
import { schema } from '@varve/core'
import { type ControlRow, valueRow } from './control-row.ts'
import { eraseVersions } from './erase-row.ts'
import { dropFork, forkBucket } from './fork-rows.ts'
import { nothing } from './input.ts'
import { readDiff } from './diff-row.ts'
import { mergeFork } from './merge-row.ts'
import { restoreObjects } from './restore-row.ts'
import { undoEvents } from './undo-row.ts'
import { listProjections, listSubscriptions } from './follower-rows.ts'
import {
  addAccessKey,
  createIdentity,
  getIdentity,
  listIdentities,
  removeIdentity,
  revokeAccessKey,
  setIdentityPolicies,
  setIdentityQuota,
} from './identity-rows.ts'
import { listObjects, listVersions } from './listing-rows.ts'
import { countEvents, pageLog, readHistory, readLog } from './log-rows.ts'
import { beginMove, getMove, stopMove } from './move-rows.ts'
import { openApi } from './open-api.ts'
import { getAnnotations, getAttributes, getContent, headObject, putAnnotation } from './object-rows.ts'
import { pageDiff, pageObjects, pageVersions } from './page-rows.ts'
import {
  addCosignature,
  getCheckpoint,
  getLogKey,
  getLogTile,
  proveConsistency,
  proveErasure,
  proveEvent,
  proveVersion,
  renewLogKey,
} from './proof-rows.ts'
import {
  getPrefixUsage,
  getRetention,
  getUsage,
  planRetention,
  removeRetention,
  setRetention,
} from './retention-rows.ts'
import { getSetting, getSettings, putSetting, removeSetting } from './setting-rows.ts'
import { createSnapshot, deleteSnapshot, getSnapshot, listSnapshots } from './snapshot-rows.ts'
import { explainAccess, getMetrics } from './server-rows.ts'
import { acceptClock, getClock, getPosition, getStatus, listJobs, listKeys, promoteStore } from './store-rows.ts'
import { acknowledgeBatch, dropSubscription, takeSubscription } from './subscription-rows.ts'
import { listTasks, stopTask } from './task-rows.ts'
import { commitTransaction, openTransaction } from './transaction-rows.ts'
import {
  abortUpload,
  completeUpload,
  copyPart,
  createUpload,
  getUploadId,
  headUpload,
  pageParts,
  pageUploads,
  putPart,
} from './upload-rows.ts'
import { listDamage, verifyStore } from './verify-row.ts'
import { copyObject, deleteObject, deleteObjects, putContent } from './write-rows.ts'

const described = {
  getStatus,
  getPosition,
  readLog,
  pageLog,
  countEvents,
  readHistory,
  getLogKey,
  getCheckpoint,
  proveVersion,
  proveEvent,
  proveErasure,
  proveConsistency,
  getLogTile,
  addCosignature,
  renewLogKey,
  readDiff,
  pageDiff,
  restoreObjects,
  undoEvents,
  listBuckets,
  headBucket,
  createBucket,
  deleteBucket,
  setVersioning,
  getSettings,
  getSetting,
  putSetting,
  removeSetting,
  forkBucket,
  dropFork,
  mergeFork,
  listObjects,
  pageObjects,
  listVersions,
  pageVersions,
  headObject,
  getAttributes,
  getContent,
  getAnnotations,
  putAnnotation,
  putContent,
  copyObject,
  deleteObject,
  deleteObjects,
  createUpload,
  getUploadId,
  headUpload,
  pageUploads,
  putPart,
  copyPart,
  pageParts,
  completeUpload,
  abortUpload,
  runBatch,
  openTransaction,
  commitTransaction,
  verifyStore,
  listJobs,
  listDamage,
  listSubscriptions,
  takeSubscription,
  acknowledgeBatch,
  dropSubscription,
  listProjections,
  getClock,
  acceptClock,
  promoteStore,
  listKeys,
  getUsage,
  getPrefixUsage,
  getRetention,
  setRetention,
  removeRetention,
  planRetention,
  createSnapshot,
  listSnapshots,
  getSnapshot,
  deleteSnapshot,
  listTasks,
  stopTask,
  eraseVersions,
  explainAccess,
  getMetrics,
  beginMove,
  getMove,
  stopMove,
  createIdentity,
  listIdentities,
  getIdentity,
  removeIdentity,
  setIdentityPolicies,
  setIdentityQuota,
  addAccessKey,
  revokeAccessKey,
}

const getDescription = valueRow<object, schema.JsonSchema>({
  name: 'GetDescription',
  summary: 'This description of the API',
  method: 'GET',
  path: '/-/v1/openapi.json',
  action: 'varve:ReadStatus',
  input: nothing,
  output: schema.json as schema.Schema<schema.Json> as unknown as schema.Schema<schema.JsonSchema>,
  run: async () => openApi(controlRows),
})

/** The operations by name, with the types of their arguments and answers, for clients. */
export const controlApi = { ...described, getDescription }

export const controlRows: readonly ControlRow[] = Object.values(controlApi)
