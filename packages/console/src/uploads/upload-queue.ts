/** The uploads of this page: what is sent, how far it is, and what failed. They go on while a person looks at other pages. */

import { computed, signal } from '@preact/signals'
import { session } from '../session/session.ts'
import type { ObjectReference } from '../s3/object-reference.ts'
import { abortUpload, completeUpload, createUpload, listParts, putObject, uploadPart } from '../s3/uploads.ts'
import type { Connection } from '../transport/connection.ts'
import { hasCode, isAborted } from '../transport/failures.ts'
import { fileMax } from './part-plan.ts'
import { sendFile, type UploadServer } from './send-file.ts'

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
  controller: AbortController
}

export const uploads = signal<readonly Upload[]>([])

/** Grows by one when an object has arrived, so that lists load again. */
export const arrivals = signal(0)

export const isSending = computed(() => uploads.value.some(({ state }) => state === 'waiting' || state === 'sending'))

const filesAtOnce = 2
const entries = new Map<number, Entry>()
let lastId = 0

export interface FileToUpload {
  readonly file: Blob
  readonly object: ObjectReference
  /** An unfinished upload of this file. */
  readonly uploadId?: string
}

export function addUploads(files: readonly FileToUpload[]): void {
  const added = files.map(({ file, object, uploadId }): Upload => {
    const id = ++lastId
    entries.set(id, { file, object, uploadId, controller: new AbortController() })
    const base = { id, object, size: file.size, bytesSent: 0 }
    return file.size > fileMax
      ? { ...base, state: 'failed', error: new Error('An object has at most 5 TiB.') }
      : { ...base, state: 'waiting' }
  })
  uploads.value = [...uploads.value, ...added]
  startWaiting()
}

/** Continues an upload that failed. The parts that arrived stay. */
export function resumeUpload(id: number): void {
  const entry = entries.get(id)
  if (entry === undefined) return
  entry.controller = new AbortController()
  change(id, { state: 'waiting', error: undefined })
  startWaiting()
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
      signal: controller.signal,
      onProgress: (bytesSent) => change(id, { bytesSent }),
      onBegin: (uploadId) => {
        entry.uploadId = uploadId
      },
    })
    change(id, { state: 'done', bytesSent: entry.file.size })
    arrivals.value++
  } catch (error) {
    if (hasCode(error, 'NoSuchUpload')) entry.uploadId = undefined
    if (!isAborted(error)) change(id, { state: 'failed', error })
  }
  startWaiting()
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
