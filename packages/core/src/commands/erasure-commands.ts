/** The commands that erase bytes. */
import type { ErasedVersion, Erasure, ErasureStarted, PinsSettled } from '../events/index.ts'
import type { Seq } from '../ports/index.ts'

/** The data of each command, by type. */
export interface ErasureCommands {
  /** Erases the bytes of removed versions, whatever the retention says. No effect for bytes that something needs. */
  readonly EraseVersions: {
    readonly bucket: string
    /** `removes`: also removes the version if it exists, and if its bytes are erased with it. */
    readonly versions: readonly (ErasedVersion & { readonly removes?: boolean })[]
  }
  /** Aborts uploads that are in progress, and erases the bytes of uploads that no version ever had. No effect for uploads without such bytes. */
  readonly EraseUploads: {
    readonly bucket: string
    readonly uploads: readonly { readonly key: string; readonly upload: Seq }[]
  }
  /** Records that somebody wanted bytes erased which a sweep has erased before. No effect for bytes that are there. */
  readonly EraseSwept: {
    readonly bucket: string
    /** All of versions, or all of parts of uploads that no version ever had. */
    readonly contents: readonly { readonly version?: ErasedVersion; readonly erasure: Erasure }[]
  }
  /** Sent by the sweep: returns garbage that no snapshot keeps any more. No effect for garbage that one keeps. */
  readonly ReleaseGarbage: {
    readonly contents: ErasureStarted['contents']
    /** The pin of a deleted snapshot, if no more garbage is to be returned for it. */
    readonly settled?: NonNullable<PinsSettled['settled']>
  }
  /** Sent by the sweep before it erases bytes. What a snapshot keeps is set aside. No effect for contents that something needs again. */
  readonly StartErasure: ErasureStarted
  /** Sent by the sweep: records that bytes were erased. */
  readonly EraseContents: { readonly erased: readonly Erasure[] }
}
