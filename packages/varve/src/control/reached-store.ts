/** The part of the store's API that the commands use. A store of this process has it, and one of another process too. */
import type {
  BucketInfo,
  BucketSettings,
  Buckets,
  Cancelable,
  ClockStatus,
  CommonPrefix,
  CopyResult,
  CopySource,
  CreateBucketOptions,
  DeleteOptions,
  DeleteResult,
  DiffEntry,
  DiffScope,
  EraseRequest,
  EraseResult,
  ForkOptions,
  HeadOptions,
  Identities,
  KeyGenerationInfo,
  ListedMarker,
  ListedObject,
  ListedVersion,
  ListOptions,
  LogOptions,
  MergeRequest,
  MergeResult,
  Moment,
  ObjectInfo,
  Objects,
  OfBucket,
  PastStore,
  Proofs,
  RecordedEvent,
  Removal,
  RemovalOptions,
  RestoreRequest,
  RestoreResult,
  Seq,
  Snapshots,
  StoreRetention,
  StoreUsage,
  Tasks,
  UndoRequest,
  UndoResult,
  Uploads,
  Versions,
} from '@varve/core'
import type { ReadableContent } from '../bodies/readable-content.ts'

type VersionOptions = Cancelable & Pick<HeadOptions, 'versionId'>

/** A state of the store: the newest, or that of a position. */
export interface ReachedView {
  readonly buckets: Pick<Buckets, 'list' | 'head'>
  readonly objects: {
    list(bucket: string, options?: ListOptions): AsyncIterable<ListedObject | CommonPrefix>
    head(bucket: string, key: string, options?: VersionOptions): Promise<ObjectInfo>
    get(bucket: string, key: string, options?: VersionOptions): Promise<ReadableContent>
  }
  readonly versions: {
    list(bucket: string, options?: ListOptions): AsyncIterable<ListedVersion | ListedMarker | CommonPrefix>
  }
}

/** Its type is that of a past store, whose parts archives need. */
export type PastView = PastStore

export interface ReachedStore extends ReachedView {
  readonly buckets: ReachedView['buckets'] & {
    create(bucket: string, options?: Omit<CreateBucketOptions, 'settings'>): Promise<BucketInfo>
    readonly settings: Pick<BucketSettings, 'get' | 'put' | 'remove'>
    delete(bucket: string, options?: Cancelable): Promise<void>
    fork(bucket: string, name: string, options?: ForkOptions): Promise<BucketInfo>
    drop(bucket: string, options?: Cancelable): Promise<void>
  }
  readonly objects: ReachedView['objects'] & {
    readonly put: Objects['put']
    readonly get: Objects['get']
    readonly annotations: Objects['annotations']
    copy(
      source: Pick<CopySource, 'bucket' | 'key' | 'versionId' | 'at'>,
      bucket: string,
      key: string,
      options?: Cancelable,
    ): Promise<CopyResult>
    delete(bucket: string, key: string, options?: Pick<DeleteOptions, 'versionId' | 'signal'>): Promise<DeleteResult>
  }
  readonly versions: ReachedView['versions'] & Pick<Versions, 'listPage'>
  readonly uploads: Pick<Uploads, 'abort' | 'complete' | 'create' | 'uploadPart'>
  readonly clock: { status(): ClockStatus | Promise<ClockStatus>; accept(): Promise<ClockStatus> }
  readonly retention: StoreRetention
  readonly snapshots: Snapshots
  readonly proofs: Proofs
  readonly tasks: Tasks
  readonly identities: Omit<Identities, 'credentials' | 'reserve'>
  deletePrefix(bucket: string, prefix: string, options?: RemovalOptions): Promise<Removal>
  erase(request: EraseRequest): Promise<EraseResult>
  usage(options?: OfBucket): Promise<StoreUsage>
  readonly keys: { list(): Promise<readonly KeyGenerationInfo[]> }
  /** The position of the last event. */
  readonly seq: Seq | Promise<Seq>
  at(moment: Moment): Promise<PastView>
  diff(scope: DiffScope, from: Moment, to: Moment, options?: Cancelable): AsyncIterable<DiffEntry>
  restore(request: RestoreRequest): Promise<RestoreResult>
  merge(request: MergeRequest): Promise<MergeResult>
  undo(request: UndoRequest): Promise<UndoResult>
  log(options?: LogOptions): AsyncIterable<RecordedEvent>
  history(bucket: string, key: string, options?: Cancelable): AsyncIterable<RecordedEvent>
  close(): Promise<void>
}
