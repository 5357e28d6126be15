/** Maps every command to its rule. A new command does not compile without one. */
import { type Soon, whenThere } from '../base/soon.ts'
import type { Command, CommandShapes, CommandType } from '../commands/command.ts'
import type { Event } from '../events/index.ts'
import type { Hashing } from '../ports/index.ts'
import type { RowTransaction } from '../views/row-transaction.ts'
import { addKeyGeneration, rewrapKeyGeneration } from './key-generations.ts'
import { abortMultipartUpload } from './abort-multipart-upload.ts'
import { annotateObject } from './annotate-object.ts'
import { beginEpoch } from './begin-epoch.ts'
import { healBytes } from './heal-bytes.ts'
import { deleteBucketSetting, putBucketSetting } from './bucket-setting.ts'
import { clearDroppedFork } from './clear-dropped-fork.ts'
import { clearDeletedBucket } from './clear-deleted-bucket.ts'
import { completeMultipartUpload } from './complete-multipart-upload.ts'
import { copyObject } from './copy-object.ts'
import { createBucket } from './create-bucket.ts'
import { createMultipartUpload } from './create-multipart-upload.ts'
import { createSnapshot } from './create-snapshot.ts'
import { deleteBucket, revertCreation } from './delete-bucket.ts'
import { deleteObjectVersion } from './delete-object-version.ts'
import { deleteObject } from './delete-object.ts'
import { deleteSnapshot } from './delete-snapshot.ts'
import { dropFork } from './drop-fork.ts'
import {
  addAccessKey,
  createIdentity,
  removeIdentity,
  revokeAccessKey,
  setIdentityPolicy,
  setIdentityQuota,
} from './identities.ts'
import { eraseContents } from './erase-contents.ts'
import { eraseSwept } from './erase-swept.ts'
import { eraseUploads } from './erase-uploads.ts'
import { eraseVersions } from './erase-versions.ts'
import { forkBucket } from './fork-bucket.ts'
import { setRetention } from './set-retention.ts'
import { startErasure } from './start-erasure.ts'
import { putBucketVersioning } from './put-bucket-versioning.ts'
import { putObject } from './put-object.ts'
import { releaseFork } from './release-fork.ts'
import { releaseGarbage } from './release-garbage.ts'
import { restoreObjects } from './restore-objects.ts'
import type { DecisionTime, Rule } from './rule.ts'
import { restoreBucket } from './restore-bucket.ts'
import { revertSetting, revertVersioning } from './revert-setting.ts'
import { undoKey } from './undo-key.ts'
import { continueTask, endTask, startTask } from './task.ts'
import { uploadPart } from './upload-part.ts'

type Answer<T extends CommandType> = (
  rows: RowTransaction,
  command: Command<T>,
  hashing: Hashing,
  time: DecisionTime,
) => Soon<readonly Event[]>

/** Joins `load` and `decide` of a rule, so that its state type stays private to it. */
const answer =
  <T extends CommandType, State>({ load, decide }: Rule<T, State>): Answer<T> =>
  (rows, { data, meta }, hashing, time) =>
    whenThere(load(rows, data as CommandShapes[T], hashing, meta), (state) =>
      decide(state, data as CommandShapes[T], meta, time),
    )

const rules = {
  CreateBucket: answer(createBucket),
  ForkBucket: answer(forkBucket),
  DropFork: answer(dropFork),
  ClearDroppedFork: answer(clearDroppedFork),
  ReleaseFork: answer(releaseFork),
  DeleteBucket: answer(deleteBucket),
  RevertCreation: answer(revertCreation),
  PutBucketVersioning: answer(putBucketVersioning),
  PutBucketSetting: answer(putBucketSetting),
  DeleteBucketSetting: answer(deleteBucketSetting),
  PutObject: answer(putObject),
  CopyObject: answer(copyObject),
  RestoreObjects: answer(restoreObjects),
  UndoKey: answer(undoKey),
  RevertSetting: answer(revertSetting),
  RevertVersioning: answer(revertVersioning),
  RestoreBucket: answer(restoreBucket),
  AnnotateObject: answer(annotateObject),
  DeleteObject: answer(deleteObject),
  DeleteObjectVersion: answer(deleteObjectVersion),
  CreateMultipartUpload: answer(createMultipartUpload),
  UploadPart: answer(uploadPart),
  CompleteMultipartUpload: answer(completeMultipartUpload),
  AbortMultipartUpload: answer(abortMultipartUpload),
  ClearDeletedBucket: answer(clearDeletedBucket),
  SetRetention: answer(setRetention),
  CreateSnapshot: answer(createSnapshot),
  DeleteSnapshot: answer(deleteSnapshot),
  StartTask: answer(startTask),
  ContinueTask: answer(continueTask),
  EndTask: answer(endTask),
  ReleaseGarbage: answer(releaseGarbage),
  StartErasure: answer(startErasure),
  EraseContents: answer(eraseContents),
  EraseVersions: answer(eraseVersions),
  EraseUploads: answer(eraseUploads),
  EraseSwept: answer(eraseSwept),
  CreateIdentity: answer(createIdentity),
  SetIdentityPolicy: answer(setIdentityPolicy),
  SetIdentityQuota: answer(setIdentityQuota),
  AddAccessKey: answer(addAccessKey),
  RevokeAccessKey: answer(revokeAccessKey),
  RemoveIdentity: answer(removeIdentity),
  BeginEpoch: answer(beginEpoch),
  HealBytes: answer(healBytes),
  AddKeyGeneration: answer(addKeyGeneration),
  RewrapKeyGeneration: answer(rewrapKeyGeneration),
} satisfies { readonly [T in CommandType]: Answer<T> }

/** Loads what the command depends on and decides it. @throws StorageError, one coded error, if the rule refuses. */
export const decide = <T extends CommandType>(
  rows: RowTransaction,
  command: Command<T>,
  hashing: Hashing,
  time: DecisionTime,
): Soon<readonly Event[]> => (rules[command.type] as unknown as Answer<T>)(rows, command, hashing, time)
