/**
 * The file of a directory that says where the blobs are that a restore left behind. It is there before the first event of the restore is,
 * and goes when all of them have been brought.
 */
import { join } from 'node:path'
import { nodeFileSystem, syncDirectory } from '@varve/adapters'
import { type BlobId, schema, type Tip } from '@varve/core'
import { isNoSuchFile, placePrivateJson, readPrivateJson } from '../files/private-file.ts'
import { rename, rm } from '../files/patient-files.ts'

const { array, integer, object, optional, text } = schema

/** An event that a replica has. Without a hash: any event at this position. */
export type HeldEvent = Pick<Tip, 'seq'> & Partial<Tip>

export interface FillingNote {
  /** The addresses of the replicas, in the order in which they are asked. */
  readonly from: readonly string[]
  /**
   * Of each of these replicas the last restored event that it had. One that lacks it is another replica, and says nothing about the blobs.
   * Absent in a note of an earlier version: each must have some event at `to`.
   */
  readonly held?: readonly Tip[]
  /** The last event whose blob may be there. */
  readonly to: number
  /** Blobs that somebody had erased, and that may still be in a replica: they are not read. */
  readonly withheld: readonly BlobId[]
}

const replicasMax = 16
const withheldMax = 10_000_000
const what = { name: 'note of a restore', bytesMax: 512 * 1024 * 1024 }

const fields = object<FillingNote>({
  from: array(text({ min: 1 }), { max: replicasMax }),
  held: optional(array(object<Tip>({ seq: integer({ min: 1 }), hash: text({ max: 64 }) }), { max: replicasMax })),
  to: integer({ min: 1 }),
  withheld: array(text({ max: 32 }), { max: withheldMax }),
})

const noteFile = (dir: string): string => join(dir, 'filling.json')

/** `undefined` for a store that has all its blobs. @throws StorageError `InvalidArgument` for a file that is damaged or open to others */
export async function readFillingNote(dir: string): Promise<FillingNote | undefined> {
  try {
    return schema.checked(noteFile(dir), fields, await readPrivateJson(noteFile(dir), what))
  } catch (error) {
    if (isNoSuchFile(error)) return undefined
    throw error
  }
}

/** The event that the replica at a place in `from` must have. */
export const heldBy = ({ held, to }: FillingNote, n: number): HeldEvent => held?.[n] ?? { seq: to }

/** It is durable when this resolves. @throws what the file system throws */
export const writeFillingNote = (dir: string, note: FillingNote): Promise<void> =>
  placePrivateJson(noteFile(dir), note, (temporary) => rename(temporary, noteFile(dir)))

/** @throws what the file system throws */
export async function removeFillingNote(dir: string): Promise<void> {
  await rm(noteFile(dir), { force: true })
  await syncDirectory(nodeFileSystem, dir)
}
