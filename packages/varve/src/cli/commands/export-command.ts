/** `varve export`: writes a bucket, or a whole store, to one file. */
import { Writable } from 'node:stream'
import type { Moment } from '@varve/core'
import { type Command, Option } from 'commander'
import { exportArchive, exportStore } from '../../archives/archives.ts'
import type { ArchiveWritten } from '../../archives/export-bucket.ts'
import type { CliContext } from '../support/context.ts'
import { readingCommand, type ReadingOptions } from '../support/endpoint-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { assertWholeMoment, atMoment, momentOption, noteMoment } from '../support/moment-option.ts'
import type { Output } from '../support/output.ts'
import { parseSeq, parseText } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { explained, withReadableStore } from '../support/reach-store.ts'
import { parseBucketUri } from '../support/s3-uri.ts'
import { commandOn } from '../support/program-name.ts'

interface ExportCommandOptions extends ReadingOptions {
  readonly to: string
  readonly at?: Moment
  readonly withHistory?: boolean
  readonly fromSeq?: number
  readonly toSeq?: number
  readonly overwrite?: boolean
  readonly keyring?: string
}

export function exportCommand(context: CliContext): Command {
  return readingCommand('export', 'write a bucket or a whole store to one file, which tar can open')
    .argument('<source>', 's3://bucket, or the directory of a store')
    .addOption(new Option('--to <file>', 'the file; - for standard output').argParser(parseText).makeOptionMandatory())
    .addOption(momentOption())
    .option('--with-history', 'every version and delete marker, and the events of the bucket')
    .option('--from-seq <seq>', 'the first of these events (default: the first)', parseSeq)
    .option('--to-seq <seq>', 'the last of these events (default: the last)', parseSeq)
    .option('--overwrite', 'replace the file if it is there')
    .addOption(keyringOption())
    .action((source: string, options: ExportCommandOptions) =>
      source.startsWith('s3://') ? runExport(context, source, options) : runStoreExport(context, source, options),
    )
}

async function runExport(context: CliContext, uri: string, options: ExportCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  const { to, at, withHistory = false, fromSeq: from, toSeq, overwrite = false, keyring, json = false } = options
  const bucket = parseBucketUri(uri)
  await withReadableStore(
    context,
    options,
    async (store) => {
      const moment = at === undefined ? await store.seq : (await atMoment(context, store, at)).seq
      const written = await exportArchive(store, to === '-' ? streamTo(output) : to, {
        bucket,
        at: moment,
        withHistory,
        overwrite,
        ...(from !== undefined && { from }),
        ...(toSeq !== undefined && { to: toSeq }),
        signal,
        onProgress: ({ objects, bytes }) => progress.count('Exporting', `${objects} objects, ${bytes} bytes`),
      }).finally(() => progress.clear())
      if (written.absent > 0) context.note(absentNote(written.absent))
      if (to === '-') return
      if (json) return output.json({ kind: 'exported', bucket, seq: moment, file: to, ...written })
      await output.line(`${printable(to)}  ${describe(written)}  position ${moment}`)
    },
    await keyringOf(keyring),
  )
}

async function runStoreExport(context: CliContext, dir: string, options: ExportCommandOptions): Promise<void> {
  const { output, progress, signal } = context
  const { to, at, overwrite = false, json = false, withHistory, fromSeq, toSeq, keyring, endpoint } = options
  if ([withHistory, fromSeq, toSeq].some((option) => option !== undefined)) {
    throw new UsageError(
      'A store is exported with its whole history, and encrypted bytes as they are: --at chooses its end.',
    )
  }
  if (endpoint !== undefined) throw new UsageError('A whole store is exported on the machine that has its directory.')
  assertWholeMoment(at)
  const written = await exportStore(dir, to === '-' ? streamTo(output) : to, {
    ...(at !== undefined && { at }),
    ...(await keyringOf(keyring)),
    overwrite,
    signal,
    onProgress: ({ events, bytes }) => progress.count('Exporting', `${events} events, ${bytes} bytes`),
  })
    .catch((error: unknown) => {
      throw explained(error, dir)
    })
    .finally(() => progress.clear())
  noteMoment(context, at, written.seq)
  const erased = Math.max(0, written.absent - written.lost)
  if (erased > 0) context.note(`${erased} blobs are not in the archive: they were erased, or no version ever had them.`)
  if (written.lost > 0) {
    context.note(
      `${written.lost} contents are lost: no event says that they were erased. ${commandOn('verify', { dir })} names them.`,
    )
    context.finish(exitCodes.diverged)
  }
  if (to === '-') return
  if (json) return output.json({ kind: 'exported', dir, file: to, ...written })
  const { events, blobs, bytes, seq } = written
  await output.line(`${printable(to)}  ${events} events, ${blobs} blobs, ${bytes} bytes  position ${seq}`)
}

const describe = ({ objects, markers, bytes, events }: ArchiveWritten): string =>
  [
    `${objects} objects`,
    ...(markers > 0 ? [`${markers} delete markers`] : []),
    ...(events > 0 ? [`${events} events`] : []),
    `${bytes} bytes`,
  ].join(', ')

const absentNote = (absent: number): string =>
  `${absent} of them have no bytes in the archive: they were erased, or encrypted with a key of a client.`

const streamTo = (output: Output): Writable =>
  new Writable({
    write(chunk: Uint8Array, _encoding, done) {
      output.write(chunk).then(() => done(), done)
    },
  })
