/** The target of the writes while there is no room: the store itself, or the S3 server in front of it. */

export interface UploadPlace {
  readonly bucket: string
  readonly key: string
  readonly uploadId: string
}

export interface Part {
  readonly partNumber: number
  readonly etag: string
}

/** Every write there is, and the reads that show whether it happened. Writes throw a `Refusal`. */
export interface Target {
  createBucket(bucket: string): Promise<void>
  deleteBucket(bucket: string): Promise<void>
  enableVersioning(bucket: string): Promise<void>
  /** Resolves with the id of the version, where the bucket has versions. */
  put(bucket: string, key: string, body: string): Promise<string | undefined>
  copy(bucket: string, from: string, key: string): Promise<void>
  delete(bucket: string, key: string): Promise<void>
  deleteVersion(bucket: string, key: string, versionId: string): Promise<void>
  deleteMany(bucket: string, keys: readonly string[]): Promise<void>
  createUpload(bucket: string, key: string): Promise<UploadPlace>
  uploadPart(upload: UploadPlace, partNumber: number, body: string): Promise<Part>
  copyPart(upload: UploadPlace, partNumber: number, from: string): Promise<Part>
  complete(upload: UploadPlace, parts: readonly Part[]): Promise<void>
  abort(upload: UploadPlace): Promise<void>

  /** `undefined` when there is no such object. */
  get(bucket: string, key: string, versionId?: string): Promise<string | undefined>
  hasBucket(bucket: string): Promise<boolean>
  isVersioned(bucket: string): Promise<boolean>
  /** Keys of the uploads in progress. */
  uploads(bucket: string): Promise<readonly string[]>
  /** Numbers of the parts that are there. */
  parts(upload: UploadPlace): Promise<readonly number[]>
}

/** The process that holds the store, and the way back to one that takes writes. */
export interface Holder {
  readonly target: Target
  /** Whose limits count. */
  readonly pid: number
  /** When there is room again: resolves when writes are taken. @throws Error when they are not in good time */
  recover(): Promise<void>
  close(): Promise<void>
}

/** `full`: there is no room, and nothing happened. `unavailable`: no writes for now, and the outcome is unknown. */
export type RefusalKind = 'full' | 'unavailable'

export class Refusal extends Error {
  readonly kind: RefusalKind

  constructor(kind: RefusalKind, message: string) {
    super(message)
    this.kind = kind
  }
}
