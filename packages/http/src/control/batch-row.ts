/** Many commands with conditions in one commit: all of them are done, or none. */
import {
  callArguments,
  isStorageError,
  type RecordedEvent,
  schema,
  type Seq,
  StorageError,
  type Transaction,
  versionId,
} from '@varve/core'
import { type BatchCommand, batchCommand, type PutCommand } from './batch-commands.ts'
import { position } from './common-fields.ts'
import { type ControlCall, valueRow } from './control-row.ts'
import { jsonBody } from './input.ts'

const { array, boolean, integer, object, objectWith, optional, text } = schema

/** The commands, in their order. */
export interface Batch {
  readonly commands: readonly BatchCommand[]
}

/** The result of one command. */
export interface BatchResult {
  /** The new version or delete marker, or the version that was removed. */
  readonly versionId?: string
  readonly etag?: string
  readonly size?: number
  readonly deleteMarker?: boolean
}

/** The results, in the order of the commands. */
export interface BatchAnswer {
  readonly results: readonly BatchResult[]
  /** The position of the last event of the commit. Absent: the commands changed nothing. */
  readonly seq?: Seq
}

/** As many as a transaction takes. */
const commandsMax = 250
const bytesMax = 4 * 1024 * 1024

export const runBatch = valueRow<Batch, BatchAnswer>({
  name: 'RunBatch',
  summary: 'Many commands with conditions in one commit: all of them, or none',
  method: 'POST',
  path: '/-/v1/transaction',
  input: jsonBody(object<Batch>({ commands: array(batchCommand, { max: commandsMax }) }), bytesMax),
  output: objectWith<BatchAnswer>({
    results: array(
      objectWith<BatchResult>({
        versionId: optional(text()),
        etag: optional(text()),
        size: optional(integer({ min: 0 })),
        deleteMarker: optional(boolean),
      }),
    ),
    seq: optional(position),
  }),
  run: (call) => committed(call),
})

/** A transaction repeats the commands if others are first, so their conditions hold at the commit. */
async function committed({ store, context, input: { commands }, signal }: ControlCall<Batch>): Promise<BatchAnswer> {
  const requestId = context.requestId ?? crypto.randomUUID()
  let last: Seq | undefined
  let base = 0
  const acting = store.as({ ...context, requestId, committed: (seq) => (last = seq) })
  const results = await acting.transaction(
    async (own) => {
      base = own.seq
      const answers: BatchResult[] = []
      for (const [index, command] of commands.entries()) answers.push(await ran(own, command, index))
      return answers
    },
    { signal },
  )
  if (last === undefined) return { results }
  const ids = await addedVersions(acting.log({ from: base + 1, to: last, requestId }))
  return { results: withIds(commands, results, ids), seq: last }
}

/** @throws StorageError as the command, with the index of the command in its details */
async function ran(own: Transaction, command: BatchCommand, index: number): Promise<BatchResult> {
  try {
    if ('expected' in command && command.expected !== undefined) await assertVersion(own, command, command.expected)
    return await run(own, command)
  } catch (error) {
    if (!isStorageError(error)) throw error
    const { code, message, details, hint } = error
    throw new StorageError(code, message, { details: { ...details, index }, hint, cause: error })
  }
}

interface Expected {
  readonly bucket: string
  readonly key: string
}

async function assertVersion({ objects }: Transaction, { bucket, key }: Expected, expected: string | null) {
  const found = await objects.head(bucket, key).catch((error: unknown) => {
    if (isStorageError(error, 'NoSuchKey')) return { versionId: null }
    throw error
  })
  if (found.versionId === expected) return
  throw new StorageError('PreconditionFailed', 'The key does not have the expected version.', {
    details: { Condition: 'expected' },
  })
}

async function run({ buckets, objects }: Transaction, command: BatchCommand): Promise<BatchResult> {
  switch (command.type) {
    case 'put':
      return shown(await objects.put(command.bucket, command.key, bytesOf(command), optionsOf(command)))
    case 'copy': {
      const { bucket, key, source, ...options } = optionsOfCopy(command)
      return shown(await objects.copy(source, bucket, key, options))
    }
    case 'delete': {
      const { bucket, key, type: _type, expected: _expected, ...options } = command
      return objects.delete(bucket, key, options)
    }
    case 'annotate': {
      const { bucket, key, annotation, type: _type, expected: _expected, ...options } = command
      await objects.annotate(bucket, key, annotation, options)
      return {}
    }
    case 'check':
      return {}
    case 'setting': {
      const { bucket, kind, value } = command
      if (value === undefined) await buckets.settings.remove(bucket, kind)
      else await buckets.settings.put(bucket, kind, callArguments.settingValue(kind, value))
      return {}
    }
  }
}

/** @throws StorageError `InvalidArgument` */
function bytesOf({ text: words, base64 }: PutCommand): string | Uint8Array {
  if (words === undefined || base64 === undefined) return words ?? base64 ?? ''
  throw new StorageError('InvalidArgument', 'A command has its bytes in text or in base64.')
}

const optionsOf = (command: PutCommand) => {
  const { type: _t, bucket: _b, key: _k, expected: _e, text: _w, base64: _c, ...options } = command
  return options
}

const optionsOfCopy = (command: Extract<BatchCommand, { readonly type: 'copy' }>) => {
  const { type: _type, expected: _expected, ...options } = command
  return options
}

const shown = ({ versionId: id, etag, size }: Required<Pick<BatchResult, 'versionId' | 'etag' | 'size'>>) => ({
  versionId: id,
  etag,
  size,
})

/** The ids of the versions and delete markers that the commit added. Those in the transaction were provisional. */
async function addedVersions(events: AsyncIterable<RecordedEvent>): Promise<readonly string[]> {
  const ids: string[] = []
  for await (const { type, seq, epoch, data } of events) {
    if (type === 'VersionAdded' || type === 'DeleteMarkerAdded') {
      ids.push(versionId({ seq, epoch, nullVersion: data.nullVersion }))
    }
  }
  return ids
}

function withIds(
  commands: readonly BatchCommand[],
  results: readonly BatchResult[],
  ids: readonly string[],
): readonly BatchResult[] {
  const adds = commands.map((command, index) => isAdding(command, results[index]))
  // Earlier events of the same request id are not of this commit.
  let next = ids.length - adds.filter(Boolean).length
  return results.map((result, index) => (adds[index] ? { ...result, versionId: ids[next++] as string } : result))
}

function isAdding(command: BatchCommand, result: BatchResult | undefined): boolean {
  if (command.type === 'put' || command.type === 'copy') return true
  return command.type === 'delete' && command.versionId === undefined && result?.deleteMarker === true
}
