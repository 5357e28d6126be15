/** All operations of the control API. */
import { createBucket, deleteBucket, headBucket, listBuckets } from './bucket-rows.ts'
import type { ControlRow } from './control-row.ts'
import { listObjects, listVersions } from './listing-rows.ts'
import { readHistory, readLog } from './log-rows.ts'
import { copyObject, deleteObject, getContent, headObject, putContent } from './object-rows.ts'
import { acceptClock, getClock, getPosition, getStatus, listJobs, listKeys } from './store-rows.ts'
import { verifyStore } from './verify-row.ts'

/** The operations by name, with the types of their arguments and answers, for clients. */
export const controlApi = {
  getStatus,
  getPosition,
  readLog,
  readHistory,
  listBuckets,
  headBucket,
  createBucket,
  deleteBucket,
  listObjects,
  listVersions,
  headObject,
  getContent,
  putContent,
  copyObject,
  deleteObject,
  verifyStore,
  listJobs,
  getClock,
  acceptClock,
  listKeys,
}

export const controlRows: readonly ControlRow[] = Object.values(controlApi)
