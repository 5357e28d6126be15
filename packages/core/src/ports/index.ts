/**
 * The ports of a store: the types that a journal, a blob store or another adapter implements.
 *
 *     import type { BlobStore, Journal } from '@varve/core/ports'
 * @module
 */
export type { BlobHandle, BlobId, BlobStore, ByteRange, ByteSource } from './blob-store.ts'
export type { Ciphers } from './ciphers.ts'
export type { Clock } from './clock.ts'
export type { Confirmation } from './confirmation.ts'
export type { Copy, SideRowKind, SoughtBlob } from './copies.ts'
export type { ErasureCopies } from './erasure-copies.ts'
export type {
  ChecksumAlgorithm,
  CryptographicAlgorithm,
  Digest,
  DigestAlgorithm,
  DigestsBeside,
  Hashing,
} from './hashing.ts'
export type { Ids } from './ids.ts'
export type {
  Commit,
  HeldHead,
  Journal,
  Row,
  RowChange,
  RowCursor,
  RowRange,
  RowReader,
  RowSnapshot,
  RowSnapshotOptions,
  Seq,
  StoredEvent,
  StoredEvents,
} from './journal.ts'
export type { AccessKeyPair, KeySecrets } from './key-secrets.ts'
export type { KeyRef, Keyring } from './keyring.ts'
export type { LogIdentity, LogSigner } from './log-signer.ts'
export type {
  CacheObservation,
  CommitObservation,
  ConnectionsObservation,
  HealingObservation,
  JobObservation,
  Observer,
  QueueObservation,
  RequestObservation,
  SyncObservation,
} from './observer.ts'
export type { Packing, PackingForm } from './packing.ts'
export type { PolicyCheck } from './policy-check.ts'
export type { ReplicaFile, ReplicaFiles } from './replica-files.ts'
export type { Reserve, Room } from './reserve.ts'
export type { Scratch } from './scratch.ts'
export type { Secret } from './secret.ts'
export type { ObservedTime, TimeDoubt, TimeGap, TimeMark, TimeRecord } from './time-record.ts'
export type { Timer } from './timer.ts'
export type { Tip, Witness } from './witness.ts'
