/** The files of a replica below the prefix of its blobs. A conditional request creates each, so none is ever replaced. */
import type { ByteRange, ReplicaFiles } from '@varve/core'
import type { OpenWrites } from '../blobs/open-writes.ts'
import { deleteObjects } from './delete-objects.ts'
import { listPage } from './list-objects.ts'
import { kindOf, WrongAnswer } from './s3-failure.ts'
import type { S3Place } from './s3-place.ts'
import { type ObjectWriter, writeObject } from './write-object.ts'
import { shortBody } from './short-body.ts'

interface FilesPorts {
  readonly writer: ObjectWriter
  /** Ends writes when the replica is closed. */
  readonly writes: OpenWrites
  /** Ends reads. */
  readonly signal: AbortSignal
}

export function s3ReplicaFiles(place: S3Place, { writer, writes, signal }: FilesPorts): ReplicaFiles {
  const home = `${place.keys.prefix}replica/`
  return {
    async create(name, source) {
      try {
        const object = { key: home + name, isContended: true }
        await writes.run(undefined, (cancel) => writeObject(writer, object, source, cancel))
        return true
      } catch (error) {
        if (kindOf(error) === 'exists') return false
        throw error
      }
    },
    read: (name, range) => readObject(place, home + name, { range, signal }),
    async *list(prefix) {
      let token: string | undefined
      do {
        const { objects, next } = await listPage(place, home + prefix, { token })
        for (const { key, size } of objects)
          if (key?.startsWith(home) === true) yield { name: key.slice(home.length), size }
        token = next
      } while (token !== undefined)
    },
    delete: (names) =>
      deleteObjects(
        place,
        names.map((name) => home + name),
      ),
  }
}

/** `undefined` if there is no such object. */
async function readObject(
  place: S3Place,
  key: string,
  { range, signal }: { readonly range: ByteRange | undefined; readonly signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const { client, requests, sdk } = place
  if (range !== undefined && range.end <= range.start) return new Uint8Array(0)
  const wanted = range && `bytes=${range.start}-${range.end - 1}`
  try {
    const read = async (abortSignal: AbortSignal): Promise<Uint8Array> => {
      const command = new sdk.GetObjectCommand({ ...place.at(key), ...(wanted !== undefined && { Range: wanted }) })
      const { Body, ContentLength } = await place.within(abortSignal, client.send(command, { abortSignal }))
      if (Body === undefined) throw new WrongAnswer('WrongAnswer', 'There are no bytes in the answer.')
      const bytes = await place.within(
        abortSignal,
        range === undefined ? Body.transformToByteArray() : shortBody(Body, range.end - range.start),
      )
      const expected = range === undefined ? (ContentLength ?? bytes.length) : range.end - range.start
      if (bytes.length === expected) return bytes
      throw new WrongAnswer('WrongSize', `${expected} bytes were requested, and ${bytes.length} came.`)
    }
    return await requests.run('Reading a file of a replica', read, { signal })
  } catch (error) {
    if (kindOf(error) === 'NoSuchKey') return undefined
    throw error
  }
}
