/** `varve restore-store`: makes a store of a replica. */
import { Command, Option } from 'commander'
import type { Moment } from '@varve/core'
import { type LayoutName, layouts } from '@varve/adapters'
import type { UsedReplica } from '../../backups/used-replicas.ts'
import { restoreStore } from '../../backups/replicas.ts'
import type { CliContext } from '../support/context.ts'
import { exitCodes } from '../support/exit-codes.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { assertWholeMoment, noteMoment, positionBefore } from '../support/moment-option.ts'
import { parseAddresses, parseMoment } from '../support/parse-values.ts'
import { printable } from '../support/printable.ts'
import { stageLabels } from '../support/progress.ts'
import { jsonOption } from '../support/store-command.ts'
import { closedHints, explained } from '../support/reach-store.ts'

interface RestoreStoreCommandOptions {
  readonly at?: Moment
  readonly layout?: LayoutName
  readonly from?: readonly string[]
  readonly instant?: boolean
  readonly keyring?: string
  readonly json?: boolean
}

export function restoreStoreCommand(context: CliContext): Command {
  return new Command('restore-store')
    .description('make a store of a replica, as of its end or of an earlier moment')
    .argument('<from>', 's3://BUCKET/PREFIX, file:///DIRECTORY or the path of a directory')
    .argument('<dir>', 'directory of the new store; an interrupted restore goes on')
    .addOption(
      new Option('--at <moment>', 'a position in the log, a time such as "2h ago", or a snapshot').argParser(
        parseMoment,
      ),
    )
    .addOption(
      new Option(
        '--from <address>',
        'another replica of the store, for what the first one lacks; can be repeated',
      ).argParser(parseAddresses),
    )
    .addOption(new Option('--layout <name>', 'the layout of the new store').choices(layouts.map(({ name }) => name)))
    .option('--instant', 'leave the blobs in the replica: the store reads them there, and brings them while it is open')
    .addOption(keyringOption())
    .addOption(jsonOption())
    .action((from: string, dir: string, options: RestoreStoreCommandOptions) => run(context, from, dir, options))
}

async function run(
  context: CliContext,
  from: string,
  dir: string,
  { json = false, from: others = [], keyring, ...options }: RestoreStoreCommandOptions,
): Promise<void> {
  const { output, progress, signal } = context
  assertWholeMoment(options.at)
  const report = await restoreStore([from, ...others], dir, {
    ...options,
    ...(await keyringOf(keyring)),
    signal,
    onProgress: ({ stage, ...how }) => progress.show(stageLabels[stage], how),
  })
    .catch((error: unknown) => Promise.reject(explained(error, dir, closedHints.result)))
    .finally(() => progress.clear())
  noteMoment(context, options.at, positionBefore(report))
  if (report.lost > 0) context.finish(exitCodes.diverged)
  if (json) return output.json({ kind: 'restored', ...report })
  const { head, events, blobs, bytes, absent, replicas } = report
  if (others.length > 0) for (const replica of replicas) await output.line(printable(replicaLine(replica)))
  await output.line(
    `Restored ${events} events, ${blobs} blobs and ${bytes} bytes to ${printable(report.dir)}. The store ends with event ${head}.`,
  )
  if (report.filling)
    await output.line(
      'Its other blobs are still in the replica: they are read there, and brought while the store is open.',
    )
  if (absent > 0)
    await output.line(
      `${absent} contents are not in ${printable(report.from)}: they were erased before they were copied, or there too.`,
    )
  if (report.lost > 0)
    await output.line(
      `${report.lost} contents are lost: ${printable(report.from)} does not have them, and no event says that they were erased. verify shows them; another replica may have them (--from).`,
    )
}

const replicaLine = ({ from, head, failures, error }: UsedReplica): string => {
  if (error !== undefined) return `${from}: not used: ${error.message}`
  return `${from}: ends with event ${head}${failures === 0 ? '' : `; lacked or failed ${failures} times`}`
}
