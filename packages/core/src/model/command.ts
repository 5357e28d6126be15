/**
 * The commands of the model, as plain data. Ids and ETags differ between stores. A command therefore refers to an
 * earlier result by the **name** of the command that made it: the same list of commands runs against the model, the
 * library, HTTP and a simulation. Names are unique, and none is `null`.
 */
import type { ErrorCode } from '../base/errors.ts'
import type { VersioningStatus } from '../settings/versioning.ts'

interface OnKey {
  readonly bucket: string
  readonly key: string
}

interface OnUpload extends OnKey {
  /** The name of the command that started the upload. */
  readonly upload: string
}

/** The name of the command that added the version; `null` for the null version, which has no other name. */
export type ModelVersionRef = string

/** The conditions of a write: `If-Match` and `If-None-Match`. */
export interface ModelConditions {
  /** `*`, or the name of the command whose answer had the ETag. */
  readonly ifMatch?: string
  readonly ifNoneMatch?: '*'
}

/** One part in the list that completes an upload. */
export interface ModelListedPart {
  readonly number: number
  /** The name of the command that uploaded the part. */
  readonly part: string
}

interface Shapes {
  readonly createBucket: { readonly bucket: string }
  readonly deleteBucket: { readonly bucket: string }
  /** `bucket` is the name of the fork. */
  readonly forkBucket: { readonly bucket: string; readonly from: string }
  readonly dropFork: { readonly bucket: string }
  readonly setVersioning: { readonly bucket: string; readonly status: VersioningStatus }
  readonly putObject: OnKey & ModelConditions & { readonly body: string }
  readonly copyObject: OnKey & ModelConditions & { readonly from: OnKey & { readonly version?: ModelVersionRef } }
  readonly deleteObject: OnKey & { readonly ifMatch?: string }
  readonly deleteVersion: OnKey & { readonly version: ModelVersionRef; readonly ifMatch?: string }
  /** Replaces all tags by one tag with this value; removes them if it is empty. */
  readonly tagObject: OnKey & { readonly version?: ModelVersionRef; readonly tag: string }
  readonly createUpload: OnKey
  readonly uploadPart: OnUpload & { readonly number: number; readonly body: string }
  readonly completeUpload: OnUpload &
    ModelConditions & {
      readonly parts: readonly ModelListedPart[]
      readonly repeatable?: boolean
      /** The minimum size in bytes of every part except the last. Default: S3's 5 MiB. */
      readonly partSizeMin?: number
    }
  readonly abortUpload: OnUpload
  readonly createSnapshot: { readonly snapshot: string }
  readonly deleteSnapshot: { readonly snapshot: string }
}

/** The name of a command to the reference model. */
export type ModelCommandType = keyof Shapes

/** A command to the reference model. */
export type ModelCommand<T extends ModelCommandType = ModelCommandType> = {
  readonly [K in T]: Shapes[K] & { readonly type: K; readonly name: string }
}[T]

/** The facts that a client gets about a version. Fields are absent if the command does not return them. */
export interface ModelResult {
  readonly version?: ModelVersionRef
  readonly size?: number
  readonly deleteMarker?: boolean
}

/** A result, or the code of the refusal. */
export type ModelAnswer<R = ModelResult> = { readonly ok: R } | { readonly error: ErrorCode }
