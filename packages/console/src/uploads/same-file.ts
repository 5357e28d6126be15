/**
 * Whether a file is the one that an upload was begun with: its size, its time, and every part that arrived must be those of
 * the file. Only parts with the digest of their place in the file are kept, so an object never has bytes of two files.
 */

import { md5 } from '@noble/hashes/legacy.js'
import { bytesToHex } from '@noble/hashes/utils.js'
import { bytesText, dateText } from '../components/formats.ts'
import type { ListedParts, SentPart } from '../s3/uploads.ts'
import type { FileFacts } from './begun-uploads.ts'
import { factsOf } from './begun-uploads.ts'
import { type Part, type PartLayout, layoutOf, seemsShorter } from './part-plan.ts'

/** The chosen file is not the one of the upload, or this cannot be shown. Nothing was sent. */
export class NotTheSameFile extends Error {
  /** `time`: all that arrived is in the file, which has another time. */
  readonly reason: 'size' | 'time' | 'parts' | 'checksums'

  constructor(reason: NotTheSameFile['reason'], message: string) {
    super(message)
    this.reason = reason
  }
}

/** The file on the disk is not any more what was chosen. */
export class FileChanged extends Error {
  constructor(cause?: unknown) {
    super('The file was changed, moved or removed while it was uploaded.', { cause })
  }
}

export interface Comparison {
  readonly file: Blob
  readonly listed: ListedParts
  /** The file that the upload was begun with, as far as it is known. */
  readonly begun: FileFacts | undefined
  /** The person knows that the time differs. */
  readonly isTimeAccepted: boolean
  /** The ETags of parts of this file that arrived before: these are not compared again. */
  readonly arrived: Map<number, string>
  readonly signal: AbortSignal
  readonly onProgress: (bytesKept: number) => void
}

export interface Continuation {
  /** All parts of the file. */
  readonly planned: readonly Part[]
  readonly kept: readonly SentPart[]
  readonly missing: readonly Part[]
}

/**
 * Compares a file with an upload that it is to continue.
 * @throws NotTheSameFile; `NotReadableError` of the browser
 */
export async function continuationOf(comparison: Comparison): Promise<Continuation> {
  const { file, listed, begun, arrived, signal, onProgress } = comparison
  assertSize(file, begun)
  const layout = layoutOf(listed.parts, file.size)
  if (layout.misfit !== undefined) throw notInFile(layout.misfit)
  if (begun === undefined && seemsShorter(layout.placed, file.size)) throw shorter()
  const isSame = new Map<number, SentPart>()
  let bytes = 0
  for (const [part, place] of layout.placed) {
    if (arrived.get(part.partNumber) !== part.etag) {
      if (!(await hasDigest(file.slice(place.start, place.end), part, signal))) throw notInFile(part.partNumber)
      arrived.set(part.partNumber, part.etag)
    }
    isSame.set(part.partNumber, part)
    onProgress((bytes += part.size))
  }
  assertTime(comparison)
  return continued(layout, isSame, listed)
}

/** The parts of a plan that are there. The file is known to be the same, so others are only sent again. */
export async function arrivedOf(
  planned: readonly Part[],
  { file, listed, arrived, signal, onProgress }: Omit<Comparison, 'begun' | 'isTimeAccepted'>,
): Promise<Continuation> {
  const places = new Map(planned.map((place) => [place.partNumber, place]))
  const kept: SentPart[] = []
  let bytes = 0
  for (const part of listed.parts) {
    const place = places.get(part.partNumber)
    if (place === undefined || place.end - place.start !== part.size) continue
    const isKnown = arrived.get(part.partNumber) === part.etag
    if (!isKnown && !(await hasDigest(file.slice(place.start, place.end), part, signal))) continue
    arrived.set(part.partNumber, part.etag)
    kept.push(part)
    onProgress((bytes += part.size))
  }
  const isKept = new Set(kept.map(({ partNumber }) => partNumber))
  return { planned, kept, missing: planned.filter(({ partNumber }) => !isKept.has(partNumber)) }
}

const hasDigest = async (blob: Blob, { etag }: SentPart, signal: AbortSignal): Promise<boolean> =>
  (await md5Of(blob, signal)) === etag.replaceAll('"', '')

function continued(
  { planned }: PartLayout,
  isSame: ReadonlyMap<number, SentPart>,
  { checksum }: ListedParts,
): Continuation {
  const kept: SentPart[] = []
  const missing: Part[] = []
  for (const part of planned) {
    const found = isSame.get(part.partNumber)
    if (found?.size === part.end - part.start) kept.push(found)
    else missing.push(part)
  }
  if (checksum !== undefined) {
    throw new NotTheSameFile(
      'checksums',
      `Another program began this upload with a ${checksum} checksum for each part. The console does not make these.`,
    )
  }
  return { planned, kept, missing }
}

function assertSize(file: Blob, begun: FileFacts | undefined): void {
  if (begun === undefined || begun.size === file.size) return
  throw new NotTheSameFile(
    'size',
    `This file has ${sizeText(file.size)}. The upload was begun with one of ${sizeText(begun.size)}.`,
  )
}

const sizeText = (bytes: number): string => `${bytesText(bytes)} (${bytes.toLocaleString()} bytes)`

function assertTime({ file, begun, isTimeAccepted, listed }: Comparison): void {
  const { lastModified } = factsOf(file)
  const before = begun?.lastModified
  if (isTimeAccepted || before === undefined || lastModified === undefined || before === lastModified) return
  const arrivedText = listed.parts.length === 0 ? 'Nothing has arrived yet.' : 'The parts that arrived are in it.'
  throw new NotTheSameFile(
    'time',
    `This file was last changed on ${dateText(new Date(lastModified))}, and the upload was begun with one of ${dateText(new Date(before))}. ${arrivedText}`,
  )
}

const shorter = (): NotTheSameFile =>
  new NotTheSameFile('parts', 'What arrived seems to be a whole file, and this file is longer.')

const notInFile = (partNumber: number): NotTheSameFile =>
  new NotTheSameFile('parts', `Part ${partNumber} that arrived is not in this file.`)

const hashedAtOnce = 1024 ** 2

async function md5Of(blob: Blob, signal: AbortSignal): Promise<string> {
  const hash = md5.create()
  for (let start = 0; start < blob.size; start += hashedAtOnce) {
    signal.throwIfAborted()
    hash.update(new Uint8Array(await blob.slice(start, start + hashedAtOnce).arrayBuffer()))
  }
  return bytesToHex(hash.digest())
}

/** Browsers refuse to read a file that changed since it was chosen. */
export async function isReadable(file: Blob): Promise<boolean> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return true
  } catch {
    return false
  }
}
