/** The codes of errors, which are API. */

/** S3 error codes that the engine itself can throw. */
export type S3ErrorCode =
  | 'AccessDenied'
  | 'BadDigest'
  | 'BucketAlreadyExists'
  | 'BucketAlreadyOwnedByYou'
  | 'BucketNotEmpty'
  | 'ConditionalRequestConflict'
  | 'EntityTooLarge'
  | 'EntityTooSmall'
  | 'IncompleteBody'
  | 'InternalError'
  | 'InvalidArgument'
  | 'InvalidBucketName'
  | 'InvalidBucketState'
  | 'InvalidDigest'
  | 'InvalidPart'
  | 'InvalidPartNumber'
  | 'InvalidPartOrder'
  | 'InvalidRange'
  | 'InvalidRequest'
  | 'InvalidRetentionPeriod'
  | 'InvalidStorageClass'
  | 'InvalidTag'
  | 'KMS.NotFoundException'
  | 'KeyTooLongError'
  | 'MetadataTooLarge'
  | 'MethodNotAllowed'
  | 'NoSuchBucket'
  | 'NoSuchKey'
  | 'NoSuchUpload'
  | 'NoSuchVersion'
  | 'NotImplemented'
  | 'NotModified'
  | 'PreconditionFailed'
  | 'TooManyBuckets'

/** Codes for errors that S3 does not have. */
export type EngineErrorCode =
  /** An archive is damaged, cut, or none. `details.kind` names the fault, `details.member` the member. */
  | 'ArchiveCorrupt'
  /** A blob's bytes are damaged or missing, so they are not returned. `details.kind` names the damage. */
  | 'BlobCorrupt'
  | 'BlobFailed'
  | 'BlobMissing'
  /** The log is damaged: `details.kind` names the damage, `details.seq` the position. */
  | 'LogCorrupt'
  /** The log does not reach a moment: it is after the end, in the future, or before the first event. */
  | 'MomentOutOfRange'
  /** A view row fails its checksum; `rebuild()` repairs it. */
  | 'RowCorrupt'
  /** The log is shorter than it was when it was acknowledged. */
  | 'AcknowledgedWritesLost'
  /** What is imported is there already with other bytes or metadata. It was not changed. */
  | 'ImportConflict'
  | 'JournalClosed'
  | 'JournalConflict'
  | 'JournalFailed'
  /** The log does not begin with the one whose checkpoint its key, or a witness, has signed. */
  | 'CheckpointConflict'
  /** An identity has this name, or has or had this id or access key id. */
  | 'EntityAlreadyExists'
  /** The log does not end where an epoch was to begin; nothing was changed. */
  | 'EpochConflict'
  /** A dropped fork of this name is still being cleared. */
  | 'ForkBeingCleared'
  /** The bucket is the last of as many forks of forks as there can be. */
  | 'ForkTooDeep'
  /** Another holder changed the keyspace; nothing was changed by this call. */
  | 'KeyspaceConflict'
  /** The reducer of a keyspace threw an error, which is the `cause`. `details.seq` is the event. */
  | 'KeyspaceFailed'
  /** The keyring does not have, or no longer has, the key of encrypted bytes. */
  | 'KeyUnavailable'
  /** Another engine on the journal runs this job. */
  | 'LeaseHeld'
  /** Another engine took over while this one did not work for a while; nothing was changed. */
  | 'LeaseLost'
  /** As many identities or access keys exist as can. */
  | 'LimitExceeded'
  /** A fork and its base both changed an object; nothing was changed. */
  | 'MergeConflict'
  /** A merge needs more changes than one commit may have. */
  | 'MergeTooLarge'
  /** The bucket is no fork: only forks can be dropped and merged. */
  | 'NotAFork'
  /** The write is on disk, or none is taken now: a replica that must confirm it did not. `details.kind`: `unconfirmed`, `refused`. */
  | 'NotReplicated'
  /** No identity has this name or access key. */
  | 'NoSuchEntity'
  /** No snapshot has this name. */
  | 'NoSuchSnapshot'
  /** No task of this id goes on. */
  | 'NoSuchTask'
  /** No room for more bytes; reads and deletes still work. */
  | 'NoSpace'
  /** The bytes of a removed version were erased after their retention; the facts remain. */
  | 'ObjectErased'
  /** A handler of a projection threw an error or made a state that is not JSON. `details.seq` is the event. */
  | 'ProjectionFailed'
  /** A proof or a checkpoint proves nothing: `details.kind` says what is wrong with it. */
  | 'ProofInvalid'
  /** The bytes of an object were left unread for too long and are no longer held. */
  | 'ReadExpired'
  /** The write would exceed the quota of the bucket or of its owner; nothing was changed. */
  | 'QuotaExceeded'
  | 'ReadOnly'
  /** The write is committed, as event `details.seq`, and its receipt could not be made. */
  | 'ReceiptFailed'
  /** A replica is damaged or incomplete. `details.kind` names the damage, `details.file` the file. */
  | 'ReplicaCorrupt'
  /** A replica has events that the log of this store does not have; nothing was written. */
  | 'ReplicaDiverged'
  /** Another writer has the replica: `details.holder` is its name. */
  | 'ReplicaHeld'
  /** Objects changed while their restore was planned; nothing was changed by this call. */
  | 'RestoreConflict'
  /** A restore needs more changes than one commit may have. */
  | 'RestoreTooLarge'
  /** The rows that authorised a request changed repeatedly while it was authorised again: see `Authorisation`. */
  | 'ReadSetChanged'
  /** The server that is imported from failed, or refused a request. `details.kind` is its code. */
  | 'SourceFailed'
  /** A snapshot has this name already. */
  | 'SnapshotExists'
  | 'StoreClosed'
  /** A write failed with an unknown outcome: no more writes until the store is opened again. */
  | 'StoreFailed'
  | 'StoreLocked'
  | 'StoreNotFound'
  /** The subscription is there with another filter. */
  | 'SubscriptionConflict'
  /** Another holder took the subscription over, or it was dropped; nothing was changed by this call. */
  | 'SubscriptionLost'
  /** Another task has this id. */
  | 'TaskExists'
  /** The task was stopped. What it had committed before stays. */
  | 'TaskStopped'
  /** The store has as many forks as it can have. */
  | 'TooManyForks'
  /** The store has as many snapshots as it can have. */
  | 'TooManySnapshots'
  /** As many tasks go on as can at once. */
  | 'TooManyTasks'
  /** No file handle was left for this request; the store still works. */
  | 'TooManyOpenFiles'
  /** What a transaction read was changed by others before its commit; nothing was changed by it. */
  | 'TransactionConflict'
  /** The transaction was committed or refused before this call. */
  | 'TransactionEnded'
  /** A transaction has more commands than one commit may have. */
  | 'TransactionTooLarge'
  /** Only changes of identities were chosen, and these are never undone. */
  | 'NotUndoable'
  /** What was to be undone was changed by others, or cannot be undone; nothing was changed. */
  | 'UndoConflict'
  /** An undo needs more changes than one commit may have. */
  | 'UndoTooLarge'
  | 'UnsupportedFormat'

/** Every code that a `StorageError` can have: those of S3 and those of the engine. */
export type ErrorCode = S3ErrorCode | EngineErrorCode
