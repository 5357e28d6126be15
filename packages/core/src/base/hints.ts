/**
 * What helps with an error, by its code. A hint names an option, a call, a command or a page in backticks, and a test checks that each of them
 * exists. A place that throws can give a hint of its own, which fits better.
 */
import type { EngineErrorCode, S3ErrorCode } from './error-codes.ts'

const tryAgain = 'Try again.'
const openAgain = 'Close the store and open it again.'

/** Every code of Varve has a hint. */
const engineHints: Readonly<Record<EngineErrorCode, string>> = {
  AcknowledgedWritesLost: 'Restore the store from a copy: see `docs/runbooks/database-older-than-blobs.md`.',
  ArchiveCorrupt: 'Use another copy of the archive. `varve archive verify` checks one.',
  BlobCorrupt: '`varve verify` lists all damaged blobs: see `docs/runbooks/damaged-blob.md`.',
  BlobFailed: 'Check the disk or the server that has the blobs: see `docs/runbooks/does-not-start.md`.',
  BlobMissing: '`varve verify` lists all missing blobs: see `docs/runbooks/damaged-blob.md`.',
  CheckpointConflict: 'Give the log a new key with `varve log-key --renew`: see `docs/proofs.md`.',
  EntityAlreadyExists: 'Use another name or id. `varve identities list` shows the identities.',
  EpochConflict: 'Read the end of the log again.',
  ForkBeingCleared: 'Try again later, or use another name.',
  ForkTooDeep: 'Fork the base instead: see `docs/forks.md`.',
  ImportConflict: 'Choose what happens to such objects with `onConflict`, or with `varve import --on-conflict`.',
  JournalClosed: 'Open the store again.',
  JournalConflict: tryAgain,
  JournalFailed: 'Check the disk or the database that has the log: see `docs/runbooks/does-not-start.md`.',
  KeyspaceConflict: 'Open the keyspace again.',
  KeyspaceFailed: 'Correct the reducer, and open the keyspace again: see `docs/keyspaces.md`.',
  KeyUnavailable: 'Give the keyring that has the key, with `keyring` or `--keyring`: see `docs/encryption.md`.',
  LeaseHeld: 'Try again later.',
  LeaseLost: tryAgain,
  LimitExceeded: 'Remove an identity, or revoke an access key with `varve identities revoke`.',
  LogCorrupt: '`varve verify` shows the damage. `varve verify --repair` repairs what the log can make again.',
  MergeConflict: 'Plan with `dryRun` to see the keys, then merge with `onConflict`: see `docs/forks.md`.',
  MergeTooLarge: 'Allow several commits with `inParts`, or choose a `prefix`.',
  MomentOutOfRange: '`varve log` shows the positions and times of the log.',
  NoSpace: 'Free space on the disk: see `docs/runbooks/full-disk.md`.',
  NoSuchEntity: '`varve identities list` shows the identities.',
  NoSuchSnapshot: '`store.snapshots.list()` and `varve snapshot ls` list the snapshots.',
  NoSuchTask: '`store.tasks.list()` and `varve task ls` list the tasks.',
  NotAFork: 'Empty the bucket, then delete it with `varve rb`.',
  NotReplicated: '`store.jobs` shows the last error of each replica: see `docs/replicas.md`.',
  NotUndoable: 'Change the identity again with `varve identities`.',
  ObjectErased: 'See `docs/retention.md`.',
  ProjectionFailed: 'Correct the handler, and open the projection again.',
  ProofInvalid: 'See `docs/proofs.md`.',
  QuotaExceeded: 'Remove versions, or raise the quota with `varve quota set`: see `docs/quotas.md`.',
  ReadExpired: 'Get the object again. `bodyIdleMs` is the time that a body may stay unread.',
  ReadOnly: 'Open the store without `readOnly`.',
  ReceiptFailed: 'Do not repeat the write. Prove its event later with `varve prove --seq`.',
  ReadSetChanged: tryAgain,
  ReplicaCorrupt: '`varve backups verify` lists what is damaged: see `docs/replicas.md`.',
  ReplicaDiverged: 'Write to another place, or restore from the replica: see `docs/replicas.md`.',
  ReplicaHeld: 'Stop the other writer. If it is gone for good, use `takeOver` or `--replicate-take-over`.',
  RestoreConflict: 'Restore again, or choose what happens with `onConflict`.',
  RestoreTooLarge: 'Allow several commits with `inParts`, or choose a `prefix`.',
  RowCorrupt: 'Stop the store, then run `varve verify --repair`.',
  SnapshotExists: 'Use another name, or delete that snapshot with `varve snapshot rm`.',
  SourceFailed: 'Run the import again: it continues. See `docs/archives.md`.',
  StoreClosed: 'Open the store again.',
  StoreFailed: openAgain,
  StoreLocked: '`attachStore` uses the store that another process has open: see `docs/attaching.md`.',
  StoreNotFound: 'Check the path. `varve init` makes a store.',
  SubscriptionConflict: 'Open it without a filter, with the same filter, or with `replace`.',
  SubscriptionLost: 'Open the subscription again: see `docs/following.md`.',
  TaskExists: 'Use another request id, or wait for the task: see `varve task ls`.',
  TaskStopped: 'Run it again, or undo what it did with `varve undo --request`.',
  TooManyForks: 'Drop a fork with `varve drop`.',
  TooManyOpenFiles: 'Raise the limit of open files, or close objects that you do not read.',
  TooManySnapshots: 'Delete a snapshot with `varve snapshot rm`.',
  TooManyTasks: 'Wait for a task, or stop one with `varve task stop`.',
  TransactionConflict: 'Try again, or allow more `attempts`: see `docs/transactions.md`.',
  TransactionEnded: 'Await every call within the function of the transaction: see `docs/transactions.md`.',
  TransactionTooLarge: 'Use several transactions.',
  UndoConflict: 'Plan with `dryRun` to see the conflicts, then use `onConflict`: see `docs/undoing.md`.',
  UndoTooLarge: 'Leave out `inParts`, or choose fewer events.',
  UnsupportedFormat: 'See `docs/format.md`.',
}

/** S3's codes speak for themselves, besides these. */
const s3Hints: Readonly<Partial<Record<S3ErrorCode, string>>> = {
  BucketAlreadyExists: 'Use another name. `varve ls` lists the buckets.',
  BucketAlreadyOwnedByYou: '`store.buckets.ensure()` accepts a bucket that exists.',
  BucketNotEmpty: 'Delete the versions and delete markers too: `varve ls --versions` lists them.',
  'KMS.NotFoundException': '`varve keys list` shows the keys: see `docs/encryption.md`.',
  NoSuchBucket: '`store.buckets.list()` and `varve ls` list the buckets.',
  NoSuchUpload: '`store.uploads.list()` lists the uploads in progress.',
  NoSuchVersion: '`varve ls --versions` lists the versions.',
  NotImplemented: 'See `docs/s3.md`.',
  TooManyBuckets: 'Raise the quota of the owner with `varve identities quota`.',
}

const server = 'Check the address, and that the server runs.'
const noRoom = 'Free space on the disk: see `docs/runbooks/full-disk.md`.'

/** What helps with an error of the system, by its code. */
const systemHints: Readonly<Record<string, string>> = {
  EACCES: 'Check the path: this user may not use it.',
  EDQUOT: noRoom,
  EEXIST: 'Use another path: there is a file already.',
  EISDIR: 'Name a file: the path is a directory.',
  ELOOP: 'Check the path: it is a circle of symbolic links.',
  EMFILE: 'Raise the limit of open files.',
  ENAMETOOLONG: 'Use a shorter path.',
  ENFILE: 'Raise the limit of open files.',
  ENOENT: 'Check the path: there is no such file or directory.',
  ENOSPC: noRoom,
  ENOTDIR: 'Check the path: a part of it is a file.',
  EPERM: 'Check the path: this user may not use it.',
  EROFS: 'Use a path on a disk that can be written.',
  EAI_AGAIN: server,
  ECONNREFUSED: server,
  EHOSTUNREACH: server,
  ENOTFOUND: server,
  ETIMEDOUT: server,
}

/** The hint for a code of the system, such as `ENOENT`; `undefined` if there is none. */
export const systemHintOf = (code: unknown): string | undefined =>
  typeof code === 'string' && Object.hasOwn(systemHints, code) ? systemHints[code] : undefined

/** The general hint for a code; `undefined` if there is none. */
export const hintOf = (code: string): string | undefined => hints.get(code)

const hints: ReadonlyMap<string, string> = new Map(Object.entries({ ...s3Hints, ...engineHints }))
