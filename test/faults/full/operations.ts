/** Every operation that writes: what it needs beforehand, how it is requested, and how to check whether it happened. */
import type { Target } from './target.ts'

export interface Deed {
  act(): Promise<unknown>
  /** @throws Error when there is something that is neither before nor after */
  happened(): Promise<boolean>
}

export interface Operation {
  readonly name: string
  /** Takes more room than it gives, so that it is refused when there is little left. */
  readonly grows: boolean
  /** Prepares one deed while there is room. `name` is unique. */
  prepare(target: Target, name: string): Promise<Deed>
}

const bucket = 'full'
const versioned = 'full-versioned'
/** Of the store before the room went: must always be readable. */
const witnesses = { inline: 'before/inline', blob: 'before/blob' } as const

const inlineBody = (name: string): string => `inline ${name};`.repeat(100)
/** Beyond what a file may have where the size of files is limited. */
const blobBody = (name: string): string => `blob ${name};`.repeat(100_000)

export async function makeReady(target: Target): Promise<void> {
  await target.createBucket(bucket)
  await target.createBucket(versioned)
  await target.enableVersioning(versioned)
  await target.put(bucket, witnesses.inline, inlineBody('witness'))
  await target.put(bucket, witnesses.blob, blobBody('witness'))
}

/** Lines about reads that do not answer, or wrongly. */
export async function readWitnesses(target: Target): Promise<string[]> {
  const wrong: string[] = []
  const expected = { inline: inlineBody('witness'), blob: blobBody('witness') }
  for (const kind of ['inline', 'blob'] as const) {
    const found = await target.get(bucket, witnesses[kind]).catch((error: unknown) => error)
    if (found !== expected[kind])
      wrong.push(`a read of ${kind} bytes: ${found instanceof Error ? found.message : typeof found}`)
  }
  return wrong
}

/** Writes until there is no more room even for a little. */
export async function crowd(target: Target, name: string): Promise<void> {
  for (let i = 0; i < 64; i++) await target.put(bucket, `${name}/crowd`, inlineBody(`${name} ${i}`))
}

/** An object that is there or not, and if there, then with this body. */
async function holds(target: Target, key: string, body: string, versionId?: string): Promise<boolean> {
  const found = await target.get(versionId === undefined ? bucket : versioned, key, versionId)
  if (found !== undefined && found !== body) throw new Error(`${key} holds ${found.length} bytes of something else`)
  return found !== undefined
}

const putting = (name: string, bodyOf: (key: string) => string): Operation => ({
  name,
  grows: true,
  prepare: async (target, key) => ({
    act: () => target.put(bucket, key, bodyOf(key)),
    happened: () => holds(target, key, bodyOf(key)),
  }),
})

/** Something that ends an upload of one part. */
const ending = (name: string, end: 'complete' | 'abort'): Operation => ({
  name,
  grows: false,
  async prepare(target, key) {
    const upload = await target.createUpload(bucket, key)
    const part = await target.uploadPart(upload, 1, inlineBody(key))
    return {
      act: () => (end === 'abort' ? target.abort(upload) : target.complete(upload, [part])),
      async happened() {
        const inProgress = (await target.uploads(bucket)).includes(key)
        const there = await holds(target, key, inlineBody(key))
        if (there === (inProgress || end === 'abort')) throw new Error(`${key}: upload ${inProgress}, object ${there}`)
        return !inProgress
      },
    }
  },
})

const bringingPart = (
  name: string,
  bring: (target: Target, ...place: Parameters<Target['copyPart']>) => Promise<unknown>,
): Operation => ({
  name,
  grows: true,
  async prepare(target, key) {
    const upload = await target.createUpload(bucket, key)
    return {
      act: () => bring(target, upload, 1, witnesses.blob),
      happened: async () => (await target.parts(upload)).length === 1,
    }
  },
})

export const operations: readonly Operation[] = [
  putting('PutObject, inline', inlineBody),
  putting('PutObject, blob', blobBody),
  {
    name: 'CopyObject',
    grows: true,
    prepare: async (target, key) => ({
      act: () => target.copy(bucket, witnesses.blob, key),
      happened: () => holds(target, key, blobBody('witness')),
    }),
  },
  {
    name: 'CreateMultipartUpload',
    grows: true,
    prepare: async (target, key) => ({
      act: () => target.createUpload(bucket, key),
      happened: async () => (await target.uploads(bucket)).includes(key),
    }),
  },
  bringingPart('UploadPart', (target, upload, partNumber) =>
    target.uploadPart(upload, partNumber, blobBody(upload.key)),
  ),
  bringingPart('UploadPartCopy', (target, upload, partNumber, from) => target.copyPart(upload, partNumber, from)),
  ending('CompleteMultipartUpload', 'complete'),
  ending('AbortMultipartUpload', 'abort'),
  {
    name: 'CreateBucket',
    grows: true,
    prepare: async (target, name) => ({
      act: () => target.createBucket(name),
      happened: () => target.hasBucket(name),
    }),
  },
  {
    name: 'DeleteBucket',
    grows: false,
    async prepare(target, name) {
      await target.createBucket(name)
      return { act: () => target.deleteBucket(name), happened: async () => !(await target.hasBucket(name)) }
    },
  },
  {
    name: 'PutBucketVersioning',
    grows: false,
    async prepare(target, name) {
      await target.createBucket(name)
      return { act: () => target.enableVersioning(name), happened: () => target.isVersioned(name) }
    },
  },
  {
    name: 'DeleteObject',
    grows: false,
    async prepare(target, key) {
      await target.put(bucket, key, blobBody(key))
      return { act: () => target.delete(bucket, key), happened: async () => !(await holds(target, key, blobBody(key))) }
    },
  },
  {
    name: 'DeleteObject, which adds a marker',
    grows: false,
    async prepare(target, key) {
      await target.put(versioned, key, inlineBody(key))
      return {
        act: () => target.delete(versioned, key),
        happened: async () => (await target.get(versioned, key)) === undefined,
      }
    },
  },
  {
    name: 'DeleteObject of a version',
    grows: false,
    async prepare(target, key) {
      const versionId = (await target.put(versioned, key, inlineBody(key))) as string
      return {
        act: () => target.deleteVersion(versioned, key, versionId),
        happened: async () => !(await holds(target, key, inlineBody(key), versionId)),
      }
    },
  },
  {
    name: 'DeleteObjects',
    grows: false,
    async prepare(target, key) {
      const keys = ['one', 'two', 'three'].map((name) => `${key}/${name}`)
      for (const one of keys) await target.put(bucket, one, inlineBody(one))
      return {
        act: () => target.deleteMany(bucket, keys),
        async happened() {
          const there = await Promise.all(keys.map((one) => holds(target, one, inlineBody(one))))
          return !there.includes(true)
        },
      }
    },
  },
]
