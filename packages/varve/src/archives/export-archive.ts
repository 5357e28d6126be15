/** Writes a bucket to an archive. */
import { StorageError } from '@varve/core'
import type { ArchiveTarget, ExportArchiveOptions } from './archive-arguments.ts'
import { toArchiveFile } from './archive-file.ts'
import type { ExportedStore } from './archived-store.ts'
import { type ArchiveWritten, exportBucket } from './export-bucket.ts'
import type { ByteSink } from './tar-writer.ts'
import { toStream } from './to-stream.ts'

/** As the call of this name in `archives.ts`, which has checked the arguments. */
export async function exportArchive(
  from: ExportedStore,
  target: ArchiveTarget,
  { bucket, at, overwrite = false, signal, onProgress, ...given }: ExportArchiveOptions,
): Promise<ArchiveWritten> {
  signal?.throwIfAborted()
  const past = await from.at(at ?? (await newest(from)))
  const job = { bucket, past, history: historyOf(given, past.seq), signal, onProgress }
  await past.buckets.head(bucket)
  const write = (sink: ByteSink) => exportBucket(from, job, sink)
  return typeof target === 'string' ? toArchiveFile(target, { overwrite }, write) : toStream(target, { signal }, write)
}

/** The position of the last event. */
async function newest(store: ExportedStore & { readonly seq?: number; position?(): Promise<number> }): Promise<number> {
  return store.seq ?? (await store.position?.()) ?? 0
}

type HistoryOptions = Pick<ExportArchiveOptions, 'from' | 'to' | 'withHistory'>

function historyOf({ withHistory = false, from, to }: HistoryOptions, seq: number) {
  if (!withHistory) {
    if (from === undefined && to === undefined) return undefined
    throw refused('from and to choose events, which only an archive with history has', 'withHistory')
  }
  if (to !== undefined && to > seq)
    throw refused(`the exported state is that of position ${seq}, and to is ${to}`, 'to')
  const range = { from: from ?? 1, to: to ?? seq }
  if (range.from <= range.to) return range
  throw refused(
    `events ${range.from} to ${range.to} are none, and the exported state is that of position ${seq}`,
    'from',
  )
}

const refused = (problem: string, name: string): StorageError =>
  new StorageError('InvalidArgument', `Cannot export: ${problem}.`, { details: { ArgumentName: name } })
