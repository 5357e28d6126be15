/**
 * The reference model: the meaning of buckets, versions, delete markers, conditional writes and multipart uploads, in
 * maps and arrays, without regard for speed, disk or concurrency. Tests run the same commands against it and against
 * stores. For a reader it is the shortest description of the semantics. Begin with `versions.ts`.
 *
 *     const { state, answer } = apply(emptyState, { type: 'createBucket', name: 'c1', bucket: 'box' })
 * @module
 */
export { apply, type Outcome } from './apply.ts'
export type {
  ModelAnswer,
  ModelCommand,
  ModelCommandType,
  ModelConditions,
  ModelListedPart,
  ModelResult,
  ModelVersionRef,
} from './command.ts'
export { diffObjects, type ModelDifference } from './diff.ts'
export { dropFork, forkBucket, type ModelFork, statesOfForks } from './forks.ts'
export { createSnapshot, neededBodies } from './snapshots.ts'
export { type ModelRestore, restoreObjects } from './restore.ts'
export { undoSince } from './undo.ts'
export {
  answering,
  findObject,
  listBuckets,
  listObjects,
  listParts,
  listUploads,
  listVersions,
  type ModelListOptions,
  type ModelObjectVersion,
} from './reads.ts'
export {
  emptyState,
  type ModelBase,
  type ModelBucket,
  type ModelObject,
  type ModelState,
  type ModelUpload,
  type ModelVersion,
  refOf,
  sizeOf,
  versionsOf,
  withVersions,
} from './state.ts'
