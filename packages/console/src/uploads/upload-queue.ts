/** The uploads of this page: what is sent, how far it is, and what failed. They go on while a person looks at other pages. */

import { computed, effect, signal } from '@preact/signals'
import { session, signedInAs } from '../session/session.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { abortUpload, completeUpload, createUpload, listParts, putObject, uploadPart } from '../s3/uploads.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode, isAborted } from '../transport/failures.ts'
import { fileOfUpload, forgetUpload, rememberUpload } from './begun-uploads.ts'
import { fileMax } from './part-plan.ts'
import { type FileToSend, sendFile, type UploadServer } from './send-file.ts'

/** The parts of an upload are not on the server any more. */
export class UploadGone extends Error {
  constructor(cause: unknown) {
    super('The unfinished upload is not on the server any more: it was completed or removed.', { cause })
  }
}

export type UploadState = 'waiting' | 'sending' | 'done' | 'failed' | 'cancelled'

export interface Upload {
  readonly id: number
  readonly object: ObjectReference
  readonly size: number
  readonly state: UploadState
  readonly bytesSent: number
  readonly error?: unknown
}

interface Entry {
  readonly file: Blob
  readonly object: ObjectReference
  uploadId: string | undefined
  /** An unfinished upload that this one is made instead of. It is removed when this one is complete. */
  readonly insteadOf: string | undefined
  isTimeAccepted: boolean
  readonly plan: FileToSend['plan']
  readonly arrived: Map<number, string>
  controller: AbortController
}

export const uploads = signal<readonly Upload[]>([])

/** Grows by one when an object has arrived, so that lists load again. */
export const arrivals = signal(0)

export const isSending = computed(() => uploads.value.some(({ state }) => state === 'waiting' || state === 'sending'))

const entries = new Map<number, Entry>()

// Uploads end with the session of the person who began them. Parts that arrived stay on the server.
effect(() => {
  void signedInAs.value
  for (const { controller } of entries.values()) controller.abort()
  entries.clear()
  uploads.value = []
})

const filesAtOnce = 2
let lastId = 0

export interface FileToUpload {
  readonly file: Blob
  readonly object: ObjectReference
  /** An unfinished upload that may be of this file. */
  readonly uploadId?: string | undefined
  readonly insteadOf?: string | undefined
}

export function addUploads(files: readonly FileToUpload[]): void {
  const added = files.map((given): Upload => {
    const id = ++lastId
    const { file, object } = given
    entries.set(id, entryOf(given))
    const base = { id, object, size: file.size, bytesSent: 0 }
    return file.size > fileMax
      ? { ...base, state: 'failed', error: new Error('An object has at most 5 TiB.') }
      : { ...base, state: 'waiting' }
  })
  uploads.value = [...uploads.value, ...added]
  startWaiting()
}

const entryOf = ({ file, object, uploadId, insteadOf }: FileToUpload): Entry => ({
  file,
  object,
  uploadId,
  insteadOf,
  isTimeAccepted: false,
  plan: {},
  arrived: new Map(),
  controller: new AbortController(),
})

/** Continues an upload that failed. The parts that arrived stay. */
export function resumeUpload(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  entry.controller = new AbortController()
  change(id, { state: 'waiting', error: undefined })
  startWaiting()
}

/** Continues with a file that has another time, after the person saw that. */
export function acceptTime(id: number): void {
  const entry = entries.get(id)
  if (entry !== undefined) entry.isTimeAccepted = true
  resumeUpload(id)
}

/** Continues with the file that the person meant. */
export function chooseOther(id: number, file: File): void {
  const entry = entries.get(id)
  leaveUpload(id)
  if (entry !== undefined) addUploads([{ ...entry, file }])
}

/** Sends the file as an upload of its own. What arrived before is removed when this is complete. */
export function startAgain(id: number): void {
  const entry = entries.get(id)
  leaveUpload(id)
  if (entry === undefined) return
  const { file, object, uploadId } = entry
  addUploads([{ file, object, insteadOf: uploadId ?? entry.insteadOf }])
}

/** Takes an upload off the list. Parts that arrived stay on the server. */
export function leaveUpload(id: number): void {
  entries.delete(id)
  uploads.value = uploads.value.filter((upload) => upload.id !== id)
}

/** Stops an upload, and removes its parts from the server. */
export async function cancelUpload(id: number): Promise<void> {
  const entry = entries.get(id)
  if (entry === undefined) return
  entry.controller.abort()
  change(id, { state: 'cancelled' })
  const connection = session.value
  if (entry.uploadId === undefined || connection === undefined) return
  try {
    await abortUpload(connection, { ...entry.object, uploadId: entry.uploadId })
    forgetUpload(entry.uploadId)
    entry.uploadId = undefined
  } catch (error) {
    change(id, { state: 'failed', error })
  }
}

/** Removes uploads that are done, failed or cancelled from the list. */
export function clearFinished(): void {
  for (const { id, state } of uploads.value) if (state !== 'waiting' && state !== 'sending') entries.delete(id)
  uploads.value = uploads.value.filter(({ id }) => entries.has(id))
}

function startWaiting(): void {
  const sending = uploads.value.filter(({ state }) => state === 'sending').length
  const waiting = uploads.value.filter(({ state }) => state === 'waiting')
  for (const { id } of waiting.slice(0, filesAtOnce - sending)) void run(id)
}

async function run(id: number): Promise<void> {
  const entry = entries.get(id)
  const connection = session.value
  if (entry === undefined || connection === undefined) return
  const { controller } = entry
  change(id, { state: 'sending', bytesSent: 0 })
  try {
    await sendFile(serverOf(connection, entry), {
      file: entry.file,
      uploadId: entry.uploadId,
      begun: entry.uploadId === undefined ? undefined : fileOfUpload(entry.uploadId),
      isTimeAccepted: entry.isTimeAccepted,
      plan: entry.plan,
      arrived: entry.arrived,
      signal: controller.signal,
      onProgress: (bytesSent) => change(id, { bytesSent }),
      onBegin: (uploadId) => {
        entry.uploadId = uploadId
        rememberUpload(uploadId, entry.file)
      },
    })
    if (entry.uploadId !== undefined) forgetUpload(entry.uploadId)
    if (entry.insteadOf !== undefined) await removeReplaced(connection, entry.object, entry.insteadOf)
    change(id, { state: 'done', bytesSent: entry.file.size })
    arrivals.value++
  } catch (error) {
    const isGone = hasCode(error, 'NoSuchUpload')
    if (isGone) entry.uploadId = undefined
    if (!isAborted(error)) change(id, { state: 'failed', error: isGone ? new UploadGone(error) : error })
  }
  startWaiting()
}

/** If it cannot be removed, it stays among the unfinished uploads. */
async function removeReplaced(connection: Connection, object: ObjectReference, uploadId: string): Promise<void> {
  await abortUpload(connection, { ...object, uploadId }).catch(() => undefined)
  forgetUpload(uploadId)
}

function change(id: number, changed: Partial<Upload>): void {
  uploads.value = uploads.value.map((upload) => (upload.id === id ? { ...upload, ...changed } : upload))
}

function serverOf(connection: Connection, { object, file }: Entry): UploadServer {
  return {
    putObject: (body, options) => putObject(connection, object, body, options),
    createUpload: () => createUpload(connection, object, file.type),
    listParts: (uploadId) => listParts(connection, { ...object, uploadId }),
    uploadPart: (uploadId, partNumber, body, options) =>
      uploadPart(connection, { ...object, uploadId, partNumber }, body, options),
    completeUpload: (uploadId, parts) => completeUpload(connection, { ...object, uploadId }, parts),
    pause: (attempt) => new Promise((resolve) => setTimeout(resolve, 500 * 2 ** attempt)),
  }
}
