/** All questions of the suite for a store, and its answers: a value, or the code of an error. */
import { createHash } from 'node:crypto'
import { isStorageError, type PastStore, type Store } from '@varve/core'

/** Question to answer. Errors with a code begin with `!`, any others with `!!`. */
export type Answers = ReadonlyMap<string, string>

export const isError = (answer: string): boolean => answer.startsWith('!')
/** An error without a code. */
export const isUnnamed = (answer: string): boolean => answer.startsWith('!!')

/** The questions. They are the same for every mutation. */
export interface Questions {
  readonly objects: readonly (readonly [bucket: string, key: string, versionId?: string])[]
  /** Positions of the past. */
  readonly positions: readonly number[]
}

export async function ask(store: Store, { objects, positions }: Questions): Promise<Answers> {
  const answers = new Map<string, string>()
  const question: Question = async (name, requested) => {
    const answer = await requested().then((value) => JSON.stringify(value) ?? 'nothing', answerOf)
    answers.set(name, answer)
  }
  const askAt = (seq: number) =>
    question(`at ${seq}`, async () => askState(await store.at(seq), `at ${seq}: `, objects, question))
  // At once what does not wait for anything else: most of the time would go into waiting for threads.
  await Promise.all([
    question('seq', async () => store.seq),
    askState(store, '', objects, question),
    ...positions.map(askAt),
    question('log', () => all(store.log())),
  ])
  return answers
}

type Question = (name: string, requested: () => Promise<unknown>) => Promise<void>

async function askState(
  store: Store | PastStore,
  when: string,
  objects: Questions['objects'],
  question: Question,
): Promise<void> {
  const requested = [question(`${when}buckets`, () => all(store.buckets.list()))]
  for (const bucket of ['plain', 'kept', 'empty', 'later']) {
    requested.push(
      question(`${when}versioning of ${bucket}`, () => store.buckets.getVersioning(bucket)),
      question(`${when}objects of ${bucket}`, () => all(store.objects.list(bucket))),
      question(`${when}directories of ${bucket}`, () => all(store.objects.list(bucket, { delimiter: '/' }))),
      question(`${when}versions of ${bucket}`, () => all(store.versions.list(bucket))),
    )
    if ('uploads' in store) requested.push(question(`uploads of ${bucket}`, () => askUploads(store, bucket, question)))
  }
  for (const [bucket, key, versionId] of objects) {
    const options = versionId === undefined ? {} : { versionId }
    // Of the past, what was current then: versions are listed, and their bytes are those of today.
    if (versionId === undefined || 'history' in store) {
      requested.push(question(`${when}get ${bucket}/${key} ${versionId ?? ''}`, () => got(store, bucket, key, options)))
    }
    if (versionId === undefined && 'history' in store)
      requested.push(question(`history of ${bucket}/${key}`, () => all(store.history(bucket, key))))
  }
  await Promise.all(requested)
}

async function askUploads(store: Store, bucket: string, question: Question): Promise<unknown> {
  const uploads = await all(store.uploads.list(bucket))
  for (const upload of uploads) {
    if (upload.kind === 'prefix') continue
    const ref = { bucket, key: upload.key, uploadId: upload.uploadId }
    await question(`parts of ${upload.uploadId}`, () => all(store.uploads.listParts(ref)))
  }
  return uploads
}

async function got(store: Store | PastStore, bucket: string, key: string, options: { versionId?: string }) {
  const object = await store.objects.get(bucket, key, options)
  const { body: _, buffered: __, bytes: ___, text: ____, close: _____, ...info } = object
  const { buffer, byteOffset, length } = await object.bytes()
  const bytes = Buffer.from(buffer, byteOffset, length)
  return { info, length, text: length > 1000 ? digestOf(bytes) : bytes.toString() }
}

/** Contents met before, as they are: most are what they were, and comparing takes a twentieth of hashing. */
const met: { readonly bytes: Buffer; readonly digest: string }[] = []
const metMax = 32

function digestOf(bytes: Buffer): string {
  const known = met.find((each) => each.bytes.equals(bytes))
  if (known !== undefined) return known.digest
  const digest = createHash('md5').update(bytes).digest('hex')
  if (met.length < metMax) met.push({ bytes, digest })
  return digest
}

/** Every object and version of a store that is whole, and some that are not there. */
export async function objectsIn(store: Store): Promise<Questions['objects']> {
  const found: (readonly [string, string, string?])[] = [
    ['plain', 'dir/d'],
    ['kept', 'l'],
    ['plain', 'never'],
  ]
  for (const bucket of ['plain', 'kept', 'later']) {
    for (const entry of await all(store.objects.list(bucket))) {
      if (entry.kind === 'object') found.push([bucket, entry.key])
    }
    for (const entry of await all(store.versions.list(bucket))) {
      if (entry.kind !== 'prefix') found.push([bucket, entry.key, entry.versionId])
    }
  }
  return found
}

function answerOf(error: unknown): string {
  if (isStorageError(error)) return `!${error.code}`
  return `!!${error instanceof Error ? `${error.name}: ${error.message}` : String(error)}`
}

async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = []
  for await (const item of items) list.push(item)
  return list
}
