/**
 * The object that marks the blobs of a store. It tells them from other objects, so that a wrong bucket or prefix is not
 * taken for an empty store, and a store of another name is not swept.
 */
import { randomBytes } from 'node:crypto'
import { StorageError } from '@varve/core'
import { listPage } from './list-objects.ts'
import { kindOf, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { shortBody } from './short-body.ts'

/** What is below the prefix: the blobs of a store, or one of its replicas. */
export type Mark = 'varve blobs' | 'varve replica'
const newest = 1
const bytesMax = 4096

export interface MarkerOptions {
  /** Make the marker if the prefix is empty. */
  readonly create: boolean
  /** The name that the store must have; `undefined` accepts every name. */
  readonly store?: string
  readonly mark: Mark
}

interface Marker {
  readonly marker: Mark
  readonly version: number
  /** Random. */
  readonly id: string
  /** The name of the store that the blobs belong to, or an empty text. */
  readonly store: string
}

/** @throws StorageError `StoreNotFound`, `UnsupportedFormat` */
export async function openMarker(place: S3Place, options: MarkerOptions): Promise<void> {
  const { create, store, mark } = options
  let text = await readMarker(place)
  if (text === undefined) {
    const { objects } = await listPage(place, place.keys.prefix, { limit: 1 })
    // Another process may have made it meanwhile.
    if (objects.length > 0 || !create) text = await readMarker(place)
    if (text === undefined && objects.length > 0) throw foreign(place)
    if (text === undefined && !create) throw notFound(place, 'empty', 'is empty')
    // Of several processes that make it at once, the one that is found is right.
    text ??= await makeMarker(place, mark, store ?? '')
  }
  assertMarker(place, text, options)
}

async function makeMarker(place: S3Place, mark: Mark, store: string): Promise<string> {
  const { client, keys, requests, sdk } = place
  const id = randomBytes(16).toString('hex')
  const Body = JSON.stringify({ marker: mark, version: newest, id, store } satisfies Marker)
  try {
    await place.creating((condition) =>
      requests.run('Marking the prefix', (abortSignal) => {
        const about = { ...place.at(keys.marker), ContentType: 'application/json', Body, ...condition }
        return place.within(abortSignal, client.send(new sdk.PutObjectCommand(about), { abortSignal }))
      }),
    )
  } catch (error) {
    if (!['PreconditionFailed', 'status412'].includes(kindOf(error))) throw error
  }
  const made = await readMarker(place)
  if (made === undefined) throw foreign(place)
  return made
}

/** `undefined` if there is none. */
async function readMarker(place: S3Place): Promise<string | undefined> {
  const { client, keys, requests, sdk } = place
  try {
    return await requests.run('Opening the bucket', async (abortSignal) => {
      const command = new sdk.GetObjectCommand(place.at(keys.marker))
      const { Body, ContentLength = 0 } = await place.within(abortSignal, client.send(command, { abortSignal }))
      if (Body === undefined) throw new WrongAnswer('WrongAnswer', 'There are no bytes in the answer.')
      if (ContentLength <= bytesMax) return (await place.within(abortSignal, shortBody(Body, bytesMax))).toString()
      ;(Body as { destroy?(): void }).destroy?.()
      return ''
    })
  } catch (error) {
    if (kindOf(error) === 'NoSuchKey') return undefined
    if (kindOf(error) !== 'NoSuchBucket') throw error
    throw new StorageError('StoreNotFound', `There is no bucket ${place.bucket}.`, {
      details: { kind: 'NoSuchBucket' },
      cause: error,
    })
  }
}

function assertMarker(place: S3Place, text: string, { mark, store }: MarkerOptions): void {
  const found = parsed(text)
  if (found?.marker !== mark || typeof found.version !== 'number' || typeof found.store !== 'string') {
    throw foreign(place)
  }
  if (found.version > newest) {
    const message = `The blobs have version ${found.version}; this release knows ${newest}.`
    throw new StorageError('UnsupportedFormat', message, { details: { kind: 'newer' } })
  }
  if (store !== undefined && found.store !== store) {
    throw notFound(place, 'otherStore', `belongs to another store: ${found.store}`)
  }
}

function parsed(text: string): Partial<Marker> | undefined {
  try {
    return Object(JSON.parse(text)) as Partial<Marker>
  } catch {
    return undefined
  }
}

const notFound = ({ bucket, keys }: S3Place, kind: string, what: string): StorageError =>
  new StorageError('StoreNotFound', `The prefix "${keys.prefix}" of the bucket ${bucket} ${what}.`, {
    details: { kind },
  })

const foreign = (place: S3Place): StorageError =>
  notFound(place, 'foreign', 'has other objects, and no marker of Varve')
