/** `varve archive`: archives in files, without a store. */
import { Command } from 'commander'
import { verifyArchive } from '../../archives/archives.ts'
import type { ArchiveVerified, StoreArchiveVerified } from '../../archives/verify-archive.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { printable } from '../support/printable.ts'
import { s3Uri } from '../support/s3-uri.ts'
import { jsonOption } from '../support/store-command.ts'

export const archiveCommand = (context: CliContext): Command =>
  new Command('archive').description('archives that export has written').addCommand(
    new Command('verify')
      .description('prove that an archive is complete and as it was written')
      .argument('<file>', 'the archive; - for standard input')
      .addOption(jsonOption())
      .action((path: string, options: { readonly json?: boolean }) => runVerify(context, path, options)),
  )

async function runVerify(context: CliContext, path: string, { json = false }: { readonly json?: boolean }) {
  const { output, progress, signal } = context
  const onProgress = ({ objects, bytes }: { readonly objects: number; readonly bytes: number }) =>
    progress.count('Verifying', `${objects} objects, ${bytes} bytes`)
  const source = path === '-' ? context.input() : path
  const found = await verifyArchive(source, { signal, onProgress }).finally(() => progress.clear())
  const lost = found.contents === 'store' ? found.lost : 0
  if (lost > 0) context.finish(exitCodes.diverged)
  await (json
    ? output.json({ kind: 'archive', file: path, ...found })
    : output.line(`${printable(path)}  ${describe(found)}  sha256 ${found.sha256}`))
  if (!json && lost > 0)
    await output.line(
      `${lost} contents are lost: the store did not have them, and no event says that they were erased.`,
    )
}

function describe(found: ArchiveVerified): string {
  if (found.contents === 'store') return describeStore(found)
  const { bucket, seq, objects, markers, bytes, events, history } = found
  const versions = history ? `, ${markers} delete markers, ${events} events` : ''
  return `${printable(s3Uri(bucket.name))} at position ${seq}: ${objects} objects${versions}, ${bytes} bytes`
}

const describeStore = ({ seq, events, blobs, bytes }: StoreArchiveVerified): string =>
  `a store up to position ${seq}: ${events} events, ${blobs} blobs, ${bytes} bytes`
