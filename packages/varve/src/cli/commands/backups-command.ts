/** `varve backups`: what a replica has, and proves that it can be restored. */
import { Command, InvalidArgumentError, Option } from 'commander'
import { inspectReplica, verifyReplica } from '../../backups/replicas.ts'
import type { CliContext } from '../support/context.ts'
import { keyringOf, keyringOption } from '../support/keyring-option.ts'
import { exitCodes, UsageError } from '../support/exit-codes.ts'
import { printable } from '../support/printable.ts'
import { jsonOption } from '../support/store-command.ts'
import { commandLine } from '../support/program-name.ts'
import { shellWord } from '../support/shell-word.ts'

interface ShowBackupOptions {
  readonly keyring?: string
  readonly json?: boolean
}

interface VerifyBackupOptions extends ShowBackupOptions {
  readonly blobs: 'read' | 'present' | 'skip'
  readonly sample?: number
}

const fromArgument = ['<from>', 's3://BUCKET/PREFIX, file:///DIRECTORY or the path of a directory'] as const

export const backupsCommand = (context: CliContext): Command =>
  new Command('backups')
    .description('what a replica has, and whether it can be restored')
    .addCommand(
      new Command('show')
        .description('show up to which event a replica is written, by whom, and in how many files')
        .argument(...fromArgument)
        .addOption(keyringOption())
        .addOption(jsonOption())
        .allowExcessArguments()
        .action((from: string, options: ShowBackupOptions, command: Command) => {
          // The default command gets the name of a mistyped one as its argument.
          if (command.args.length > 1)
            throw new UsageError(`varve backups has the commands show and verify, and no ${JSON.stringify(from)}.`)
          return show(context, from, options)
        }),
      { isDefault: true },
    )
    .addCommand(
      new Command('verify')
        .description('check every event of a replica, and the bytes that they brought, without restoring it')
        .argument(...fromArgument)
        .addOption(
          new Option('--blobs <how>', 'read every byte, see that each blob is present, or skip them')
            .choices(['read', 'present', 'skip'])
            .default('present'),
        )
        .addOption(
          new Option('--sample <share>', 'look only at this share of the blobs, such as 0.01').argParser(parseShare),
        )
        .addOption(keyringOption())
        .addOption(jsonOption())
        .action((from: string, options: VerifyBackupOptions) => verify(context, from, options)),
    )

function parseShare(text: string): number {
  const share = Number(text)
  if (text.trim() !== '' && share > 0 && share <= 1) return share
  throw new InvalidArgumentError('It is a number above 0, and at most 1.')
}

async function show(
  { output, finish }: CliContext,
  from: string,
  { keyring, json = false }: ShowBackupOptions,
): Promise<void> {
  const report = await inspectReplica(from, await keyringOf(keyring))
  if (report.lost > 0) finish(exitCodes.diverged)
  if (json) return output.json({ kind: 'replica', ...report })
  const { head, hash, lost, writer, files, bytes, views, absent } = report
  await output.line(
    `${report.from} has events 1 to ${head}, in ${files.log} files. The hash of the last one is ${hash}.`,
  )
  await output.line(
    `${files.rows} more files have short objects. Together they have ${bytes} bytes, without the blobs.`,
  )
  if (lost > 0)
    await output.line(
      `It has lost ${lost} later events: it was written up to event ${head + lost}. Another replica may have them.`,
    )
  if (views > 0) await output.line(`It has the rows of the store up to event ${views}, for instant restores.`)
  if (absent > 0)
    await output.line(
      `${absent} contents are missing: the store did not have them when they were to be copied. ${commandLine(`backups verify ${shellWord(from)}`)} says which are lost.`,
    )
  if (writer !== undefined)
    await output.line(
      `It is written by ${printable(writer.name)}, since ${writer.since.toISOString()} (term ${writer.term}).`,
    )
}

async function verify(
  { output, progress, signal, finish }: CliContext,
  from: string,
  { json = false, keyring, ...options }: VerifyBackupOptions,
): Promise<void> {
  const { findings, ...totals } = await verifyReplica(from, {
    ...options,
    ...(await keyringOf(keyring)),
    signal,
    onProgress: (how) => progress.show('Checking the log', how),
  }).finally(() => progress.clear())
  for (const { seq, blob, error } of findings) {
    const { code, message } = error
    await (json
      ? output.json({ kind: 'finding', seq, blob, code, message })
      : output.line(`${code}: event ${seq}, blob ${blob}: ${message}`))
  }
  const { events, views, blobs, erased, damaged } = totals
  await (json
    ? output.json({ kind: 'report', ...totals })
    : output.line(
        `Checked ${events} events and ${blobs} blobs: ${erased} were erased, and ${damaged} are missing or damaged.${views > 0 ? ` The rows of the store are there up to event ${views}.` : ''}`,
      ))
  if (damaged > 0) finish(exitCodes.diverged)
}
